import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  type DeliveryFilter,
  DeliveryLog,
  REPLAY_BATCH_ROWS
} from "../../../../src/domain/webhooks/deliveries/DeliveryLog.ts"
import { DeliveryQueue } from "../../../../src/domain/webhooks/deliveries/DeliveryQueue.ts"
import type { ClaimedDelivery } from "../../../../src/domain/webhooks/deliveries/delivery.ts"
import { formatWebhookId, parseWebhookId } from "../../../../src/domain/webhooks/deliveries/delivery-message.ts"
import { makeDeliveryPolls } from "../../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import { LEASE_MS } from "../../../../src/jobs/lease.ts"
import { WEBHOOK_ATTEMPTS, WEBHOOK_TRIES_SHOWN } from "../../../../src/platform/limits.ts"
import { loadAuditLinesWithActor } from "../../../support/changes/audit-lines.ts"
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
import { type ReceivedRequest, startReceiver } from "../../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { asSystemActor, createOperator, typedClient, withToken } from "../../../support/harness.ts"

const idOf = ({ headers }: ReceivedRequest): string => String(headers["webhook-id"])

const replay = Effect.fnUntraced(function* (wanted: DeliveryFilter) {
  const log = yield* DeliveryLog
  return yield* log.replay(wanted, new Date(yield* Clock.currentTimeMillis))
}, asSystemActor)

const list = Effect.fnUntraced(function* (wanted: DeliveryFilter, most = 100) {
  const log = yield* DeliveryLog
  return (yield* log.list(wanted, most)).map(formatWebhookId)
})

