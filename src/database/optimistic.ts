import { Effect, Predicate } from "effect"

/**
 * A change that reads, works out and writes, and writes only what is still as it was read. `attempt` answers undefined
 * when it was not, and is made again, at most `most` times in all; then `busy` is the answer, and nothing was written.
 */
export const asRead =
  <Busy>(most: number, busy: Busy) =>
  <A, E, R>(attempt: Effect.Effect<A | undefined, E, R>): Effect.Effect<A, E | Busy, R> =>
    Effect.repeat(attempt, { times: most - 1, until: Predicate.isNotUndefined }).pipe(
      Effect.flatMap((done) => (done === undefined ? Effect.fail(busy) : Effect.succeed(done)))
    )
