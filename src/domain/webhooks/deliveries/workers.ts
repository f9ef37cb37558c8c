import { DateTime, Effect } from "effect"
import { NewEvents } from "../../../jobs/events/NewEvents.ts"
import { loop } from "../../../jobs/loop.ts"
import { whenWoken } from "../../../jobs/polls.ts"
import { DUE_POLL_MS, makeTimedWork } from "../../../jobs/timed-work.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { DeliveryQueue, UNDER_WAY } from "./DeliveryQueue.ts"
import { deliver } from "./deliver.ts"
import { FAN_OUT_EVENTS, FanOut } from "./FanOut.ts"

/** Milliseconds between two polls for new events where no change wakes the worker: the first try is made within a second. */
export const EVENTS_POLL_MS = 500

/** What a worker polls for: events to hand out, deliveries that are due, rests that are over. */
export const makePolls = Effect.gen(function* () {
  const fanOut = yield* FanOut
  const queue = yield* DeliveryQueue
  const news = yield* NewEvents
  const deliveries = yield* makeTimedWork({
    what: "taking deliveries",
    room: UNDER_WAY,
    take: queue.take,
    run: deliver
  })

  return {
    ...deliveries,

    /** Hands out events to the feed and to their subscriptions. */
    handOut: Effect.gen(function* () {
      const handed = yield* fanOut.next(yield* DateTime.nowAsDate)
      yield* news.tell(handed.operators)
      // A change without an event may have let deliveries go that waited (a replay, a resumed subscription). Events that
      // nobody wants are no reason to look.
      if (handed.deliveries > 0 || handed.events === 0) yield* deliveries.changed
      return handed
    }),

    /** Starts a probe for each subscription whose rest is over. */
    endRests: Effect.gen(function* () {
      const now = yield* DateTime.nowAsDate
      const rested = yield* queue.rested(now, yield* deliveries.room, deliveries.underWay)
      yield* Effect.forEach(rested, (each) => deliveries.startAll(queue.takeProbe(now, each)), { discard: true })
    })
  }
})

/**
 * Takes events from their record to their receivers, until the scope closes. Any number of processes may do so on one
 * database. Events are handed out when a change wakes the worker, deliveries taken whenever that made some or one ended.
 */
export const work = Effect.gen(function* () {
  const { handOut, polling, endRests } = yield* makePolls
  const { latch, wake } = yield* WakeUp
  const woken = yield* latch
  // What followers of events made to do is for other workers.
  const more = Effect.gen(function* () {
    const { events, followed } = yield* handOut
    if (followed > 0) yield* wake
    return events === FAN_OUT_EVENTS
  })
  yield* Effect.forkScoped(loop("dispatching events", whenWoken(woken, more, EVENTS_POLL_MS)))
  yield* polling
  yield* Effect.forkScoped(loop("ending rests", Effect.andThen(endRests, Effect.sleep(DUE_POLL_MS))))
})
