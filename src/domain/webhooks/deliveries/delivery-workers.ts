import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NewEventNotifier } from "../../../jobs/events/NewEventNotifier.ts"
import { makeJobRunner } from "../../../jobs/job-runner.ts"
import { DUE_POLL_MS } from "../../../jobs/job-worker.ts"
import { findNextDueJob, readNextDue } from "../../../jobs/next-due.ts"
import { pollWhenWoken } from "../../../jobs/polling.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { scheduleWork } from "../../../jobs/WorkSchedule.ts"
import { cooldownEndsSql } from "./claim-statements.ts"
import { DeliveryQueue } from "./DeliveryQueue.ts"
import { deliveryJobs } from "./delivery-attempt.ts"
import { DISPATCH_BATCH_EVENTS, EventDispatcher, eventBacklog } from "./EventDispatcher.ts"

/** The first attempt must start within a second of the event. */
export const EVENTS_POLL_MS = 500

export const makeDeliveryPolls = Effect.gen(function* () {
  const dispatcher = yield* EventDispatcher
  const queue = yield* DeliveryQueue
  const newEvents = yield* NewEventNotifier
  const deliveries = yield* makeJobRunner(deliveryJobs)

  return {
    ...deliveries,

    dispatchEvents: Effect.gen(function* () {
      const dispatchResult = yield* dispatcher.dispatchNext(yield* DateTime.nowAsDate)
      yield* newEvents.notify(dispatchResult.operators)
      // Without events, a replay or a resumed subscription may have woken the worker.
      if (dispatchResult.deliveries > 0 || dispatchResult.events === 0) yield* deliveries.notifyChanged
      return dispatchResult
    }),

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

export const runDeliveryWorkers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { dispatchEvents, startPolling, endCooldowns, awaitIdle } = yield* makeDeliveryPolls
  const { latch, wake } = yield* WakeUp
  const wakeLatch = yield* latch
  // Returns true if further events may be due.
  const dispatchBatch = Effect.gen(function* () {
    const { events, followed } = yield* dispatchEvents
    if (followed > 0) yield* wake
    return events === DISPATCH_BATCH_EVENTS
  })
  yield* scheduleWork({
    name: "dispatching events",
    iteration: pollWhenWoken(wakeLatch, dispatchBatch, EVENTS_POLL_MS),
    runDue: Effect.asVoid(Effect.repeat(dispatchBatch, { while: (hasMore) => hasMore })),
    findNextDue: (until) => findNextDueJob(sql, eventBacklog, until)
  })
  yield* startPolling
  yield* scheduleWork({
    name: "ending cooldowns",
    iteration: Effect.andThen(endCooldowns, Effect.sleep(DUE_POLL_MS)),
    runDue: Effect.andThen(endCooldowns, awaitIdle),
    findNextDue: (until) => readNextDue(sql`${cooldownEndsSql(sql, until)}`)
  })
})
