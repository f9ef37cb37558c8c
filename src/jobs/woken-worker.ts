import { Effect, type Scope } from "effect"
import { repeatForever } from "./loop.ts"
import { WakeUp } from "./WakeUp.ts"

/** A worker of timed work, as far as waking it goes. */
interface WokenWorker<R> {
  readonly startPolling: Effect.Effect<unknown, never, R>
  readonly notifyChanged: Effect.Effect<unknown>
}

/**
 * Lets a worker work until the scope closes: it polls for what time makes due, and looks when it is woken, then not again for
 * `gapMs` however much changes.
 */
export const runWorkerWhenWoken = <R>(
  workName: string,
  { startPolling, notifyChanged }: WokenWorker<R>,
  gapMs: number
): Effect.Effect<void, never, R | WakeUp | Scope.Scope> =>
  Effect.gen(function* () {
    const wakeUp = yield* Effect.flatMap(WakeUp, ({ latch }) => latch)
    yield* startPolling
    // Closed before it looks: whoever wakes from here on may have changed what is not seen any more. A wake-up that is lost
    // is made up for by the next poll.
    const onWakeUp = Effect.andThen(wakeUp.await, Effect.andThen(wakeUp.close, notifyChanged))
    yield* Effect.forkScoped(repeatForever(workName, Effect.andThen(onWakeUp, Effect.sleep(gapMs))))
  })
