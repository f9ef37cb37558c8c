import { Clock, Context, Effect, Fiber, type Scope } from "effect"

export interface Deadline {
  readonly begin: (onExpired: () => void) => Effect.Effect<Wait>
  readonly end: (wait: Wait) => void
}

interface Wait {
  readonly expiresAt: bigint
  readonly onExpired: () => void
}

/** All waits have the same limit, so the oldest expires first and one sleep serves all. */
export const makeDeadline = (ms: number): Effect.Effect<Deadline, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    const waits = new Set<Wait>()
    const durationNanos = BigInt(ms) * 1_000_000n
    let isSleeping = false

    const endIfExpired = (wait: Wait, now: bigint): boolean => {
      if (wait.expiresAt > now) return false
      waits.delete(wait)
      wait.onExpired()
      return true
    }

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
            // The fiber gets only the clock of the call, not its other services, because it may outlive the call.
            Fiber.runIn(Effect.runForkWith(Context.make(Clock.Clock, clock))(watch), scope)
          }
          return Effect.succeed(wait)
        }),
      end: (wait) => void waits.delete(wait)
    }
  })

/** Rounds up, because a sleep that ends early would find no expired wait. */
const millisUntil = ({ expiresAt }: Wait, now: bigint): number => Number((expiresAt - now + 999_999n) / 1_000_000n)
