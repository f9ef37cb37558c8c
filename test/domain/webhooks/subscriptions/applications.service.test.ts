import { assert, describe, it, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import { makeEndGrant } from "../../../../src/domain/access/oauth/grant-ending.ts"
import { canChangeWebhook } from "../../../../src/domain/webhooks/subscriptions/rules.ts"
import { loadAuditLinesWithActor } from "../../../support/changes/audit-lines.ts"
import {
  type ConnectedClient,
  connectClient,
  createPartner,
  endGrant
} from "../../../support/domain/webhooks/subscriptions/connected-client.ts"
import { fieldOfError } from "../../../support/error-messages.ts"
import {
  asSystemActor,
  call,
  callForResponse,
  createOperator,
  layerTest,
  typedClient,
  withToken
} from "../../../support/harness.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"

const URL_IN = "https://hooks.example.com/in"

/** What is kept of an operator's subscriptions, ended ones too. */
const kept = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{
    readonly id: number
    readonly application: string | null
    readonly account_id: number | null
    readonly grant_id: number | null
    readonly secret: string
    readonly url: string
    readonly events: ReadonlyArray<string>
    readonly deleted_at: Date | null
  }>`
    SELECT id, application, account_id, grant_id, secret, url, events, deleted_at
    FROM webhook_subscriptions WHERE operator_id = ${operatorId} ORDER BY id`
}, Effect.orDie)

const made = Effect.fnUntraced(function* (token: string) {
  const api = yield* typedClient
  return (yield* api.create_webhook({ url: URL_IN }).pipe(withToken(token))).webhook
}, Effect.orDie)

const manageable = Effect.fnUntraced(function* (token: string) {
  const api = yield* typedClient
  const { webhooks } = yield* api.list_webhooks({}).pipe(withToken(token))
  return webhooks.map(({ id, manageable }) => [id, manageable])
}, Effect.orDie)

describe("who may change a subscription", () => {
  const application = fc.string({ minLength: 1 })

  it("is the host, whoever made it, and the application that made it, and nobody else", () => {
    fc.assert(
      fc.property(fc.option(application), fc.option(application), (calling, made) => {
        assert.strictEqual(canChangeWebhook(null, made), true)
        if (calling !== null) assert.strictEqual(canChangeWebhook(calling, calling), true)
        if (calling !== null) assert.strictEqual(canChangeWebhook(calling, made), calling === made)
      })
    )
  })
})

