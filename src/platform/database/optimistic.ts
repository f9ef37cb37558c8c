import { Effect } from "effect"

/**
 * A change that reads, works out and writes, and writes only what is still as it was read. `attempt` answers undefined
 * when it was not, and is made again, at most `most` times in all; then `busy` is the answer, and nothing was written.
 */
export const asRead =
  <Busy>(most: number, busy: Busy) =>
  <A, E, R>(attempt: Effect.Effect<A | undefined, E, R>): Effect.Effect<A, E | Busy, R> => {
    const tried = (left: number): Effect.Effect<A, E | Busy, R> =>
      Effect.flatMap(attempt, (done) => {
        if (done !== undefined) return Effect.succeed(done)
        return left === 1 ? Effect.fail(busy) : tried(left - 1)
      })
    return tried(most)
  }
