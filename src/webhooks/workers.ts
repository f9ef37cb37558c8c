import { Clock, Effect, FiberSet, Latch, Option, type Scope } from "effect"
import { WEBHOOK_FAN_OUT_EVENTS, WEBHOOK_POLL_MS, WEBHOOK_SHUTDOWN_MS, WEBHOOK_UNDER_WAY } from "../limits.ts"
import { admit } from "./breaker.ts"
import { DeliveryQueue } from "./DeliveryQueue.ts"
import { DeliveryShares } from "./DeliveryShares.ts"
import { deliver } from "./deliver.ts"
import type { RestedSubscription, TakenDelivery } from "./delivery.ts"
import { FanOut } from "./FanOut.ts"
import type { Outbound } from "./Outbound.ts"

/** Looks again and again whatever goes wrong. Its looks leave no spans: several a second would bury everything else. */
export const again = <R>(what: string, look: Effect.Effect<void, never, R>): Effect.Effect<never, never, R> =>
  look.pipe(
    Effect.withTracerEnabled(false),
    Effect.catchCause((cause) =>
      Effect.andThen(
        Effect.logWarning(`webhooks: ${what} failed and is tried again`, cause),
        Effect.sleep(WEBHOOK_POLL_MS)
      )
    ),
    Effect.forever
  )

const date = Effect.map(Clock.currentTimeMillis, (now) => new Date(now))

/**
 * Takes events from their record to their receivers, until the scope closes. Any number of processes may do so on one
 * database. When it ends, deliveries under way get a moment to be answered; the rest are handed back to be taken by
 * whoever comes next.
 */
export const work: Effect.Effect<void, never, FanOut | DeliveryQueue | DeliveryShares | Outbound | Scope.Scope> =
  Effect.gen(function* () {
    const fanOut = yield* FanOut
    const queue = yield* DeliveryQueue
    const shares = yield* DeliveryShares
    const underWay = yield* FiberSet.make()
    yield* Effect.addFinalizer(() => Effect.timeoutOption(FiberSet.awaitEmpty(underWay), WEBHOOK_SHUTDOWN_MS))
    // Opened by whatever may have made a delivery possible, so that the next look need not wait for its turn.
    const changed = yield* Latch.make()

    const start = (delivery: TakenDelivery) =>
      shares.within(String(delivery.subscriptionId), deliver(delivery)).pipe(
        // A look takes no more than the share leaves; none would mean the delivery waits for its lease to end.
        Effect.filterOrElse(Option.isSome, () => Effect.flatMap(date, (now) => queue.release(delivery, now))),
        Effect.ensuring(changed.open),
        Effect.withTracerEnabled(true),
        Effect.interruptible,
        (delivering) => FiberSet.run(underWay, delivering)
      )

    const free = Effect.map(FiberSet.size(underWay), (size) => WEBHOOK_UNDER_WAY - size)

    const handOut = Effect.gen(function* () {
      const events = yield* fanOut.next(yield* date)
      if (events > 0) yield* changed.open
      if (events < WEBHOOK_FAN_OUT_EVENTS) yield* Effect.sleep(WEBHOOK_POLL_MS)
    })

    const takeNext = Effect.gen(function* () {
      yield* changed.close
      const room = yield* free
      if (room <= 0) return
      const taken = yield* queue.take(yield* date, room, yield* shares.underWay)
      yield* Effect.forEach(taken, start, { discard: true })
    })

    const probe = Effect.fnUntraced(function* (subscription: RestedSubscription) {
      const now = yield* date
      const admission = admit(subscription.health, now.getTime())
      if (admission.verdict !== "probe") return
      const taken = yield* queue.takeProbe(subscription, admission.health, now)
      yield* Effect.forEach(taken, start, { discard: true })
    }, Effect.uninterruptible)

    const endRests = Effect.gen(function* () {
      const rested = yield* queue.rested(yield* date, Math.max(yield* free, 0))
      yield* Effect.forEach(rested, probe, { discard: true })
      yield* Effect.sleep(WEBHOOK_POLL_MS)
    })

    // A look is not interrupted: what it takes it also starts.
    const waiting = Effect.raceFirst(changed.await, Effect.sleep(WEBHOOK_POLL_MS))
    yield* Effect.forkScoped(again("handing out events", handOut))
    yield* Effect.forkScoped(again("taking deliveries", Effect.andThen(Effect.uninterruptible(takeNext), waiting)))
    yield* Effect.forkScoped(again("ending rests", endRests))
  })