layer(layerTest)("a subscription of an application", (it) => {
  it.effect("keeps who made it, and a host's own says that nobody else did", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator()
      const { operatorId, accountId } = operator
      const one = yield* connectClient(operator, yield* createPartner())
      const open = yield* connectClient(operator)
      for (const { token } of [operator, one, open]) yield* made(token)
      assert.deepStrictEqual(
        (yield* kept(operatorId)).map(({ application, account_id, grant_id }) => [application, account_id, grant_id]),
        [
          [null, accountId, null],
          [one.application, accountId, one.grantId],
          [`service_mcp:${open.grantId}`, accountId, open.grantId]
        ]
      )
    })
  )

  it.effect("is seen by everybody, and changed by it and the host alone", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator()
      const client = yield* createPartner()
      const [one, other] = [
        yield* connectClient(operator, client),
        yield* connectClient(operator, yield* createPartner())
      ]
      const [open, open2] = [yield* connectClient(operator), yield* connectClient(operator)]
      const owners = [operator, one, other, open, open2]
      const ids = yield* Effect.forEach(owners, ({ token }) => Effect.map(made(token), ({ id }) => id))
      for (const [at, { token }] of owners.entries()) {
        const all = yield* manageable(token)
        assert.deepStrictEqual(
          all,
          ids.map((id, made) => [id, at === 0 || at === made])
        )
        const before = yield* kept(operator.operatorId)
        for (const [id, may] of all.filter(([, may]) => !may)) {
          assert.isFalse(may)
          for (const operation of ["update_webhook", "delete_webhook"] as const) {
            const { error_code, error_msg } = yield* call(token, operation, { id, rotate_secret: true })
            assert.deepStrictEqual([error_code, fieldOfError({ error_msg })], [403, "id"])
          }
        }
        assert.deepStrictEqual(yield* kept(operator.operatorId), before)
      }
    })
  )

  it.effect("is changed, given a new secret and ended as a host's is, by it and by the host", () =>
    Effect.gen(function* () {
      const api = yield* typedClient
      const operator = yield* createOperator()
      const one = yield* connectClient(operator, yield* createPartner())
      for (const { token } of [one, operator]) {
        const { id } = yield* made(one.token)
        const as = withToken(token)
        const { webhook, secret } = yield* api
          .update_webhook({ id, events: ["review_created"], rotate_secret: true })
          .pipe(as)
        assert.deepStrictEqual(webhook.events, ["review_created"])
        assert.deepInclude((yield* kept(operator.operatorId)).at(-1), { id, secret: secret ?? "" })
        assert.deepInclude((yield* kept(operator.operatorId)).at(-1), { application: one.application })
        yield* api.delete_webhook({ id }).pipe(as)
        assert.deepStrictEqual(yield* manageable(token), [])
      }
    })
  )

  it.effect("of a partner that two accounts connected is one application's", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator()
      const client = yield* createPartner()
      const [one, again] = [yield* connectClient(operator, client), yield* connectClient(operator, client)]
      const { id } = yield* made(one.token)
      assert.deepStrictEqual(yield* manageable(again.token), [[id, true]])
    })
  )

  it.effect("of another operator is no more to be found by an application than by a host", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const [here, there] = [yield* createOperator(), yield* createOperator()]
      const one = yield* connectClient(here, client)
      const { id } = yield* made((yield* connectClient(there, client)).token)
      for (const { token } of [one, here]) {
        for (const operation of ["update_webhook", "delete_webhook"] as const) {
          assert.deepInclude(yield* call(token, operation, { id }), { error_code: 404 })
        }
      }
    })
  )

  it.effect("is answered about to the letter as a host's is", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator()
      const one = yield* connectClient(operator, yield* createPartner())
      const told = Effect.fnUntraced(function* (token: string) {
        const { id, created_at: _, ...webhook } = yield* made(token)
        const answers = yield* Effect.forEach(
          [
            ["create_webhook", { url: "http://hooks.example.com/" }],
            ["update_webhook", { id: 4_000_000_000 }],
            ["update_webhook", { id, events: [] }],
            ["delete_webhook", { id }],
            ["delete_webhook", { id }]
          ] as const,
          ([operation, fields]) => Effect.map(callForResponse(token, operation, fields), ({ envelope }) => envelope)
        )
        return { webhook, answers: answers.map(({ request_id: _, ...envelope }) => envelope) }
      })
      assert.deepStrictEqual(yield* told(one.token), yield* told(operator.token))
    })
  )
})

/** Ends the consent with all that came of it, as a host's disconnecting does. */
const disconnected = ({ operatorId, grantId }: ConnectedClient) =>
  Effect.gen(function* () {
    const [sql, now] = [yield* SqlClient.SqlClient, yield* DateTime.nowAsDate]
    yield* makeEndGrant(sql)({ operatorId, grantId, endedBy: "host", now })
  }).pipe(asSystemActor)

const INVALID = { error_code: 401, error_msg: "Invalid access token" }

