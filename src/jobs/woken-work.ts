import { Effect, type Scope } from "effect"
import { loop } from "./loop.ts"
import { WakeUp } from "./WakeUp.ts"

/** A worker of timed work, as far as waking it goes. */
interface Worker<R> {
  readonly polling: Effect.Effect<unknown, never, R>
  readonly changed: Effect.Effect<unknown>
}

/**
 * Lets a worker work until the scope closes: it polls for what time makes due, and looks when it is woken, then not again for
 * `gapMs` however much changes.
 */
export const workWhenWoken = <R>(
  what: string,
  { polling, changed }: Worker<R>,
  gapMs: number
): Effect.Effect<void, never, R | WakeUp | Scope.Scope> =>
  Effect.gen(function* () {
    const woken = yield* Effect.flatMap(WakeUp, ({ latch }) => latch)
    yield* polling
    // Closed before it looks: whoever wakes from here on may have changed what is not seen any more. A wake-up that is lost
    // is made up for by the next poll.
    const heard = Effect.andThen(woken.await, Effect.andThen(woken.close, changed))
    yield* Effect.forkScoped(loop(what, Effect.andThen(heard, Effect.sleep(gapMs))))
  })
