import { Effect } from "effect"

/**
 * A change that reads, works out and writes, and writes only what is still as it was read. `attempt` answers undefined
 * when it was not, and is made again, at most `maxAttempts` times in all; then `busy` is the answer, and nothing was written.
 */
export const retryOptimistically =
  <Busy>(maxAttempts: number, busy: Busy) =>
  <A, E, R>(attempt: Effect.Effect<A | undefined, E, R>): Effect.Effect<A, E | Busy, R> => {
    const runAttempts = (attemptsLeft: number): Effect.Effect<A, E | Busy, R> =>
      Effect.flatMap(attempt, (result) => {
        if (result !== undefined) return Effect.succeed(result)
        return attemptsLeft === 1 ? Effect.fail(busy) : runAttempts(attemptsLeft - 1)
      })
    return runAttempts(maxAttempts)
  }
