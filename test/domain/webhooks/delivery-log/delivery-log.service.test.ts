import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { parseWebhookId } from "../../../../src/domain/webhooks/deliveries/delivery-message.ts"
import { WEBHOOK_TESTS_A_MINUTE } from "../../../../src/platform/limits.ts"
import { connectClient } from "../../../support/domain/webhooks/subscriptions/connected-client.ts"
import {
  call,
  callForResponse,
  createAccessToken,
  createOperator,
  insertAccount,
  layerTest,
  typedClient,
  withToken
} from "../../../support/harness.ts"
import { insertDeliveries } from "../../../support/webhook-deliveries.ts"

/** An operator with a webhook to which two events were delivered; `later` is what the later delivery is called. */
const makeWebhookWithDeliveries = Effect.gen(function* () {
  const operator = yield* createOperator()
  const api = yield* typedClient
  const as = withToken(operator.token)
  const { webhook } = yield* api.create_webhook({ url: "https://hooks.example.com/in" }).pipe(as)
  const income = { direction: "income", amount: 5, currency: "EUR", item_id: 11, payment_method_id: 197 } as const
  const { property_id } = yield* api.create_property({ title: "Harbour 1" }).pipe(as)
  for (const _ of [1, 2]) yield* api.create_transaction({ ...income, property_id }).pipe(as)
  return { operator, as, api, id: webhook.id, later: yield* insertDeliveries(operator.operatorId, webhook.id) }
}).pipe(Effect.orDie)

/** The token of a sub-account of the operator, whose name is Marta. */
const createSubAccountToken = Effect.fnUntraced(function* (operatorId: number) {
  const accountId = yield* insertAccount(operatorId, "sub", "Marta")
  return yield* createAccessToken({ operatorId, accountId }, "writable")
})

