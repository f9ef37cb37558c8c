import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { DeliveryLog } from "../../../../../src/domain/webhooks/deliveries/DeliveryLog.ts"
import { DeliveryQueue } from "../../../../../src/domain/webhooks/deliveries/DeliveryQueue.ts"
import type { TakenDelivery } from "../../../../../src/domain/webhooks/deliveries/delivery.ts"
import { deliver } from "../../../../../src/domain/webhooks/deliveries/delivery-attempt.ts"
import { FanOut } from "../../../../../src/domain/webhooks/deliveries/FanOut.ts"
import { Outbound } from "../../../../../src/domain/webhooks/deliveries/Outbound.ts"
import { applyDeliveryRetention } from "../../../../../src/domain/webhooks/deliveries/retention.ts"
import { WEBHOOK_CONCURRENT_DELIVERIES } from "../../../../../src/platform/limits.ts"
import { asSystemActor, typedClient, withToken } from "../../../harness.ts"
import { HOLDING_FAILURES, recordEvents, repeatEvent, type TestSubscription } from "./delivery-service.ts"

// What may befall the queue, step by step, and a worker whose every move is told.

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

export const SUBSCRIPTIONS = 2
const RECORDS = 3

const subscription = fc.nat(SUBSCRIPTIONS - 1)
const record = fc.nat(RECORDS - 1)
const which = fc.nat(9)
const told = <const Name extends string>(step: Name) => fc.record({ step: fc.constant(step) })
const ofSubscription = <const Name extends string>(step: Name) => fc.record({ step: fc.constant(step), subscription })

