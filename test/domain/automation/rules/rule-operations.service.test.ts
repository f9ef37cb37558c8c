import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AUTOMATION_RULES_MAX } from "../../../../src/platform/limits.ts"
import { loadAuditLinesWithActor } from "../../../support/changes/audit-lines.ts"
import { callAsPerson } from "../../../support/console-caller.ts"
import { connectClient } from "../../../support/domain/webhooks/subscriptions/connected-client.ts"
import {
  call,
  callForResponse,
  createAccessToken,
  createOperator,
  dataOf,
  insertAccount,
  insertOrder,
  insertProperty,
  layerTest,
  typedClient,
  withToken
} from "../../../support/harness.ts"

const MESSAGE = {
  name: "Before arrival",
  action: "send_message",
  trigger: { event: "check_in", when: "before", hours: 24 },
  text: "See you, {{guest.first_name}}.",
  channel_types: ["direct"],
  nights: { min: 2 }
} as const
const REVIEW = {
  name: "After leaving",
  action: "review",
  trigger: { event: "check_out", when: "after", days: 1, at: "10:00" },
  score: 5,
  text: "A kind guest."
} as const
const ANSWER = { name: "Answers", action: "answer" } as const

const ready = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2027-05-01T10:00:00.5Z"))
  const operator = yield* createOperator()
  const api = yield* typedClient
  const as = withToken(operator.token)
  const listed = Effect.map(api.list_automation_rules({}).pipe(as), ({ rules }) => rules)
  return { ...operator, api, as, listed }
})

/** A stay with a door code that its guest may see from 15:00 of the day of check-in, in Berlin. */
const insertStayWithCode = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const property = yield* insertProperty(operatorId, "Harbour 1")
  const code = yield* insertOrder(operatorId, [{ propertyId: property, checkIn: "2027-05-10", checkOut: "2027-05-14" }])
  yield* sql`
    UPDATE stays SET guest_name = 'Ada Lovelace', lock_code = '4711', lock_code_visible_after = '15:00'
    WHERE operator_id = ${operatorId}`
  return code
}, Effect.orDie)

