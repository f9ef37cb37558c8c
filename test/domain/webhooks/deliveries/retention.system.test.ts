import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { makeDeliveryPolls } from "../../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import { applyDeliveryRetention } from "../../../../src/domain/webhooks/deliveries/retention.ts"
import { RETENTION_BATCH_ROWS, RETENTION_INTERVAL_MS } from "../../../../src/jobs/retention.ts"
import {
  EVENT_RETENTION_MS,
  WEBHOOK_DEAD_LETTER_AFTER_MS,
  WEBHOOK_DEAD_LETTER_RETENTION_MS,
  WEBHOOK_RETENTION_MS
} from "../../../../src/platform/limits.ts"
import {
  createSubscription,
  deliverAllDue,
  emptyDeliveryTables,
  layerDeliveryService,
  loadDeliveries,
  makeRepeatedEvents,
  recordEvents,
  type TestSubscription
} from "../../../support/domain/webhooks/deliveries/delivery-service.ts"
import { respondWith } from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { startReceiver } from "../../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { typedClient, withToken } from "../../../support/harness.ts"

const retained = (at: number) => applyDeliveryRetention(new Date(at))

const count = Effect.fnUntraced(function* (
  table: "events" | "webhook_attempts" | "webhook_deliveries" | "webhook_subscriptions"
) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ rows: number }>`SELECT count(*) AS rows FROM ${sql(table)}`
  return row?.rows ?? 0
}, Effect.orDie)

const healthOf = Effect.fnUntraced(function* (subscription: TestSubscription, health: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE webhook_subscriptions SET health = ${health}::jsonb WHERE id = ${subscription.id}`
}, Effect.orDie)

const states = (subscription: TestSubscription) =>
  Effect.map(loadDeliveries(subscription), (all) => all.map(({ state }) => state))

/** A subscription one event was delivered to, and when. */
const delivered = Effect.gen(function* () {
  yield* emptyDeliveryTables
  const polls = yield* makeDeliveryPolls
  const server = yield* startReceiver(respondWith(200))
  const subscription = yield* createSubscription(server.port)
  yield* recordEvents(subscription.operator, makeRepeatedEvents(1))
  yield* deliverAllDue(polls)
  return { subscription, polls, now: Date.now() }
})

layer(layerDeliveryService)("retention", (it) => {
  it.effect("keeps what was delivered for seven days, and its event, which the feed shows, for thirty", () =>
    Effect.gen(function* () {
      yield* delivered
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ at: Date }>`SELECT max(settled_at) AS at FROM webhook_deliveries`
      const settled = row?.at.getTime() ?? 0
      const [event] = yield* sql<{ at: Date }>`SELECT max(fanned_out_at) AS at FROM events`
      const shown = event?.at.getTime() ?? 0
      yield* retained(settled + WEBHOOK_RETENTION_MS - 1000)
      assert.strictEqual(yield* count("webhook_attempts"), 1)
      assert.strictEqual(yield* count("webhook_deliveries"), 1)
      assert.strictEqual(yield* count("events"), 1)
      yield* retained(settled + WEBHOOK_RETENTION_MS)
      assert.strictEqual(yield* count("webhook_attempts"), 0)
      assert.strictEqual(yield* count("webhook_deliveries"), 0)
      assert.strictEqual(yield* count("webhook_subscriptions"), 1)
      yield* retained(shown + EVENT_RETENTION_MS - 1)
      assert.strictEqual(yield* count("events"), 1)
      yield* retained(shown + EVENT_RETENTION_MS)
      assert.strictEqual(yield* count("events"), 0)
    })
  )

  it.effect("keeps an event that nobody has been told of, however old", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const { operator } = yield* createSubscription(1)
      yield* recordEvents(operator, makeRepeatedEvents(1))
      yield* retained(Date.now() + 10 * WEBHOOK_DEAD_LETTER_RETENTION_MS)
      assert.strictEqual(yield* count("events"), 1)
    })
  )

  it.effect("keeps a dead letter and its event for thirty days, its tries for seven", () =>
    Effect.gen(function* () {
      const { subscription } = yield* delivered
      const sql = yield* SqlClient.SqlClient
      const settled = new Date()
      yield* sql`UPDATE webhook_deliveries SET state = 'dead', settled_at = ${settled}`
      yield* retained(settled.getTime() + WEBHOOK_DEAD_LETTER_RETENTION_MS - 1)
      assert.deepStrictEqual(yield* states(subscription), ["dead"])
      assert.strictEqual(yield* count("events"), 1)
      assert.strictEqual(yield* count("webhook_attempts"), 0)
      yield* retained(settled.getTime() + WEBHOOK_DEAD_LETTER_RETENTION_MS)
      assert.deepStrictEqual(yield* states(subscription), [])
      assert.strictEqual(yield* count("events"), 0)
    })
  )

  it.effect("ends what was due for three days while its receiver rested or was paused, and nothing else", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const subscription = yield* createSubscription(1)
      yield* recordEvents(subscription.operator, makeRepeatedEvents(1))
      yield* polls.dispatchEvents
      const [waiting] = yield* loadDeliveries(subscription)
      const due = waiting?.due_at.getTime() ?? 0
      // Healthy: nobody was there to deliver it. It goes as soon as somebody is.
      yield* retained(due + 10 * WEBHOOK_DEAD_LETTER_AFTER_MS)
      assert.deepStrictEqual(yield* states(subscription), ["waiting"])
      yield* healthOf(subscription, '{"state": "paused", "failures": 9, "failingSince": 0}')
      yield* retained(due + WEBHOOK_DEAD_LETTER_AFTER_MS - 1)
      assert.deepStrictEqual(yield* states(subscription), ["waiting"])
      yield* retained(due + WEBHOOK_DEAD_LETTER_AFTER_MS)
      assert.deepStrictEqual(yield* states(subscription), ["dead"])
    })
  )

  it.effect(
    "clears what waits for a deleted subscription at once, and the subscription when nothing is left of it",
    () =>
      Effect.gen(function* () {
        const { subscription, polls, now } = yield* delivered
        const api = yield* typedClient
        yield* recordEvents(subscription.operator, makeRepeatedEvents(2))
        yield* polls.dispatchEvents
        yield* api.delete_webhook({ id: subscription.id }).pipe(withToken(subscription.operator.token))
        yield* retained(now)
        assert.deepStrictEqual(yield* states(subscription), ["delivered"])
        yield* retained(now + WEBHOOK_DEAD_LETTER_RETENTION_MS)
        assert.strictEqual(yield* count("webhook_subscriptions"), 1)
        yield* retained(now + WEBHOOK_DEAD_LETTER_RETENTION_MS + 2 * RETENTION_INTERVAL_MS)
        assert.strictEqual(yield* count("webhook_subscriptions"), 0)
      })
  )

  it.effect(`goes on beyond ${RETENTION_BATCH_ROWS} rows, a statement at a time`, () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const { operator } = yield* createSubscription(1, { events: ["message_created"] })
      yield* recordEvents(operator, makeRepeatedEvents(2 * RETENTION_BATCH_ROWS + 1))
      while ((yield* polls.dispatchEvents).events > 0) {}
      yield* retained(Date.now() + EVENT_RETENTION_MS + RETENTION_INTERVAL_MS)
      assert.strictEqual(yield* count("events"), 0)
    })
  )
})
