import { assert, it, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../../../../migrations/index.ts"
import { DeliveryLog } from "../../../../src/domain/webhooks/deliveries/DeliveryLog.ts"
import { DeliveryQueue } from "../../../../src/domain/webhooks/deliveries/DeliveryQueue.ts"
import type { TakenDelivery } from "../../../../src/domain/webhooks/deliveries/delivery.ts"
import { EventDispatcher } from "../../../../src/domain/webhooks/deliveries/EventDispatcher.ts"
import { LEASE_MS } from "../../../../src/jobs/lease.ts"
import { layerInMemory } from "../../../../src/platform/database/embedded.ts"
import { migrate } from "../../../../src/platform/database/migrate.ts"
import {
  createSubscription,
  emptyDeliveryTables,
  HOLDING_FAILURES,
  layerDeliveryService,
  makeRepeatedEvents,
  recordEvents,
  type TestSubscription
} from "../../../support/domain/webhooks/deliveries/delivery-service.ts"
import { asSystemActor } from "../../../support/harness.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"

const date = Effect.map(Clock.currentTimeMillis, (now) => new Date(now))

const handOut = Effect.gen(function* () {
  const fanOut = yield* EventDispatcher
  return yield* fanOut.dispatchNext(yield* date)
})

/** The events that are taken now. */
const taken = Effect.gen(function* () {
  const queue = yield* DeliveryQueue
  return yield* queue.take(yield* date, 10, [])
})
const eventsTaken = Effect.map(taken, (deliveries) => deliveries.map(({ event_id }) => event_id))

/** Ends a delivery for good. */
const end = Effect.fnUntraced(function* (delivery: TakenDelivery | undefined) {
  if (delivery === undefined) return yield* Effect.die("nothing was due")
  const queue = yield* DeliveryQueue
  const now = yield* date
  const attempt = { outcome: "answered", status: 500, firstBytes: "", durationMs: 1 } as const
  yield* queue.fail(delivery, { startedAt: now, result: attempt }, undefined, now)
})

const replay = Effect.fnUntraced(function* ({ id }: TestSubscription) {
  const log = yield* DeliveryLog
  return yield* log.replay({ subscriptionId: id }, yield* date)
}, asSystemActor)

/** A subscription with one event that went wrong before, and another of the same record that is under way. */
const underWay = Effect.gen(function* () {
  yield* emptyDeliveryTables
  const subscription = yield* createSubscription(1)
  const [before = 0] = yield* recordEvents(subscription.operator, makeRepeatedEvents(1))
  yield* handOut
  yield* end((yield* taken)[0])
  yield* recordEvents(subscription.operator, makeRepeatedEvents(1))
  yield* handOut
  return { subscription, before, delivery: (yield* taken)[0] }
})

layer(DeliveryLog.layer.pipe(Layer.provideMerge(layerDeliveryService)))(
  withServerNote("a lane that empties while something comes into it"),
  (it) => {
    const check = (lastLeaves: "first" | "second") =>
      Effect.gen(function* () {
        const { subscription, delivery } = yield* underWay
        const [next = 0] = yield* recordEvents(subscription.operator, makeRepeatedEvents(1))
        yield* lastLeaves === "first" ? runOverlapping(end(delivery), handOut) : runOverlapping(handOut, end(delivery))
        assert.deepStrictEqual(yield* eventsTaken, [next])
      })
    it.effect.skipIf(!canOverlap)("is not lost: the last leaves, then the next is handed out", () => check("first"))
    it.effect.skipIf(!canOverlap)("is not lost: the next is handed out, then the last leaves", () => check("second"))

    const checkReplay = (lastLeaves: "first" | "second") =>
      Effect.gen(function* () {
        const { subscription, before, delivery } = yield* underWay
        yield* lastLeaves === "first"
          ? runOverlapping(end(delivery), replay(subscription))
          : runOverlapping(replay(subscription), end(delivery))
        assert.deepStrictEqual(yield* eventsTaken, [before])
      })
    it.effect.skipIf(!canOverlap)("is not lost: the last leaves, then one is replayed", () => checkReplay("first"))
    it.effect.skipIf(!canOverlap)("is not lost: one is replayed, then the last leaves", () => checkReplay("second"))
  }
)

it.effect(
  `a database from before lanes is brought into order, with what ${HOLDING_FAILURES} failures let go by itself`,
  () =>
    Effect.gen(function* () {
      yield* migrate(migrations.filter(({ id }) => id < 9))
      const sql = yield* SqlClient.SqlClient
      const now = yield* date
      const [operator] = yield* sql<{ id: number }>`
        INSERT INTO operators (name, time_zone, currency, created_at) VALUES ('Test', 'UTC', 'EUR', now()) RETURNING id`
      const operatorId = operator?.id ?? 0
      yield* sql`INSERT INTO webhook_receivers (operator_id, url, secret_token, created_at) VALUES (${operatorId}, 'u', 't', now())`
      const [subscription] = yield* sql<{ id: number }>`
        INSERT INTO webhook_subscriptions (operator_id, url, secret_token, events, secret, older_events, created_at, updated_at)
        VALUES (${operatorId}, 'u', 't', '{transaction_updated}', 's', '{}', now(), now()) RETURNING id`
      const waits = (id: number, record: string, failures: number, due: Date, state = "waiting") =>
        Effect.andThen(
          sql`INSERT INTO events (operator_id, id, event, record, payload, queued_at, fanned_out_at) OVERRIDING SYSTEM VALUE
            VALUES (${operatorId}, ${id}, 'transaction_updated', ${record}, '{}', ${now}, ${now})`,
          sql`INSERT INTO webhook_deliveries (operator_id, event_id, subscription_id, record, state, due_at, failures, settled_at)
            VALUES (${operatorId}, ${id}, ${subscription?.id ?? 0}, ${record}, ${state}, ${due}, ${failures},
              ${state === "waiting" ? null : now}::timestamptz)`
        )
      const later = new Date(now.getTime() + LEASE_MS)
      // One is held back by what its worker died with, one goes past what failed too often, and one is over.
      yield* waits(1, "transaction:1", HOLDING_FAILURES - 1, later)
      yield* waits(2, "transaction:1", 0, now)
      yield* waits(3, "transaction:2", HOLDING_FAILURES, now)
      yield* waits(4, "transaction:2", 0, now)
      yield* waits(5, "transaction:3", 0, now, "dead")
      yield* migrate(migrations)
      const queue = yield* DeliveryQueue
      const ids = (deliveries: ReadonlyArray<TakenDelivery>) => deliveries.map(({ event_id }) => event_id)
      assert.deepStrictEqual(ids(yield* queue.take(now, 10, [])), [3, 4])
      assert.deepStrictEqual(ids(yield* queue.take(new Date(later.getTime() - 1), 10, [])), [])
      assert.deepStrictEqual(ids(yield* queue.take(later, 1, [])), [1])
    }).pipe(Effect.provide(DeliveryQueue.layer.pipe(Layer.provideMerge(layerInMemory()))))
)
