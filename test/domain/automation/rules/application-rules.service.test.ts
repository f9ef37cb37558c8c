import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { makeEndGrant } from "../../../../src/domain/access/oauth/grant-ending.ts"
import { loadAuditLinesWithActor } from "../../../support/changes/audit-lines.ts"
import {
  BEFORE_ARRIVAL_RULE,
  createHostOnEmptyTables,
  insertStay,
  layerAutomationService,
  loadAutomaticMessages,
  loadPlanLines,
  makePlanRunner,
  planAllDue,
  runAllDue
} from "../../../support/domain/automation/automation-service.ts"
import {
  type ConnectedClient,
  connectClient,
  createPartner,
  endGrant
} from "../../../support/domain/webhooks/subscriptions/connected-client.ts"
import { asSystemActor, call, createOperator, layerTest, typedClient, withToken } from "../../../support/harness.ts"

const ANSWER = { name: "Answers", action: "answer" } as const
const CHANGES = [
  "update_automation_rule",
  "pause_automation_rule",
  "resume_automation_rule",
  "delete_automation_rule"
] as const

const toChange = (operation: (typeof CHANGES)[number], id: number) =>
  operation === "update_automation_rule" ? { id, name: "Renamed" } : { id }

/** Creates a rule and returns its id. */
const createRule = Effect.fnUntraced(function* (token: string) {
  const api = yield* typedClient
  return (yield* api.create_automation_rule(ANSWER).pipe(withToken(token))).rule_id
}, Effect.orDie)

const listRules = Effect.fnUntraced(function* (token: string) {
  const api = yield* typedClient
  const { rules } = yield* api.list_automation_rules({}).pipe(withToken(token))
  return rules.map(({ id, state, manageable }) => [id, state, manageable])
}, Effect.orDie)

/** Disconnects the application, as the host does. */
const disconnect = ({ operatorId, grantId }: ConnectedClient) =>
  Effect.gen(function* () {
    const [sql, now] = [yield* SqlClient.SqlClient, yield* DateTime.nowAsDate]
    yield* makeEndGrant(sql)({ operatorId, grantId, endedBy: "host", now })
  }).pipe(asSystemActor)

layer(layerTest)("a rule of an application", (it) => {
  it.effect("is seen by all, and changed by its connection and the host alone", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator()
      const client = yield* createPartner()
      // Two connections of one application are two.
      const callers = [operator, yield* connectClient(operator, client), yield* connectClient(operator, client)]
      const ids = yield* Effect.forEach(callers, ({ token }) => createRule(token))
      for (const [at, { token }] of callers.entries()) {
        assert.deepStrictEqual(
          yield* listRules(token),
          ids.map((id, index) => [id, "active", at === 0 || at === index])
        )
        const trail = yield* loadAuditLinesWithActor(operator.operatorId)
        for (const id of ids.filter((_, index) => at !== 0 && at !== index)) {
          for (const operation of CHANGES) {
            const { error_code, error_msg } = yield* call(token, operation, toChange(operation, id))
            assert.deepStrictEqual(
              [error_code, error_msg],
              [403, "id: only the application that created this rule, or the host, may change it."]
            )
          }
        }
        assert.deepStrictEqual(yield* loadAuditLinesWithActor(operator.operatorId), trail)
      }
      const [, own = 0, other = 0] = ids
      const [host, first] = callers
      for (const operation of CHANGES)
        assert.strictEqual((yield* call(first?.token, operation, toChange(operation, own))).error_code, 0)
      for (const operation of CHANGES)
        assert.strictEqual((yield* call(host?.token, operation, toChange(operation, other))).error_code, 0)
      assert.lengthOf(yield* listRules(operator.token), 1)
    })
  )

  it.effect("ends with its connection, and no other rule does", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator()
      const client = yield* createPartner()
      const [one, other] = [yield* connectClient(operator, client), yield* connectClient(operator, client)]
      const [ended, left, own] = [
        yield* createRule(one.token),
        yield* createRule(other.token),
        yield* createRule(operator.token)
      ]
      yield* disconnect(one)
      assert.deepStrictEqual(yield* listRules(operator.token), [
        [left, "active", true],
        [own, "active", true]
      ])
      const trail = yield* loadAuditLinesWithActor(operator.operatorId)
      assert.include(trail.slice(-2).join(), `automation_rule:${ended}`)
    })
  )

  it.effect(
    "is not created or changed by a connection that has ended, though its token is still taken for a moment",
    () =>
      Effect.gen(function* () {
        const operator = yield* createOperator()
        const one = yield* connectClient(operator, yield* createPartner())
        const id = yield* createRule(one.token)
        yield* endGrant(one)
        const before = [yield* listRules(operator.token), yield* loadAuditLinesWithActor(operator.operatorId)]
        for (const [operation, fields] of [
          ["create_automation_rule", ANSWER],
          ...CHANGES.map((operation) => [operation, toChange(operation, id)] as const)
        ] as const) {
          assert.deepInclude(
            yield* call(one.token, operation, fields),
            { error_code: 401, error_msg: "Invalid access token" },
            operation
          )
        }
        assert.deepStrictEqual(
          [yield* listRules(operator.token), yield* loadAuditLinesWithActor(operator.operatorId)],
          before
        )
      })
  )
})

layer(layerAutomationService)("what a rule of an application is about to do", (it) => {
  it.effect("is not done once the application is disconnected", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const one = yield* connectClient(host, yield* createPartner())
      const stay = yield* insertStay(host)
      const created = yield* call(one.token, "create_automation_rule", BEFORE_ARRIVAL_RULE)
      assert.strictEqual(created.error_code, 0, created.error_msg)
      yield* planAllDue
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), ["send_message waiting 2027-04-24T14:00:00.000Z"])
      yield* disconnect(one)
      // From that moment on it is not shown.
      assert.deepStrictEqual(yield* host.actions("message"), [])
      const runner = yield* makePlanRunner
      yield* TestClock.setTime(Date.parse("2027-04-24T14:00:00Z"))
      yield* runAllDue(runner)
      yield* planAllDue
      yield* runAllDue(runner)
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), [])
      assert.deepStrictEqual(yield* loadAutomaticMessages(stay.conversation), [])
    })
  )
})