/** Ends the tries of everything that waits, as if they had all failed. */
const buried = (subscription: TestSubscription) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      UPDATE webhook_deliveries SET state = 'dead', settled_at = now(), failures = ${WEBHOOK_ATTEMPTS}
      WHERE subscription_id = ${subscription.id} AND state = 'waiting'`
  ).pipe(Effect.orDie)

const records = (count: number) =>
  Array.from({ length: count }, (_, index) => makeRepeatedEvents(1, `transaction:${index}`)).flat()

layer(DeliveryLog.layer.pipe(Layer.provideMerge(layerDeliveryService)))("the log of deliveries", (it) => {
  it.effect("shows each with its tries, the latest first, of whom one asks for", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      yield* TestClock.setTime(Date.parse("2031-02-03T04:05:06Z"))
      const polls = yield* makeDeliveryPolls
      const server = yield* startReceiver(respondWith(418, "no coffee"))
      const operator = yield* createOperator()
      const one = yield* createSubscription(server.port, { operator, path: "/one" })
      const two = yield* createSubscription(server.port, { operator, path: "/two" })
      const other = yield* createSubscription(server.port, { path: "/other" })
      const [first = 0, second = 0] = yield* recordEvents(operator, records(2))
      const [third = 0] = yield* recordEvents(other.operator, records(1))
      yield* deliverAllDue(polls)
      yield* buried(two)
      const ids = (pairs: ReadonlyArray<readonly [number, TestSubscription]>) =>
        pairs.map(([event_id, { id }]) => formatWebhookId({ event_id, subscription_id: id }))
      assert.deepStrictEqual(
        yield* list({}),
        ids([
          [third, other],
          [second, two],
          [second, one],
          [first, two],
          [first, one]
        ])
      )
      assert.deepStrictEqual(yield* list({}, 1), ids([[third, other]]))
      assert.deepStrictEqual(yield* list({ operatorId: other.operator.operatorId }), ids([[third, other]]))
      assert.deepStrictEqual(
        yield* list({ subscriptionId: one.id }),
        ids([
          [second, one],
          [first, one]
        ])
      )
      assert.deepStrictEqual(
        yield* list({ deadLettersOnly: true }),
        ids([
          [second, two],
          [first, two]
        ])
      )
      const log = yield* DeliveryLog
      const [shown] = yield* log.list({ key: { event_id: first, subscription_id: one.id } }, 10)
      assert.deepInclude(shown ?? {}, { state: "waiting", event: "transaction_updated", url: one.url })
      const [attempt] = shown?.attempts ?? []
      assert.strictEqual(attempt?.started_at.getTime(), Date.parse("2031-02-03T04:05:06Z"))
      assert.deepInclude(attempt ?? {}, {
        attempt: 1,
        status: 418,
        reason: null,
        first_bytes: "no coffee",
        duration_ms: 0
      })
    })
  )
})

layer(DeliveryLog.layer.pipe(Layer.provideMerge(layerDeliveryService)))("the list of deliveries", (it) => {
  it.effect(`tells the latest ${WEBHOOK_TRIES_SHOWN} tries of each`, () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const [log, sql, polls] = [yield* DeliveryLog, yield* SqlClient.SqlClient, yield* makeDeliveryPolls]
      const subscription = yield* createSubscription(1)
      yield* recordEvents(subscription.operator, records(1))
      yield* polls.dispatchEvents
      const told = Effect.fnUntraced(function* (tries: number) {
        yield* sql`
          INSERT INTO webhook_attempts (operator_id, event_id, subscription_id, attempt, started_at, duration_ms, status)
          SELECT operator_id, event_id, subscription_id, attempt, now(), 1, 500
          FROM webhook_deliveries, generate_series(1, ${tries}) attempt
          WHERE subscription_id = ${subscription.id} ON CONFLICT DO NOTHING`
        const [delivery] = yield* log.list({ subscriptionId: subscription.id }, 1)
        return delivery?.attempts.map(({ attempt }) => attempt)
      })
      const numbers = Array.from({ length: WEBHOOK_TRIES_SHOWN + 1 }, (_, at) => at + 1)
      assert.deepStrictEqual(yield* told(WEBHOOK_TRIES_SHOWN), numbers.slice(0, -1))
      assert.deepStrictEqual(yield* told(WEBHOOK_TRIES_SHOWN + 1), numbers.slice(1))
    })
  )
})

layer(DeliveryLog.layer.pipe(Layer.provideMerge(layerDeliveryService)))("the oldest that waits", (it) => {
  const oldest = Effect.fnUntraced(function* (wanted: DeliveryFilter) {
    const log = yield* DeliveryLog
    return (yield* log.findOldestWaiting(wanted))?.event_id
  })

  it.effect("is what happened first of what was not delivered, of whom one asks for, unless that one was deleted", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const api = yield* typedClient
      const answers = yield* startReceiver(respondWith(200))
      const fails = yield* startReceiver(respondWith(500))
      const well = yield* createSubscription(answers.port)
      const badly = yield* createSubscription(fails.port)
      assert.isUndefined(yield* oldest({}))
      yield* recordEvents(well.operator, records(2))
      const [first = 0] = yield* recordEvents(badly.operator, makeRepeatedEvents(3))
      yield* deliverAllDue(polls)
      const [later = 0] = yield* recordEvents(well.operator, records(1))
      yield* polls.dispatchEvents
      assert.strictEqual(yield* oldest({}), first)
      assert.strictEqual(yield* oldest({ operatorId: well.operator.operatorId }), later)
      assert.strictEqual(yield* oldest({ subscriptionId: well.id, deadLettersOnly: true }), later)
      yield* api.delete_webhook({ id: badly.id }).pipe(withToken(badly.operator.token))
      assert.strictEqual(yield* oldest({}), later)
    })
  )
})

layer(DeliveryLog.layer.pipe(Layer.provideMerge(layerDeliveryService)))("a replay", (it) => {
  it.effect("sends one delivery again under its id, with all its tries before it", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const server = yield* startReceiver(respondWith(200))
      const subscription = yield* createSubscription(server.port)
      const [event_id = 0] = yield* recordEvents(subscription.operator, records(2))
      yield* deliverAllDue(polls)
      yield* Queue.clear(server.requests)
      const key = { event_id, subscription_id: subscription.id }
      const { operatorId } = subscription.operator
      const before = yield* loadAuditLinesWithActor(operatorId)
      assert.strictEqual(yield* replay({ key }), 1)
      assert.strictEqual(yield* replay({ key }), 0)
      const trail = [...before, `test: test webhook:${subscription.id} (deliveries)`]
      assert.deepStrictEqual(yield* loadAuditLinesWithActor(operatorId), trail)
      yield* deliverAllDue(polls)
      assert.deepStrictEqual((yield* Queue.clear(server.requests)).map(idOf), [formatWebhookId(key)])
      assert.deepInclude((yield* loadDeliveries(subscription))[0] ?? {}, { state: "delivered", attempts: 2 })
    })
  )

  it.effect("is not mistaken for done by a worker that comes back late", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const queue = yield* DeliveryQueue
      const subscription = yield* createSubscription(1)
      yield* recordEvents(subscription.operator, records(1))
      yield* polls.dispatchEvents
      const take = Effect.gen(function* () {
        const now = new Date(yield* Clock.currentTimeMillis)
        const [delivery] = yield* queue.claim(now, 1, [])
        return delivery ?? (yield* Effect.die("nothing was due"))
      })
      const success = (delivery: ClaimedDelivery) =>
        ({
          delivery,
          startedAt: new Date(),
          result: { outcome: "answered", status: 200, firstBytes: "", durationMs: 1 }
        }) as const
      const late = yield* take
      yield* TestClock.adjust(LEASE_MS)
      yield* queue.complete(success(yield* take))
      assert.strictEqual(yield* replay({ subscriptionId: subscription.id }), 1)
      yield* queue.complete(success(late))
      assert.deepInclude((yield* loadDeliveries(subscription))[0] ?? {}, { state: "waiting" })
    })
  )

  it.effect("of dead letters gives each all its tries again", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const server = yield* startReceiver(respondWith(200))
      const subscription = yield* createSubscription(server.port)
      yield* recordEvents(subscription.operator, records(3))
      yield* polls.dispatchEvents
      yield* buried(subscription)
      yield* recordEvents(subscription.operator, records(1))
      yield* deliverAllDue(polls)
      yield* Queue.clear(server.requests)
      assert.strictEqual(yield* replay({ deadLettersOnly: true, operatorId: subscription.operator.operatorId + 1 }), 0)
      assert.strictEqual(yield* replay({ deadLettersOnly: true, subscriptionId: subscription.id }), 3)
      assert.strictEqual(yield* replay({ deadLettersOnly: true }), 0)
      yield* deliverAllDue(polls)
      assert.strictEqual((yield* Queue.clear(server.requests)).length, 3)
      const kept = (yield* loadDeliveries(subscription)).map(({ state, failures }) => `${state} ${failures}`)
      assert.deepStrictEqual(new Set(kept), new Set(["delivered 0"]))
    })
  )

  it.effect("of a time span sends what happened in it, in the order of each record", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const server = yield* startReceiver(respondWith(200))
      const subscription = yield* createSubscription(server.port)
      const at = (time: string) => new Date(`2031-02-03T${time}Z`)
      yield* TestClock.setTime(at("10:00:00").getTime())
      yield* recordEvents(subscription.operator, makeRepeatedEvents(1))
      yield* TestClock.setTime(at("11:00:00").getTime())
      const within = yield* recordEvents(subscription.operator, makeRepeatedEvents(5))
      yield* TestClock.setTime(at("12:00:00").getTime())
      yield* recordEvents(subscription.operator, makeRepeatedEvents(1))
      yield* deliverAllDue(polls)
      yield* Queue.clear(server.requests)
      assert.strictEqual(yield* replay({ queuedFrom: at("11:00:00"), queuedUntil: at("12:00:00") }), 5)
      yield* deliverAllDue(polls)
      const order = (yield* Queue.clear(server.requests)).map((received) => parseWebhookId(idOf(received))?.event_id)
      assert.deepStrictEqual(order, within)
    })
  )

  it.effect(`leaves alone what still waits and what was deleted, and takes more than ${REPLAY_BATCH_ROWS}`, () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const api = yield* typedClient
      const subscription = yield* createSubscription(1)
      yield* recordEvents(subscription.operator, records(REPLAY_BATCH_ROWS + 1))
      while ((yield* polls.dispatchEvents).events > 0) {}
      assert.strictEqual(yield* replay({ operatorId: subscription.operator.operatorId }), 0)
      yield* buried(subscription)
      assert.strictEqual(yield* replay({ deadLettersOnly: true }), REPLAY_BATCH_ROWS + 1)
      yield* buried(subscription)
      yield* api.delete_webhook({ id: subscription.id }).pipe(withToken(subscription.operator.token))
      assert.strictEqual(yield* replay({ deadLettersOnly: true }), 0)
    })
  )
})
