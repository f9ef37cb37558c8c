import { DateTime, Effect } from "effect"
import { NewEventNotifier } from "../../../jobs/events/NewEventNotifier.ts"
import { repeatForever } from "../../../jobs/loop.ts"
import { pollWhenWoken } from "../../../jobs/polling.ts"
import { DUE_POLL_MS, makeTimedWorker } from "../../../jobs/timed-work.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { DeliveryQueue, MAX_DELIVERIES_IN_PROGRESS } from "./DeliveryQueue.ts"
import { sendClaimedDelivery } from "./delivery-attempt.ts"
import { DISPATCH_BATCH_EVENTS, EventDispatcher } from "./EventDispatcher.ts"

/** Milliseconds between two polls for new events where no change wakes the worker: the first try is made within a second. */
export const EVENTS_POLL_MS = 500

/** What a worker polls for: events to hand out, deliveries that are due, rests that are over. */
export const makeDeliveryPolls = Effect.gen(function* () {
  const dispatcher = yield* EventDispatcher
  const queue = yield* DeliveryQueue
  const newEvents = yield* NewEventNotifier
  const deliveries = yield* makeTimedWorker({
    name: "taking deliveries",
    maxInProgress: MAX_DELIVERIES_IN_PROGRESS,
    claim: queue.take,
    run: sendClaimedDelivery
  })

  return {
    ...deliveries,

    /** Hands out events to the feed and to their subscriptions. */
    dispatchEvents: Effect.gen(function* () {
      const dispatchResult = yield* dispatcher.dispatchNext(yield* DateTime.nowAsDate)
      yield* newEvents.notify(dispatchResult.operators)
      // A change without an event may have let deliveries go that waited (a replay, a resumed subscription). Events that
      // nobody wants are no reason to look.
      if (dispatchResult.deliveries > 0 || dispatchResult.events === 0) yield* deliveries.notifyChanged
      return dispatchResult
    }),

    /** Starts a probe for each subscription whose rest is over. */
    endCooldowns: Effect.gen(function* () {
      const now = yield* DateTime.nowAsDate
      const subscriptions = yield* queue.findSubscriptionsToProbe(
        now,
        yield* deliveries.countFreeSlots,
        deliveries.inProgress
      )
      yield* Effect.forEach(subscriptions, (each) => deliveries.startClaimed(queue.takeProbe(now, each)), {
        discard: true
      })
    })
  }
})

/**
 * Takes events from their record to their receivers, until the scope closes. Any number of processes may do so on one
 * database. Events are handed out when a change wakes the worker, deliveries taken whenever that made some or one ended.
 */
export const runDeliveryWorkers = Effect.gen(function* () {
  const { dispatchEvents, startPolling, endCooldowns } = yield* makeDeliveryPolls
  const { latch, wake } = yield* WakeUp
  const wakeLatch = yield* latch
  // What followers of events made to do is for other workers.
  const dispatchBatch = Effect.gen(function* () {
    const { events, followed } = yield* dispatchEvents
    if (followed > 0) yield* wake
    return events === DISPATCH_BATCH_EVENTS
  })
  yield* Effect.forkScoped(repeatForever("dispatching events", pollWhenWoken(wakeLatch, dispatchBatch, EVENTS_POLL_MS)))
  yield* startPolling
  yield* Effect.forkScoped(repeatForever("ending cooldowns", Effect.andThen(endCooldowns, Effect.sleep(DUE_POLL_MS))))
})
