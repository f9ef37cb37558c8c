import { Clock, Context, Effect, Fiber, type Scope } from "effect"

/** Ends waits that last too long. */
export interface Deadline {
  /** Counts from now; `late` is run if that was too long. It ends with what it answers. */
  readonly begin: (late: () => void) => Effect.Effect<Wait>
  /** Nobody waits any longer. */
  readonly end: (wait: Wait) => void
}

interface Wait {
  /** On a clock that nobody sets, in nanoseconds. */
  readonly until: bigint
  readonly late: () => void
}

/**
 * A deadline of so many milliseconds for each of any number of waits. All last equally long, so the oldest is always the next
 * to be late, and one sleep is enough for all of them, where a timer each is most of what a short wait costs.
 */
export const makeDeadline = (ms: number): Effect.Effect<Deadline, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    const waits = new Set<Wait>()
    const durationNanos = BigInt(ms) * 1_000_000n
    let isSleeping = false

    const endIfLate = (wait: Wait, now: bigint): boolean => {
      if (wait.until > now) return false
      waits.delete(wait)
      wait.late()
      return true
    }

    /** Sleeps until the oldest is late, and ends once nobody waits. */
    const watch: Effect.Effect<void> = Effect.clockWith((clock) => {
      const now = clock.currentTimeNanosUnsafe()
      for (const wait of waits) if (!endIfLate(wait, now)) break
      const [oldest] = waits
      if (oldest !== undefined) return Effect.andThen(Effect.sleep(millisUntil(oldest, now)), watch)
      isSleeping = false
      return Effect.void
    })

    return {
      begin: (late) =>
        Effect.clockWith((clock) => {
          const wait = { until: clock.currentTimeNanosUnsafe() + durationNanos, late }
          waits.add(wait)
          if (!isSleeping) {
            isSleeping = true
            // Of a call that waits only its clock: the sleep may outlast it by far.
            Fiber.runIn(Effect.runForkWith(Context.make(Clock.Clock, clock))(watch), scope)
          }
          return Effect.succeed(wait)
        }),
      end: (wait) => void waits.delete(wait)
    }
  })

/** Rounded up: woken a part of a millisecond early, it would find nobody late and sleep again. */
const millisUntil = ({ until }: Wait, now: bigint): number => Number((until - now + 999_999n) / 1_000_000n)
