import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { DeliveryLog } from "../../../../../src/domain/webhooks/deliveries/DeliveryLog.ts"
import { DeliveryQueue } from "../../../../../src/domain/webhooks/deliveries/DeliveryQueue.ts"
import type { ClaimedDelivery } from "../../../../../src/domain/webhooks/deliveries/delivery.ts"
import { EventDispatcher } from "../../../../../src/domain/webhooks/deliveries/EventDispatcher.ts"
import { OutboundHttp } from "../../../../../src/domain/webhooks/deliveries/OutboundHttp.ts"
import { applyDeliveryRetention } from "../../../../../src/domain/webhooks/deliveries/retention.ts"
import { WEBHOOK_CONCURRENT_DELIVERIES_MAX } from "../../../../../src/platform/limits.ts"
import { asSystemActor, typedClient, withToken } from "../../../harness.ts"
import {
  HOLDING_FAILURES,
  makeRepeatedEvents,
  recordEvents,
  sendClaimedDelivery,
  type TestSubscription
} from "./delivery-service.ts"

// What may befall the queue, step by step, and a worker whose every move is told.

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

export const SUBSCRIPTION_COUNT = 2
const RECORD_COUNT = 3

const arbitrarySubscription = fc.nat(SUBSCRIPTION_COUNT - 1)
const arbitraryRecord = fc.nat(RECORD_COUNT - 1)
const arbitraryIndex = fc.nat(9)
const arbitraryPlainStep = <const Name extends string>(step: Name) => fc.record({ step: fc.constant(step) })
const arbitrarySubscriptionStep = <const Name extends string>(step: Name) =>
  fc.record({ step: fc.constant(step), subscription: arbitrarySubscription })

export const arbitraryStep = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      step: fc.constant("happen"),
      record: arbitraryRecord,
      count: fc.integer({ min: 1, max: 4 })
    })
  },
  { weight: 8, arbitrary: arbitraryPlainStep("look") },
  { weight: 6, arbitrary: fc.record({ step: fc.constant("answer"), which: arbitraryIndex, well: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ step: fc.constant("answer all"), well: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ step: fc.constant("hand back"), which: arbitraryIndex }) },
  { weight: 3, arbitrary: arbitraryPlainStep("kill") },
  {
    weight: 2,
    arbitrary: fc.record({ step: fc.constant("come back late"), which: arbitraryIndex, well: fc.boolean() })
  },
  {
    weight: 6,
    arbitrary: fc.record({
      step: fc.constant("wait"),
      millis: fc.constantFrom(1, SECOND, 15 * SECOND, 30 * SECOND, 75 * SECOND, 5 * MINUTE, HOUR, 13 * HOUR, 73 * HOUR)
    })
  },
  { weight: 2, arbitrary: arbitrarySubscriptionStep("edit") },
  { weight: 1, arbitrary: arbitrarySubscriptionStep("pause") },
  { weight: 2, arbitrary: arbitrarySubscriptionStep("replay") },
  { weight: 1, arbitrary: arbitrarySubscriptionStep("delete") },
  { weight: 1, arbitrary: arbitraryPlainStep("clean") }
)
export type LivenessStep = typeof arbitraryStep extends fc.Arbitrary<infer S> ? S : never

/** A worker by hand: what it has taken waits for the test to say how it ends. */
export interface ModelWorker {
  readonly subscriptions: ReadonlyArray<TestSubscription>
  claimedDeliveries: ReadonlyArray<ClaimedDelivery>
  /** What killed workers had under way: no longer this one's, and not written down. */
  lostDeliveries: ReadonlyArray<ClaimedDelivery>
  deletedSubscriptionIds: ReadonlyArray<number>
}

export const makeModelWorker = (subscriptions: ReadonlyArray<TestSubscription>): ModelWorker => ({
  subscriptions,
  claimedDeliveries: [],
  lostDeliveries: [],
  deletedSubscriptionIds: []
})

const currentDate = Effect.map(Clock.currentTimeMillis, (now) => new Date(now))

const completeDelivery = (delivery: ClaimedDelivery, isSuccess: boolean) =>
  sendClaimedDelivery(delivery).pipe(
    Effect.provideService(OutboundHttp, {
      post: () => Effect.succeed({ outcome: "answered", status: isSuccess ? 200 : 500, firstBytes: "", durationMs: 1 }),
      request: () => Effect.die("a delivery asks for nothing")
    })
  )

/** Fails if an event goes out while an earlier one of its record waits that has not failed too often. */
const assertRecordOrder = Effect.fnUntraced(function* (deliveries: ReadonlyArray<ClaimedDelivery>) {
  const sql = yield* SqlClient.SqlClient
  for (const { event_id, subscription_id, failures } of deliveries) {
    if (failures >= HOLDING_FAILURES) continue
    const [earlierEvent] = yield* sql<{ id: number }>`
      SELECT earlier.event_id AS id FROM webhook_deliveries mine JOIN webhook_deliveries earlier
        ON earlier.subscription_id = mine.subscription_id AND earlier.record = mine.record
        AND earlier.event_id < mine.event_id AND earlier.state = 'waiting'
        AND earlier.failures < ${HOLDING_FAILURES}
      WHERE mine.event_id = ${event_id} AND mine.subscription_id = ${subscription_id}`
    if (earlierEvent !== undefined) yield* Effect.die(`event ${event_id} passed ${earlierEvent.id}`)
  }
}, Effect.orDie)

