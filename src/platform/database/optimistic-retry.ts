import { Effect } from "effect"

/**
 * Runs a change that writes only if the rows that it read are unchanged. `attempt` returns undefined if the rows have
 * changed.
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