layer(layerTest)("the deliveries of a webhook", (it) => {
  it.effect("are listed the latest first, page by page", () =>
    Effect.gen(function* () {
      const { as, api, id, later } = yield* makeWebhookWithDeliveries
      const { deliveries } = yield* api.list_webhook_deliveries({ id }).pipe(as)
      assert.deepStrictEqual(
        deliveries.map((each) => [each.state, each.attempts.length, each.next_attempt_at]),
        [
          ["delivered", 1, null],
          ["delivered", 1, null]
        ]
      )
      const [first, second] = deliveries
      assert.strictEqual(first?.id, later)
      assert.isAbove(parseWebhookId(first?.id ?? "")?.event_id ?? 0, parseWebhookId(second?.id ?? "")?.event_id ?? 0)
      const page = yield* api.list_webhook_deliveries({ id, before: later, limit: 1 }).pipe(as)
      assert.deepStrictEqual(page.deliveries, deliveries.slice(1))
      const end = yield* api.list_webhook_deliveries({ id, before: second?.id ?? "" }).pipe(as)
      assert.deepStrictEqual(end.deliveries, [])
    })
  )

  it.effect("have the state dead_letter once all attempts have failed", () =>
    Effect.gen(function* () {
      const { operator, as, api, id } = yield* makeWebhookWithDeliveries
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE webhook_deliveries SET state = 'dead' WHERE operator_id = ${operator.operatorId}`
      const { deliveries } = yield* api.list_webhook_deliveries({ id }).pipe(as)
      assert.deepStrictEqual(
        deliveries.map(({ state, next_attempt_at }) => [state, next_attempt_at]),
        [
          ["dead_letter", null],
          ["dead_letter", null]
        ]
      )
    })
  )

  it.effect("are those of the webhook that is named, and the cursor is one of its own", () =>
    Effect.gen(function* () {
      const { operator, as, api, id, later } = yield* makeWebhookWithDeliveries
      const { webhook } = yield* api.create_webhook({ url: "https://hooks.example.com/second" }).pipe(as)
      const none = yield* api.list_webhook_deliveries({ id: webhook.id }).pipe(as)
      assert.deepStrictEqual(none.deliveries, [])
      for (const before of [later, "evt_0_1", "x"]) {
        const { error_code, error_msg } = yield* call(operator.token, "list_webhook_deliveries", {
          id: webhook.id,
          before
        })
        assert.strictEqual(error_code, 404)
        assert.match(error_msg, /^before: /)
      }
      yield* api.delete_webhook({ id }).pipe(as)
      assert.strictEqual((yield* call(operator.token, "list_webhook_deliveries", { id })).error_code, 404)
    })
  )

  it.effect("are sent again once under a key; one that waits goes by itself", () =>
    Effect.gen(function* () {
      const { operator, as, api, id, later } = yield* makeWebhookWithDeliveries
      const replay = callForResponse(operator.token, "replay_webhook_delivery", { id: later }, "again")
      for (const replayed of [undefined, "true"]) {
        const { envelope, headers } = yield* replay
        assert.deepStrictEqual([envelope.error_code, headers["idempotent-replayed"]], [0, replayed])
      }
      const { deliveries } = yield* api.list_webhook_deliveries({ id, limit: 1 }).pipe(as)
      assert.strictEqual(deliveries[0]?.state, "pending")
      assert.isString(deliveries[0]?.next_attempt_at)
      const { error_code, error_msg } = yield* call(operator.token, "replay_webhook_delivery", { id: later })
      assert.deepStrictEqual([error_code, /^id: /.test(error_msg)], [409, true])
      for (const unknown of ["x", `evt_1_${id}`])
        assert.strictEqual((yield* call(operator.token, "replay_webhook_delivery", { id: unknown })).error_code, 404)
    })
  )

  it.effect("are not there for a sub-account that did not make the webhook, nor is what is done with them", () =>
    Effect.gen(function* () {
      const { operator, id, later } = yield* makeWebhookWithDeliveries
      const token = yield* createSubAccountToken(operator.operatorId)
      const codes = yield* Effect.forEach(
        [
          call(token, "list_webhook_deliveries", { id }),
          call(token, "test_webhook", { id }),
          call(token, "replay_webhook_delivery", { id: later })
        ],
        (answer) => Effect.map(answer, ({ error_code }) => error_code)
      )
      assert.deepStrictEqual(codes, [403, 403, 404])
      const own = yield* (yield* typedClient)
        .create_webhook({ url: "https://hooks.example.com/own" })
        .pipe(withToken(token))
      assert.strictEqual((yield* call(token, "list_webhook_deliveries", { id: own.webhook.id })).error_code, 0)
      assert.strictEqual((yield* call(operator.token, "test_webhook", { id: own.webhook.id })).error_code, 0)
    })
  )

  it.effect("are not there for an application whose own account made the webhook without it", () =>
    Effect.gen(function* () {
      const { operator, id, later } = yield* makeWebhookWithDeliveries
      const { token } = yield* connectClient(operator)
      const codes = yield* Effect.forEach(
        [
          call(token, "list_webhook_deliveries", { id }),
          call(token, "test_webhook", { id }),
          call(token, "replay_webhook_delivery", { id: later })
        ],
        (answer) => Effect.map(answer, ({ error_code }) => error_code)
      )
      assert.deepStrictEqual(codes, [403, 403, 404])
    })
  )

  it.effect(`have test events beside them, ${WEBHOOK_TESTS_A_MINUTE} a minute of an operator`, () =>
    Effect.gen(function* () {
      const { operator, as, api, id } = yield* makeWebhookWithDeliveries
      for (let count = 0; count < WEBHOOK_TESTS_A_MINUTE; count += 1)
        assert.strictEqual((yield* api.test_webhook({ id }).pipe(as)).status, 204)
      const { envelope, headers } = yield* callForResponse(operator.token, "test_webhook", { id })
      assert.strictEqual(envelope.error_code, 429)
      assert.isAbove(Number(headers["retry-after"]), 0)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* call(operator.token, "test_webhook", { id })).error_code, 0)
      const { deliveries } = yield* api.list_webhook_deliveries({ id }).pipe(as)
      assert.strictEqual(deliveries.length, 2)
    })
  )
})