export const arbitraryStep = fc.oneof(
  { weight: 5, arbitrary: fc.record({ step: fc.constant("happen"), record, count: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 8, arbitrary: told("look") },
  { weight: 6, arbitrary: fc.record({ step: fc.constant("answer"), which, well: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ step: fc.constant("answer all"), well: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ step: fc.constant("hand back"), which }) },
  { weight: 3, arbitrary: told("kill") },
  { weight: 2, arbitrary: fc.record({ step: fc.constant("come back late"), which, well: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      step: fc.constant("wait"),
      millis: fc.constantFrom(1, SECOND, 15 * SECOND, 30 * SECOND, 75 * SECOND, 5 * MINUTE, HOUR, 13 * HOUR, 73 * HOUR)
    })
  },
  { weight: 2, arbitrary: ofSubscription("edit") },
  { weight: 1, arbitrary: ofSubscription("pause") },
  { weight: 2, arbitrary: ofSubscription("replay") },
  { weight: 1, arbitrary: ofSubscription("delete") },
  { weight: 1, arbitrary: told("clean") }
)
export type LivenessStep = typeof arbitraryStep extends fc.Arbitrary<infer S> ? S : never

/** A worker by hand: what it has taken waits for the test to say how it ends. */
export interface ModelWorker {
  readonly subscriptions: ReadonlyArray<TestSubscription>
  underWay: ReadonlyArray<TakenDelivery>
  /** What killed workers had under way: no longer this one's, and not written down. */
  lost: ReadonlyArray<TakenDelivery>
  deleted: ReadonlyArray<number>
}

export const makeModelWorker = (subscriptions: ReadonlyArray<TestSubscription>): ModelWorker => ({
  subscriptions,
  underWay: [],
  lost: [],
  deleted: []
})

const date = Effect.map(Clock.currentTimeMillis, (now) => new Date(now))

const answered = (delivery: TakenDelivery, well: boolean) =>
  deliver(delivery).pipe(
    Effect.provideService(Outbound, {
      post: () => Effect.succeed({ outcome: "answered", status: well ? 200 : 500, firstBytes: "", durationMs: 1 }),
      request: () => Effect.die("a delivery asks for nothing")
    })
  )

/** Fails if an event goes out while an earlier one of its record waits that has not failed too often. */
const inOrder = Effect.fnUntraced(function* (taken: ReadonlyArray<TakenDelivery>) {
  const sql = yield* SqlClient.SqlClient
  for (const { event_id, subscription_id, failures } of taken) {
    if (failures >= HOLDING_FAILURES) continue
    const [passed] = yield* sql<{ id: number }>`
      SELECT earlier.event_id AS id FROM webhook_deliveries mine JOIN webhook_deliveries earlier
        ON earlier.subscription_id = mine.subscription_id AND earlier.record = mine.record
        AND earlier.event_id < mine.event_id AND earlier.state = 'waiting'
        AND earlier.failures < ${HOLDING_FAILURES}
      WHERE mine.event_id = ${event_id} AND mine.subscription_id = ${subscription_id}`
    if (passed !== undefined) yield* Effect.die(`event ${event_id} passed ${passed.id}`)
  }
}, Effect.orDie)

/** Takes what is due, as a process does; answers how much that was. */
export const claimDue = Effect.fnUntraced(function* (worker: ModelWorker) {
  const queue = yield* DeliveryQueue
  const now = yield* date
  const taken = [...(yield* queue.take(now, SUBSCRIPTIONS * WEBHOOK_CONCURRENT_DELIVERIES, worker.underWay))]
  for (const rested of yield* queue.rested(now, SUBSCRIPTIONS, [...worker.underWay, ...taken])) {
    taken.push(...(yield* queue.takeProbe(now, rested)))
  }
  yield* inOrder(taken)
  worker.underWay = [...worker.underWay, ...taken]
  return taken.length
})

export const dispatchEvents = Effect.gen(function* () {
  const fanOut = yield* FanOut
  while ((yield* fanOut.dispatchNext(yield* date)).events > 0) {}
})

export const settleAll = Effect.fnUntraced(function* (worker: ModelWorker, well: boolean) {
  const mine = worker.underWay
  worker.underWay = []
  yield* Effect.forEach(mine, (delivery) => answered(delivery, well), { concurrency: "unbounded", discard: true })
})

export const killWorker = (worker: ModelWorker) => {
  worker.lost = [...worker.lost, ...worker.underWay]
  worker.underWay = []
}

const chosen = (deliveries: ReadonlyArray<TakenDelivery>, which: number): TakenDelivery | undefined =>
  deliveries[which % Math.max(deliveries.length, 1)]

/** Resumes the subscription with an empty change, unless it was deleted. */
export const resumeSubscription = Effect.fnUntraced(function* (
  worker: ModelWorker,
  { id, operator }: TestSubscription
) {
  if (worker.deleted.includes(id)) return
  const api = yield* typedClient
  yield* api.update_webhook({ id }).pipe(withToken(operator.token))
})

const remove = Effect.fnUntraced(function* (worker: ModelWorker, { id, operator }: TestSubscription) {
  if (worker.deleted.includes(id)) return
  const api = yield* typedClient
  yield* api.delete_webhook({ id }).pipe(withToken(operator.token))
  worker.deleted = [...worker.deleted, id]
})

const pause = Effect.fnUntraced(function* ({ id }: TestSubscription) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    UPDATE webhook_subscriptions SET health = '{"state": "paused", "failures": 9, "failingSince": 0}' WHERE id = ${id}`
})

export const runRetention = Effect.flatMap(date, applyDeliveryRetention)

export const applyStep = Effect.fnUntraced(function* (worker: ModelWorker, step: LivenessStep) {
  const [first] = worker.subscriptions
  const meant = "subscription" in step ? worker.subscriptions[step.subscription] : first
  if (meant === undefined) return yield* Effect.die("no subscription")
  switch (step.step) {
    case "happen":
      return yield* recordEvents(meant.operator, repeatEvent(step.count, `transaction:${step.record}`))
    case "look":
      return yield* Effect.andThen(dispatchEvents, claimDue(worker))
    case "answer": {
      const delivery = chosen(worker.underWay, step.which)
      if (delivery === undefined) return
      worker.underWay = worker.underWay.filter((each) => each !== delivery)
      return yield* answered(delivery, step.well)
    }
    case "answer all":
      return yield* settleAll(worker, step.well)
    case "hand back": {
      const delivery = chosen(worker.underWay, step.which)
      if (delivery === undefined) return
      worker.underWay = worker.underWay.filter((each) => each !== delivery)
      return yield* (yield* DeliveryQueue).handBack(delivery, yield* date)
    }
    case "kill":
      return killWorker(worker)
    case "come back late": {
      const delivery = chosen(worker.lost, step.which)
      return delivery === undefined ? undefined : yield* answered(delivery, step.well)
    }
    case "wait":
      return yield* TestClock.adjust(step.millis)
    case "edit":
      return yield* resumeSubscription(worker, meant)
    case "pause":
      return yield* pause(meant)
    case "replay":
      return yield* asSystemActor((yield* DeliveryLog).replay({ subscriptionId: meant.id }, yield* date))
    case "delete":
      return yield* remove(worker, meant)
    case "clean":
      return yield* runRetention
  }
})
