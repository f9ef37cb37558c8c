import { Clock, Context, Effect, Fiber, type Scope } from "effect"

/** Limits the time of any number of waits. */
export interface Deadline {
  /** Begins a wait. Runs `onExpired` if the wait has not ended in time. */
  readonly begin: (onExpired: () => void) => Effect.Effect<Wait>
  readonly end: (wait: Wait) => void
}

interface Wait {
  /** Nanoseconds of the monotonic clock. */
  readonly expiresAt: bigint
  readonly onExpired: () => void
}

/**
 * Makes a deadline of `ms` milliseconds for each wait. All waits have the same limit, so the oldest expires first and one sleep serves
 * all of them. A timer per wait would be most of the cost of a short wait.
 */
export const makeDeadline = (ms: number): Effect.Effect<Deadline, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    const waits = new Set<Wait>()
    const durationNanos = BigInt(ms) * 1_000_000n
    let isSleeping = false

    /** Returns whether the wait has expired. */
    const endIfExpired = (wait: Wait, now: bigint): boolean => {
      if (wait.expiresAt > now) return false
      waits.delete(wait)
      wait.onExpired()
      return true
    }

    /** Ends expired waits, one after the other, until no wait is left. */
    const watch: Effect.Effect<void> = Effect.clockWith((clock) => {
      const now = clock.currentTimeNanosUnsafe()
      for (const wait of waits) if (!endIfExpired(wait, now)) break
      const [oldest] = waits
      if (oldest !== undefined) return Effect.andThen(Effect.sleep(millisUntil(oldest, now)), watch)
      isSleeping = false
      return Effect.void
    })

    return {
      begin: (onExpired) =>
        Effect.clockWith((clock) => {
          const wait = { expiresAt: clock.currentTimeNanosUnsafe() + durationNanos, onExpired }
          waits.add(wait)
          if (!isSleeping) {
            isSleeping = true
            // With the clock of the call alone, because the sleep may outlast the call by far.
            Fiber.runIn(Effect.runForkWith(Context.make(Clock.Clock, clock))(watch), scope)
          }
          return Effect.succeed(wait)
        }),
      end: (wait) => void waits.delete(wait)
    }
  })

/** Rounds up: a sleep that ends a fraction of a millisecond early would find no expired wait and sleep again. */
const millisUntil = ({ expiresAt }: Wait, now: bigint): number => Number((expiresAt - now + 999_999n) / 1_000_000n)
