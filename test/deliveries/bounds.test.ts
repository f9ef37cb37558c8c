import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Queue, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { DeliveryQueue } from "../../src/deliveries/DeliveryQueue.ts"
import { deliver } from "../../src/deliveries/deliver.ts"
import type { TakenDelivery } from "../../src/deliveries/delivery.ts"
import { deliveryKeyOf } from "../../src/deliveries/message.ts"
import { Statistics } from "../../src/deliveries/Statistics.ts"
import { makeLooks, work } from "../../src/deliveries/workers.ts"
import {
  WEBHOOK_LEASE_MS,
  WEBHOOK_OLDER_EVENTS,
  WEBHOOK_POLL_MS,
  WEBHOOK_RESUMED_ROWS,
  WEBHOOK_SETTLE_RETRIES,
  WEBHOOK_SETTLE_RETRY_MS,
  WEBHOOK_STATISTICS_GROWTH,
  WEBHOOK_STATISTICS_ROWS,
  WEBHOOK_TRY_MS
} from "../../src/limits.ts"
import { freshOperator, typedClient, withToken } from "../harness.ts"
import { countStatements } from "../statements.ts"
import { receiver } from "./receiver.ts"
import { changes, deliveries, emptied, happened, layerScene, subscribed } from "./scene.ts"
import { answering, local } from "./sending.ts"

const apart = (count: number) => Array.from({ length: count }, (_, index) => changes(1, `transaction:${index}`)).flat()

layer(layerScene)("bounds of the queue", (it) => {
  it.effect(`a worker looks every ${WEBHOOK_POLL_MS} ms: the first try is made within a second`, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`TRUNCATE webhook_attempts, webhook_deliveries, webhook_subscriptions, events`
      const server = yield* receiver(answering(200))
      const { operator } = yield* subscribed(server.port)
      yield* Effect.provide(work, Statistics.layer, { local: true })
      const times = yield* Effect.replicateEffect(
        Effect.gen(function* () {
          yield* happened(operator, changes(1))
          const committed = performance.now()
          yield* Queue.take(server.requests)
          return performance.now() - committed
        }),
        5
      )
      // Four of five: this machine may have had something else to do.
      assert.isBelow(times.toSorted((one, other) => one - other)[3] ?? Number.POSITIVE_INFINITY, 1_000)
    }).pipe(TestClock.withLive)
  )

  it.effect(
    `a new subscription is kept from ${WEBHOOK_OLDER_EVENTS} events that wait to be handed out, not from more`,
    () =>
      Effect.gen(function* () {
        yield* emptied
        const looks = yield* makeLooks
        const operator = yield* freshOperator()
        const ids = yield* happened(operator, apart(WEBHOOK_OLDER_EVENTS))
        const first = yield* subscribed(1, { operator, path: "/first" })
        const [oneMore = 0] = yield* happened(operator, changes(1))
        const second = yield* subscribed(1, { operator, path: "/second" })
        while ((yield* looks.handOut).events > 0) {}
        assert.deepStrictEqual(
          (yield* deliveries(first)).map(({ eventId }) => eventId),
          [oneMore]
        )
        assert.deepStrictEqual(
          (yield* deliveries(second)).map(({ eventId }) => eventId),
          ids.toSorted((a, b) => a - b).slice(0, 1)
        )
      })
  )

  it.effect(`a change lets ${WEBHOOK_RESUMED_ROWS} deliveries go that wait for their next try, and no more`, () =>
    Effect.gen(function* () {
      yield* emptied
      const sql = yield* SqlClient.SqlClient
      const looks = yield* makeLooks
      const api = yield* typedClient
      const subscription = yield* subscribed(1)
      yield* happened(subscription.operator, apart(WEBHOOK_RESUMED_ROWS + 1))
      while ((yield* looks.handOut).events > 0) {}
      const later = new Date(Date.now() + 10 * WEBHOOK_LEASE_MS)
      yield* sql`UPDATE webhook_deliveries SET due_at = ${later}`
      yield* api.update_webhook({ id: subscription.id }).pipe(withToken(subscription.operator.token))
      const waiting = (yield* deliveries(subscription)).filter(({ dueAt }) => dueAt.getTime() === later.getTime())
      assert.strictEqual(waiting.length, 1)
    })
  )

  it.effect("statistics are renewed when deliveries have become several times as many", () =>
    Effect.gen(function* () {
      const statistics = yield* Statistics
      const statements = (deliveries: number) =>
        Effect.map(countStatements(statistics.grown(deliveries)), ([, count]) => count)
      assert.strictEqual(yield* statements(WEBHOOK_STATISTICS_ROWS - 1), 0)
      assert.isAbove(yield* statements(1), 0)
      assert.strictEqual(yield* statements(WEBHOOK_STATISTICS_ROWS * (WEBHOOK_STATISTICS_GROWTH - 1) - 1), 0)
      assert.isAbove(yield* statements(1), 0)
    }).pipe(Effect.provide(Statistics.layer, { local: true }))
  )
})

const DELIVERY: Omit<TakenDelivery, "url"> = {
  operatorId: 1,
  eventId: 2,
  subscriptionId: 3,
  attempt: 1,
  failures: 0,
  run: 1,
  event: "message_created",
  payload: {},
  queuedAt: new Date(0),
  secret: Redacted.make(`whsec_${"A".repeat(32)}`),
  formerSecret: null,
  secretToken: Redacted.make("token")
}

/** A queue whose database is away for so many times. */
const layerAway = (times: number, written: Array<number>) => {
  let asked = 0
  return Layer.effect(
    DeliveryQueue,
    Effect.map(DeliveryQueue, (queue) =>
      DeliveryQueue.of({
        ...queue,
        delivered: ({ delivery }) =>
          Effect.suspend(() => {
            if (asked++ < times) return Effect.die("away")
            written.push(delivery.eventId)
            return Effect.void
          })
      })
    )
  )
}

layer(layerScene)("what a receiver answered", (it) => {
  it.effect(`is written down by the ${WEBHOOK_SETTLE_RETRIES + 1}th time at the latest, within the lease`, () =>
    Effect.gen(function* () {
      assert.isBelow(WEBHOOK_TRY_MS + WEBHOOK_SETTLE_RETRIES * WEBHOOK_SETTLE_RETRY_MS, WEBHOOK_LEASE_MS)
      const server = yield* receiver(answering(200))
      const url = `http://127.0.0.1:${server.port}/`
      for (const [times, expected] of [
        [WEBHOOK_SETTLE_RETRIES, [2]],
        [WEBHOOK_SETTLE_RETRIES + 1, []]
      ] as const) {
        const written: Array<number> = []
        const trying = deliver({ ...DELIVERY, url }).pipe(
          Effect.provide(layerAway(times, written)),
          Effect.provide(local)
        )
        const fiber = yield* Effect.forkChild(trying)
        const received = yield* Queue.take(server.requests)
        assert.strictEqual(deliveryKeyOf(String(received.headers["webhook-id"]))?.eventId, 2)
        // The answer is on its way: time passes until the delivery is over.
        while (fiber.pollUnsafe() === undefined) {
          yield* TestClock.adjust(WEBHOOK_SETTLE_RETRY_MS)
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        }
        assert.deepStrictEqual(written, [...expected])
      }
    })
  )
})
