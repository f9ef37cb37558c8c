import { Clock, Effect, FiberSet, Latch, Option } from "effect"
import { again } from "../background/again.ts"
import { WakeUp } from "../background/WakeUp.ts"
import { whenWoken } from "../background/when-woken.ts"
import {
  WEBHOOK_FAN_OUT_EVENTS,
  WEBHOOK_POLL_MS,
  WEBHOOK_SHUTDOWN_MS,
  WEBHOOK_TIMES_MS,
  WEBHOOK_UNDER_WAY
} from "../limits.ts"
import { admit } from "./breaker.ts"
import { DeliveryQueue } from "./DeliveryQueue.ts"
import { DeliveryShares } from "./DeliveryShares.ts"
import { deliver } from "./deliver.ts"
import type { RestedSubscription, TakenDelivery } from "./delivery.ts"
import { FanOut } from "./FanOut.ts"
import { Statistics } from "./Statistics.ts"

const date = Effect.map(Clock.currentTimeMillis, (now) => new Date(now))

/**
 * The three looks of a worker. When the scope closes, deliveries under way get a moment to be answered; the rest are
 * handed back to be taken by whoever comes next.
 */
export const makeLooks = Effect.gen(function* () {
  const fanOut = yield* FanOut
  const queue = yield* DeliveryQueue
  const shares = yield* DeliveryShares
  const underWay = yield* FiberSet.make()
  yield* Effect.addFinalizer(() => Effect.timeoutOption(FiberSet.awaitEmpty(underWay), WEBHOOK_SHUTDOWN_MS))
  // Opened by whatever may have made a delivery possible, so that the next look need not wait for its turn.
  const changed = yield* Latch.make()
  const free = Effect.map(FiberSet.size(underWay), (size) => Math.max(WEBHOOK_UNDER_WAY - size, 0))

  const start = (delivery: TakenDelivery) =>
    shares.within(String(delivery.subscriptionId), deliver(delivery)).pipe(
      // Only a probe can find the share used up, by deliveries that were out when the rest began.
      Effect.filterOrElse(Option.isSome, () => Effect.flatMap(date, (now) => queue.release(delivery, now))),
      Effect.ensuring(changed.open),
      Effect.withTracerEnabled(true),
      Effect.interruptible,
      (delivering) => FiberSet.run(underWay, delivering)
    )

  const probe = Effect.fnUntraced(function* (subscription: RestedSubscription) {
    const now = yield* date
    const admission = admit(subscription.health, now.getTime())
    if (admission.verdict !== "probe") return
    const taken = yield* queue.takeProbe(subscription, admission.health, now)
    yield* Effect.forEach(taken, start, { discard: true })
  }, Effect.uninterruptible)

  return {
    /** Hands out events to their subscriptions. */
    handOut: Effect.gen(function* () {
      const handed = yield* fanOut.next(yield* date)
      // A change without an event may have let deliveries go that waited (a replay, a resumed subscription). Events that
      // nobody wants are no reason to look.
      if (handed.deliveries > 0 || handed.events === 0) yield* changed.open
      return handed
    }),

    /** Starts what is due, as far as there is room. Not interrupted in between: what it takes it also starts. */
    takeDue: Effect.gen(function* () {
      yield* changed.close
      const room = yield* free
      if (room === 0) return
      const taken = yield* queue.take(yield* date, room, yield* shares.underWay)
      yield* Effect.forEach(taken, start, { discard: true })
    }).pipe(Effect.uninterruptible),

    /** Starts a probe for each subscription whose rest is over. */
    endRests: Effect.gen(function* () {
      const rested = yield* queue.rested(yield* date, yield* free)
      yield* Effect.forEach(rested, probe, { discard: true })
    }),

    /** Waits until something may be due that was not. */
    changed: changed.await,
    /** Waits until no delivery is under way. */
    idle: FiberSet.awaitEmpty(underWay)
  }
})

/**
 * Takes events from their record to their receivers, until the scope closes. Any number of processes may do so on one
 * database. Events are handed out when a change wakes the worker, deliveries taken whenever that made some or one ended.
 */
export const work = Effect.gen(function* () {
  const looks = yield* makeLooks
  const statistics = yield* Statistics
  const woken = yield* Effect.flatMap(WakeUp, ({ latch }) => latch)
  const scope = yield* Effect.scope
  const pause = Effect.sleep(WEBHOOK_TIMES_MS)
  // Beside the handing out, which would stand still for as long as it takes.
  const renewing = (deliveries: number) =>
    Effect.catchCause(statistics.grown(deliveries), (cause) => Effect.logWarning("webhooks: statistics", cause))
  const handOut = looks.handOut.pipe(
    Effect.tap(({ deliveries }) => Effect.forkIn(renewing(deliveries), scope)),
    Effect.map(({ events }) => events === WEBHOOK_FAN_OUT_EVENTS)
  )
  yield* Effect.forkScoped(again("handing out events", whenWoken(woken, handOut, WEBHOOK_POLL_MS)))
  yield* Effect.forkScoped(
    again("taking deliveries", Effect.andThen(looks.takeDue, Effect.raceFirst(looks.changed, pause)))
  )
  yield* Effect.forkScoped(again("ending rests", Effect.andThen(looks.endRests, pause)))
})
