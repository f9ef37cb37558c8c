import { Effect, type Scope } from "effect"
import { loop } from "./loop.ts"
import { whenWoken } from "./polls.ts"
import { DUE_POLL_MS } from "./timed-work.ts"
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
    const heard = Effect.as(Effect.andThen(changed, Effect.sleep(gapMs)), false)
    yield* Effect.forkScoped(loop(what, whenWoken(woken, heard, DUE_POLL_MS)))
  })
