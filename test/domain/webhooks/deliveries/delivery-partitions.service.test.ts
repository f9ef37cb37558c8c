import { assert, it, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../../../../migrations/index.ts"
import { DeliveryLog } from "../../../../src/domain/webhooks/deliveries/DeliveryLog.ts"
import { DeliveryQueue } from "../../../../src/domain/webhooks/deliveries/DeliveryQueue.ts"
import type { ClaimedDelivery } from "../../../../src/domain/webhooks/deliveries/delivery.ts"
import { EventDispatcher } from "../../../../src/domain/webhooks/deliveries/EventDispatcher.ts"
import { LEASE_MS } from "../../../../src/jobs/lease.ts"
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
import { layerEmptyDatabaseInMemory } from "../../../support/test-database.ts"

const date = Effect.map(Clock.currentTimeMillis, (now) => new Date(now))

const dispatchEvents = Effect.gen(function* () {
  const dispatcher = yield* EventDispatcher
  return yield* dispatcher.dispatchNext(yield* date)
})

/** Claims the due deliveries. */
const claimDue = Effect.gen(function* () {
  const queue = yield* DeliveryQueue
  return yield* queue.claim(yield* date, 10, [])
})
const claimedEventIds = Effect.map(claimDue, (deliveries) => deliveries.map(({ event_id }) => event_id))

/** Makes a delivery a dead letter. */
const deadLetter = Effect.fnUntraced(function* (delivery: ClaimedDelivery | undefined) {
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

/** Makes a subscription with a dead letter, and with a claimed delivery of the same record. */
const makeClaimedDelivery = Effect.gen(function* () {
  yield* emptyDeliveryTables
  const subscription = yield* createSubscription(1)
  const [before = 0] = yield* recordEvents(subscription.operator, makeRepeatedEvents(1))
  yield* dispatchEvents
  yield* deadLetter((yield* claimDue)[0])
  yield* recordEvents(subscription.operator, makeRepeatedEvents(1))
  yield* dispatchEvents
  return { subscription, before, delivery: (yield* claimDue)[0] }
})

layer(DeliveryLog.layer.pipe(Layer.provideMerge(layerDeliveryService)))(
  withServerNote("a queue partition that empties while a delivery is added"),
  (it) => {
    const check = (completed: "first" | "second") =>
      Effect.gen(function* () {
        const { subscription, delivery } = yield* makeClaimedDelivery
        const [next = 0] = yield* recordEvents(subscription.operator, makeRepeatedEvents(1))
        yield* completed === "first"
          ? runOverlapping(deadLetter(delivery), dispatchEvents)
          : runOverlapping(dispatchEvents, deadLetter(delivery))
        assert.deepStrictEqual(yield* claimedEventIds, [next])
      })
    it.effect.skipIf(!canOverlap)(
      "keeps the delivery: the last one is completed, then the next event is dispatched",
      () => check("first")
    )
    it.effect.skipIf(!canOverlap)(
      "keeps the delivery: the next event is dispatched, then the last one is completed",
      () => check("second")
    )

    const checkReplay = (completed: "first" | "second") =>
      Effect.gen(function* () {
        const { subscription, before, delivery } = yield* makeClaimedDelivery
        yield* completed === "first"
          ? runOverlapping(deadLetter(delivery), replay(subscription))
          : runOverlapping(replay(subscription), deadLetter(delivery))
        assert.deepStrictEqual(yield* claimedEventIds, [before])
      })
    it.effect.skipIf(!canOverlap)("keeps the delivery: the last one is completed, then an event is replayed", () =>
      checkReplay("first")
    )
    it.effect.skipIf(!canOverlap)("keeps the delivery: an event is replayed, then the last one is completed", () =>
      checkReplay("second")
    )
  }
)

it.effect(
  `the migration makes the queue partitions, with deliveries that ${HOLDING_FAILURES} failures no longer hold back`,
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
      const insertDelivery = (id: number, record: string, failures: number, due: Date, state = "waiting") =>
        Effect.andThen(
          sql`INSERT INTO events (operator_id, id, event, record, payload, queued_at, fanned_out_at) OVERRIDING SYSTEM VALUE
            VALUES (${operatorId}, ${id}, 'transaction_updated', ${record}, '{}', ${now}, ${now})`,
          sql`INSERT INTO webhook_deliveries (operator_id, event_id, subscription_id, record, state, due_at, failures, settled_at)
            VALUES (${operatorId}, ${id}, ${subscription?.id ?? 0}, ${record}, ${state}, ${due}, ${failures},
              ${state === "waiting" ? null : now}::timestamptz)`
        )
      const later = new Date(now.getTime() + LEASE_MS)
      // One is held back by the claimed delivery of a dead worker, one overtakes a delivery that failed too often, and one is a dead letter.
      yield* insertDelivery(1, "transaction:1", HOLDING_FAILURES - 1, later)
      yield* insertDelivery(2, "transaction:1", 0, now)
      yield* insertDelivery(3, "transaction:2", HOLDING_FAILURES, now)
      yield* insertDelivery(4, "transaction:2", 0, now)
      yield* insertDelivery(5, "transaction:3", 0, now, "dead")
      yield* migrate(migrations)
      const queue = yield* DeliveryQueue
      const ids = (deliveries: ReadonlyArray<ClaimedDelivery>) => deliveries.map(({ event_id }) => event_id)
      assert.deepStrictEqual(ids(yield* queue.claim(now, 10, [])), [3, 4])
      assert.deepStrictEqual(ids(yield* queue.claim(new Date(later.getTime() - 1), 10, [])), [])
      assert.deepStrictEqual(ids(yield* queue.claim(later, 1, [])), [1])
    }).pipe(Effect.provide(DeliveryQueue.layer.pipe(Layer.provideMerge(layerEmptyDatabaseInMemory))))
)