/** Takes what is due, as a process does; answers how much that was. */
export const claimDue = Effect.fnUntraced(function* (worker: ModelWorker) {
  const queue = yield* DeliveryQueue
  const now = yield* currentDate
  const deliveries = [
    ...(yield* queue.claim(now, SUBSCRIPTION_COUNT * WEBHOOK_CONCURRENT_DELIVERIES_MAX, worker.claimedDeliveries))
  ]
  for (const cooledDown of yield* queue.findSubscriptionsToProbe(now, SUBSCRIPTION_COUNT, [
    ...worker.claimedDeliveries,
    ...deliveries
  ])) {
    deliveries.push(...(yield* queue.claimProbe(now, cooledDown)))
  }
  yield* assertRecordOrder(deliveries)
  worker.claimedDeliveries = [...worker.claimedDeliveries, ...deliveries]
  return deliveries.length
})

export const dispatchEvents = Effect.gen(function* () {
  const fanOut = yield* EventDispatcher
  while ((yield* fanOut.dispatchNext(yield* currentDate)).events > 0) {}
})

export const completeAllClaimed = Effect.fnUntraced(function* (worker: ModelWorker, isSuccess: boolean) {
  const deliveries = worker.claimedDeliveries
  worker.claimedDeliveries = []
  yield* Effect.forEach(deliveries, (delivery) => completeDelivery(delivery, isSuccess), {
    concurrency: "unbounded",
    discard: true
  })
})

export const killWorker = (worker: ModelWorker) => {
  worker.lostDeliveries = [...worker.lostDeliveries, ...worker.claimedDeliveries]
  worker.claimedDeliveries = []
}

const pickDelivery = (deliveries: ReadonlyArray<ClaimedDelivery>, index: number): ClaimedDelivery | undefined =>
  deliveries[index % Math.max(deliveries.length, 1)]

/** Resumes the subscription with an empty change, unless it was deleted. */
export const resumeSubscription = Effect.fnUntraced(function* (
  worker: ModelWorker,
  { id, operator }: TestSubscription
) {
  if (worker.deletedSubscriptionIds.includes(id)) return
  const api = yield* typedClient
  yield* api.update_webhook({ id }).pipe(withToken(operator.token))
})

const deleteSubscription = Effect.fnUntraced(function* (worker: ModelWorker, { id, operator }: TestSubscription) {
  if (worker.deletedSubscriptionIds.includes(id)) return
  const api = yield* typedClient
  yield* api.delete_webhook({ id }).pipe(withToken(operator.token))
  worker.deletedSubscriptionIds = [...worker.deletedSubscriptionIds, id]
})

const pauseSubscription = Effect.fnUntraced(function* ({ id }: TestSubscription) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    UPDATE webhook_subscriptions SET health = '{"state": "paused", "failures": 9, "failingSince": 0}' WHERE id = ${id}`
})

export const runRetention = Effect.flatMap(currentDate, applyDeliveryRetention)

export const applyStep = Effect.fnUntraced(function* (worker: ModelWorker, step: LivenessStep) {
  const [first] = worker.subscriptions
  const subscription = "subscription" in step ? worker.subscriptions[step.subscription] : first
  if (subscription === undefined) return yield* Effect.die("no subscription")
  switch (step.step) {
    case "happen":
      return yield* recordEvents(subscription.operator, makeRepeatedEvents(step.count, `transaction:${step.record}`))
    case "look":
      return yield* Effect.andThen(dispatchEvents, claimDue(worker))
    case "answer": {
      const delivery = pickDelivery(worker.claimedDeliveries, step.which)
      if (delivery === undefined) return
      worker.claimedDeliveries = worker.claimedDeliveries.filter((each) => each !== delivery)
      return yield* completeDelivery(delivery, step.well)
    }
    case "answer all":
      return yield* completeAllClaimed(worker, step.well)
    case "hand back": {
      const delivery = pickDelivery(worker.claimedDeliveries, step.which)
      if (delivery === undefined) return
      worker.claimedDeliveries = worker.claimedDeliveries.filter((each) => each !== delivery)
      return yield* (yield* DeliveryQueue).release(delivery, yield* currentDate)
    }
    case "kill":
      return killWorker(worker)
    case "come back late": {
      const delivery = pickDelivery(worker.lostDeliveries, step.which)
      return delivery === undefined ? undefined : yield* completeDelivery(delivery, step.well)
    }
    case "wait":
      return yield* TestClock.adjust(step.millis)
    case "edit":
      return yield* resumeSubscription(worker, subscription)
    case "pause":
      return yield* pauseSubscription(subscription)
    case "replay":
      return yield* asSystemActor((yield* DeliveryLog).replay({ subscriptionId: subscription.id }, yield* currentDate))
    case "delete":
      return yield* deleteSubscription(worker, subscription)
    case "clean":
      return yield* runRetention
  }
})