layer(layerTest)("a rule that the API creates", (it) => {
  it.effect("is listed as it was written, page by page, and acts from then on", () =>
    Effect.gen(function* () {
      const { api, as, readOnlyToken, operatorId } = yield* ready
      const property = yield* insertProperty(operatorId, "Harbour 1")
      const written = [{ ...MESSAGE, property_ids: [property] }, REVIEW, ANSWER]
      const ids = yield* Effect.forEach(written, (rule) =>
        Effect.map(api.create_automation_rule(rule).pipe(as), ({ rule_id }) => rule_id)
      )
      const createdAt = "2027-05-01T10:00:00Z"
      const shown = {
        state: "active",
        version: 1,
        manageable: true,
        active_since: createdAt,
        created_at: createdAt
      } as const
      const expected = written.map((rule, index) => ({ id: ids[index] ?? 0, ...rule, ...shown }))
      const all = yield* api.list_automation_rules({}).pipe(withToken(readOnlyToken))
      assert.deepStrictEqual<unknown>(all, { rules: expected, total: 3 })
      const page = yield* api.list_automation_rules({ offset: 1, limit: 1 }).pipe(as)
      assert.deepStrictEqual<unknown>(page, { rules: expected.slice(1, 2), total: 3 })
    })
  )

  it.effect("is one under its key, and is answered the same again", () =>
    Effect.gen(function* () {
      const { token, listed } = yield* ready
      const [first, second] = [
        yield* callForResponse(token, "create_automation_rule", ANSWER, "once"),
        yield* callForResponse(token, "create_automation_rule", ANSWER, "once")
      ]
      assert.strictEqual(first.envelope.error_code, 0)
      assert.deepStrictEqual(second.envelope.data, first.envelope.data)
      assert.strictEqual(second.headers["idempotent-replayed"], "true")
      const other = yield* callForResponse(token, "create_automation_rule", { ...ANSWER, name: "Others" }, "once")
      assert.strictEqual(other.envelope.error_code, 422)
      assert.lengthOf(yield* listed, 1)
    })
  )

  it.effect("is refused with the field that is wrong, and nothing is kept", () =>
    Effect.gen(function* () {
      const { token, listed, operatorId } = yield* ready
      const other = yield* createOperator()
      const foreign = yield* insertProperty(other.operatorId, "Harbour 1")
      const { trigger } = MESSAGE
      for (const [fields, expected] of [
        [{ ...MESSAGE, property_id: [1] }, "400 property_id: is an unknown field."],
        [{ ...MESSAGE, trigger: { ...trigger, day: 1 } }, "400 trigger.day: is an unknown field."],
        [{ ...MESSAGE, nights: { least: 2 } }, "400 nights.least: is an unknown field."],
        [{ ...MESSAGE, score: 5 }, '400 score: is not a field of the action "send_message".'],
        [{ ...ANSWER, trigger }, '400 trigger: is not a field of the action "answer".'],
        [
          { ...ANSWER, text: "Yes", score: 5 },
          '400 text: is not a field of the action "answer". score: is not a field of the action "answer".'
        ],
        [{ ...MESSAGE, text: null }, "400 text: is required."],
        [
          { ...MESSAGE, trigger: { ...trigger, days: 1, at: "09:00" } },
          "400 trigger: must have either hours, or days and at."
        ],
        [{ ...MESSAGE, trigger: { event: "check_in", when: "before" } }, "400 trigger.hours: is required."],
        [
          { ...MESSAGE, trigger: { event: "booking", when: "before", hours: 1 } },
          "422 trigger.when: must be one of after."
        ],
        [{ ...MESSAGE, text: "{{guest.nane}}" }, "422 text: {{guest.nane}}: is an unknown field."],
        [{ ...MESSAGE, nights: { min: 3, max: 2 } }, "422 nights.min: must not be above nights.max."],
        [{ ...ANSWER, property_ids: [foreign] }, `404 property_ids: no such property: ${foreign}.`]
      ] as const) {
        const { error_code, error_msg } = yield* call(token, "create_automation_rule", fields)
        assert.strictEqual(`${error_code} ${error_msg}`, expected)
      }
      assert.deepStrictEqual(yield* listed, [])
      assert.deepStrictEqual(yield* loadAuditLinesWithActor(operatorId), [])
    })
  )

  it.effect("is one of so many of its operator", () =>
    Effect.gen(function* () {
      const { operatorId, token, api, as } = yield* ready
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO automation_rules (operator_id, action, definition, state, since, created_at)
        SELECT ${operatorId}, 'answer', '{"name": "Answers", "action": "answer"}', 'active', now(), now()
        FROM generate_series(1, ${AUTOMATION_RULES_MAX - 1}::integer)`
      const { rule_id: id } = yield* api.create_automation_rule(ANSWER).pipe(as)
      const { error_code, error_msg } = yield* call(token, "create_automation_rule", ANSWER)
      assert.deepStrictEqual(
        [error_code, error_msg],
        [422, `automation_rule_limit: all ${AUTOMATION_RULES_MAX} rules are in use.`]
      )
      yield* api.delete_automation_rule({ id }).pipe(as)
      yield* api.create_automation_rule(ANSWER).pipe(as)
    })
  )

  it.effect("is paused, resumed and deleted, each as often as one likes", () =>
    Effect.gen(function* () {
      const { api, as, listed, operatorId } = yield* ready
      const { rule_id: id } = yield* api.create_automation_rule(MESSAGE).pipe(as)
      const states = Effect.map(listed, (rules) => rules.map(({ state }) => state))
      for (const change of [api.pause_automation_rule, api.pause_automation_rule]) {
        assert.deepStrictEqual(yield* change({ id }).pipe(as), {})
        assert.deepStrictEqual(yield* states, ["paused"])
      }
      for (const change of [api.resume_automation_rule, api.resume_automation_rule]) {
        assert.deepStrictEqual(yield* change({ id }).pipe(as), {})
        assert.deepStrictEqual(yield* states, ["active"])
      }
      assert.deepStrictEqual(yield* api.delete_automation_rule({ id }).pipe(as), {})
      assert.deepStrictEqual(yield* states, [])
      const trail = (yield* loadAuditLinesWithActor(operatorId)).join("\n")
      for (const operation of ["create", "pause", "resume", "delete"])
        assert.lengthOf(trail.match(new RegExp(`${operation}_automation_rule`, "g")) ?? [], 1, trail)
    })
  )

  it.effect("is not there for another operator, and not once it is deleted", () =>
    Effect.gen(function* () {
      const [mine, theirs] = [yield* ready, yield* ready]
      const { rule_id: foreign } = yield* theirs.api.create_automation_rule(MESSAGE).pipe(theirs.as)
      const { rule_id: deleted } = yield* mine.api.create_automation_rule(MESSAGE).pipe(mine.as)
      yield* mine.api.delete_automation_rule({ id: deleted }).pipe(mine.as)
      const stay_code = yield* insertStayWithCode(mine.operatorId)
      for (const id of [foreign, deleted, 4_000_000_000]) {
        for (const operation of [
          "pause_automation_rule",
          "resume_automation_rule",
          "delete_automation_rule",
          "test_automation_rule"
        ] as const) {
          const { error_code, error_msg } = yield* call(mine.token, operation, { id, stay_code })
          assert.deepStrictEqual([error_code, error_msg], [404, "id: no such rule."], operation)
        }
      }
      assert.deepInclude((yield* theirs.listed)[0], { id: foreign, state: "active" })
    })
  )
})

layer(layerTest)("a rule whose scope is null", (it) => {
  it.effect("is refused, because without the field it would cover more", () =>
    Effect.gen(function* () {
      const { token, listed } = yield* ready
      for (const field of ["property_ids", "channel_types", "nights"]) {
        const { error_code, error_msg } = yield* call(token, "create_automation_rule", { ...MESSAGE, [field]: null })
        assert.deepStrictEqual([error_code, error_msg.startsWith(`${field}: `)], [400, true], error_msg)
      }
      assert.deepStrictEqual(yield* listed, [])
    })
  )
})

layer(layerTest)("a rule that is tried on a stay", (it) => {
  it.effect("says when it acts, on whom and with what text, and changes nothing", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, token } = yield* ready
      const stay_code = yield* insertStayWithCode(operatorId)
      const { rule_id: id } = yield* api.create_automation_rule({ ...MESSAGE, nights: { min: 4 } }).pipe(as)
      const trail = yield* loadAuditLinesWithActor(operatorId)
      const expected = {
        rule_id: id,
        stay_code,
        state: "active",
        applies_to_stay: true,
        scheduled_at: "2027-05-09T13:00:00Z",
        timeliness: "early",
        text: "See you, Ada.",
        task: null,
        reason: null,
        guest_name: "Ada Lovelace",
        channel_type: "direct"
      } as const
      assert.deepStrictEqual<unknown>(yield* api.test_automation_rule({ id, stay_code }).pipe(as), expected)
      const { rule_id: longer } = yield* api.create_automation_rule({ ...MESSAGE, nights: { min: 5 } }).pipe(as)
      assert.deepStrictEqual<unknown>(yield* api.test_automation_rule({ id: longer, stay_code }).pipe(as), {
        ...expected,
        ...{ rule_id: longer, applies_to_stay: false, scheduled_at: null, timeliness: null, text: null },
        reason: "The rule does not cover the stay's property, channel or nights."
      })
      const other = yield* createOperator()
      const foreign = yield* insertStayWithCode(other.operatorId)
      const missing = yield* call(token, "test_automation_rule", { id, stay_code: foreign })
      assert.deepStrictEqual([missing.error_code, missing.error_msg], [404, "stay_code: no such stay."])
      assert.lengthOf(yield* loadAuditLinesWithActor(operatorId), trail.length + 1)
    })
  )

  it.effect("shows the address of the guest portal, which shows the code, to the main account alone", () =>
    Effect.gen(function* () {
      const { api, as, token, operatorId, accountId } = yield* ready
      const sql = yield* SqlClient.SqlClient
      const stay_code = yield* insertStayWithCode(operatorId)
      const portalToken = `lkguest_${operatorId}`
      yield* sql`UPDATE stays SET guide_token = ${portalToken} WHERE operator_id = ${operatorId}`
      const rule = { ...MESSAGE, text: "See {{stay.page}}" }
      const { rule_id: id } = yield* api.create_automation_rule(rule).pipe(as)
      const application = yield* connectClient({ operatorId, accountId })
      const textFor = (caller: string) =>
        Effect.map(Effect.flatMap(call(caller, "test_automation_rule", { id, stay_code }), dataOf), JSON.stringify)
      assert.include(yield* textFor(token), portalToken)
      const masked = yield* textFor(application.token)
      assert.notInclude(masked, portalToken)
      assert.include(masked, "••••")
    })
  )

  it.effect("shows the door code to the main account alone", () =>
    Effect.gen(function* () {
      const { api, as, token, operatorId, accountId } = yield* ready
      const stay_code = yield* insertStayWithCode(operatorId)
      const trigger = { event: "check_in", when: "after", hours: 0 } as const
      const text = "Door: {{stay.door_code}}, code {{stay.code}}"
      const { rule_id: id } = yield* api
        .create_automation_rule({ name: "Door", action: "send_message", trigger, text })
        .pipe(as)
      const sub = { operatorId, accountId: yield* insertAccount(operatorId, "sub", "Helper") }
      const [application, ofSub] = [yield* connectClient({ operatorId, accountId }), yield* connectClient(sub)]
      const tested = (caller: string) => Effect.flatMap(call(caller, "test_automation_rule", { id, stay_code }), dataOf)
      const atConsole = (account: typeof sub, role: "main" | "sub") =>
        Effect.flatMap(callAsPerson({ ...account, role }, "test_automation_rule", { id, stay_code }), dataOf)
      const shown = { text: `Door: 4711, code ${stay_code}`, reason: null }
      const hidden = { text: `Door: ••••, code ${stay_code}`, reason: null }
      assert.deepInclude(yield* tested(token), shown)
      assert.deepInclude(yield* atConsole({ operatorId, accountId }, "main"), shown)
      for (const other of [yield* createAccessToken(sub, "writable"), application.token, ofSub.token]) {
        const result = yield* tested(other)
        assert.deepInclude(result, hidden)
        assert.notInclude(JSON.stringify(result), "4711")
      }
      assert.deepInclude(yield* atConsole(sub, "sub"), hidden)
    })
  )
})