layer(layerTest)("a consent that has ended", (it) => {
  it.effect("ends its subscriptions, and no others", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator()
      const client = yield* createPartner()
      const [one, other] = [yield* connectClient(operator, client), yield* connectClient(operator, client)]
      const [, , left] = [yield* made(one.token), yield* made(one.token), yield* made(other.token)]
      const own = yield* made(operator.token)
      yield* disconnected(one)
      assert.deepStrictEqual(yield* manageable(operator.token), [
        [left.id, true],
        [own.id, true]
      ])
    })
  )

  it.effect("makes, changes and deletes none, though its token is still taken for a moment", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator()
      const client = yield* createPartner()
      const [one, other] = [yield* connectClient(operator, client), yield* connectClient(operator, client)]
      const { id } = yield* made(other.token)
      yield* endGrant(one)
      const [before, trail] = [yield* kept(operator.operatorId), yield* loadAuditLinesWithActor(operator.operatorId)]
      for (const [operation, fields] of [
        ["create_webhook", { url: "https://hooks.example.com/elsewhere" }],
        ["update_webhook", { id, rotate_secret: true }],
        ["update_webhook", { id, url: "https://hooks.example.com/elsewhere" }],
        ["update_webhook", { id: 4_000_000_000 }],
        ["delete_webhook", { id }]
      ] as const) {
        assert.deepInclude(yield* call(one.token, operation, fields), INVALID, operation)
      }
      assert.deepStrictEqual(yield* kept(operator.operatorId), before)
      assert.deepStrictEqual(yield* loadAuditLinesWithActor(operator.operatorId), trail)
      const sql = yield* SqlClient.SqlClient
      const receivers = yield* sql`SELECT url FROM webhook_receivers WHERE operator_id = ${operator.operatorId}`
      assert.deepStrictEqual(receivers, [{ url: URL_IN }])
    })
  )

  it.effect("may be forgotten while its subscription waits for its deliveries to be", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const operator = yield* createOperator()
      const one = yield* connectClient(operator, yield* createPartner())
      yield* made(one.token)
      yield* disconnected(one)
      yield* sql`DELETE FROM access_tokens WHERE operator_id = ${one.operatorId} AND grant_id = ${one.grantId}`
      yield* sql`DELETE FROM oauth_grants WHERE operator_id = ${one.operatorId} AND id = ${one.grantId}`
      const [row] = yield* kept(operator.operatorId)
      assert.deepInclude(row, { grant_id: null, application: one.application })
      assert.isNotNull(row?.deleted_at)
    })
  )
})

describe.runIf(canOverlap)(withServerNote("a consent that ends while its application calls"), () => {
  layer(layerTest)((it) => {
    it.effect("ends also the subscription that was made just before", () =>
      Effect.gen(function* () {
        const operator = yield* createOperator()
        const one = yield* connectClient(operator, yield* createPartner())
        const [answer] = yield* runOverlapping(call(one.token, "create_webhook", { url: URL_IN }), disconnected(one))
        assert.deepInclude(answer, { error_code: 0 })
        assert.deepStrictEqual(yield* manageable(operator.token), [])
        assert.deepStrictEqual((yield* kept(operator.operatorId)).length, 1)
      })
    )

    it.effect("lets none be made just after", () =>
      Effect.gen(function* () {
        const operator = yield* createOperator()
        const one = yield* connectClient(operator, yield* createPartner())
        const [, answer] = yield* runOverlapping(disconnected(one), call(one.token, "create_webhook", { url: URL_IN }))
        assert.deepInclude(answer, INVALID)
        assert.deepStrictEqual(yield* kept(operator.operatorId), [])
      })
    )

    const changes = [
      ["update_webhook", { rotate_secret: true }],
      ["update_webhook", { url: "https://hooks.example.com/elsewhere" }],
      ["delete_webhook", {}]
    ] as const
    it.effect.each(changes)("lets none be changed just after: %s %j", ([operation, fields]) =>
      Effect.gen(function* () {
        const operator = yield* createOperator()
        const client = yield* createPartner()
        const [one, other] = [yield* connectClient(operator, client), yield* connectClient(operator, client)]
        const before: Array<Effect.Success<ReturnType<typeof kept>>[number] | undefined> = []
        for (const { token } of [one, other]) {
          const { id } = yield* made(token)
          before.push((yield* kept(operator.operatorId)).find((each) => each.id === id))
          const still = yield* connectClient(operator, client)
          const ending = token === one.token ? one : still
          const [, answer] = yield* runOverlapping(
            disconnected(ending),
            call(ending.token, operation, { id, ...fields })
          )
          assert.deepInclude(answer, INVALID)
        }
        const [ended, left] = yield* kept(operator.operatorId)
        assert.isNotNull(ended?.deleted_at)
        assert.deepStrictEqual(left, before[1])
        assert.isNull(left?.deleted_at)
      })
    )
  })
})
