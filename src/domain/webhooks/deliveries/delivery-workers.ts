import { DateTime, Effect } from "effect"
import { NewEventNotifier } from "../../../jobs/events/NewEventNotifier.ts"
import { makeJobRunner } from "../../../jobs/job-runner.ts"
import { DUE_POLL_MS } from "../../../jobs/job-worker.ts"
import { repeatForever } from "../../../jobs/loop.ts"
import { pollWhenWoken } from "../../../jobs/polling.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { DeliveryQueue } from "./DeliveryQueue.ts"
import { deliveryJobs } from "./delivery-attempt.ts"
import { DISPATCH_BATCH_EVENTS, EventDispatcher } from "./EventDispatcher.ts"

/** Milliseconds between two polls for new events where no change wakes the worker, so that the first attempt is made within a second. */
export const EVENTS_POLL_MS = 500

/** Makes the polls of a worker: for new events, for due deliveries and for ended cooldowns. */
export const makeDeliveryPolls = Effect.gen(function* () {
  const dispatcher = yield* EventDispatcher
  const queue = yield* DeliveryQueue
  const newEvents = yield* NewEventNotifier
  const deliveries = yield* makeJobRunner(deliveryJobs)

  return {
    ...deliveries,

    /** Dispatches events to the feed and to their subscriptions. */
    dispatchEvents: Effect.gen(function* () {
      const dispatchResult = yield* dispatcher.dispatchNext(yield* DateTime.nowAsDate)
      yield* newEvents.notify(dispatchResult.operators)
      // A change without an event may have made pending deliveries due (a replay, a resumed subscription). Events without a subscriber
      // make no delivery due.
      if (dispatchResult.deliveries > 0 || dispatchResult.events === 0) yield* deliveries.notifyChanged
      return dispatchResult
    }),

    /** Starts a probe for each subscription whose cooldown is over. */
    endCooldowns: Effect.gen(function* () {
      const now = yield* DateTime.nowAsDate
      const subscriptions = yield* queue.findSubscriptionsToProbe(
        now,
        yield* deliveries.countFreeSlots,
        deliveries.inProgress
      )
      yield* Effect.forEach(subscriptions, (each) => deliveries.startClaimed(queue.claimProbe(now, each)), {
        discard: true
      })
    })
  }
})

/**
 * Dispatches events and sends their deliveries until the scope closes. Any number of processes may do so on one database. A change wakes
 * the dispatch. New deliveries and completed ones wake the claim.
 */
export const runDeliveryWorkers = Effect.gen(function* () {
  const { dispatchEvents, startPolling, endCooldowns } = yield* makeDeliveryPolls
  const { latch, wake } = yield* WakeUp
  const wakeLatch = yield* latch
  // Jobs that subscribers of events added are for other workers.
  const dispatchBatch = Effect.gen(function* () {
    const { events, followed } = yield* dispatchEvents
    if (followed > 0) yield* wake
    return events === DISPATCH_BATCH_EVENTS
  })
  yield* Effect.forkScoped(repeatForever("dispatching events", pollWhenWoken(wakeLatch, dispatchBatch, EVENTS_POLL_MS)))
  yield* startPolling
  yield* Effect.forkScoped(repeatForever("ending cooldowns", Effect.andThen(endCooldowns, Effect.sleep(DUE_POLL_MS))))
})
