import { Data, Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

class ChangeFailure<E> extends Data.TaggedClass("Refused")<{ readonly error: E }> {}

/**
 * Runs a change in a transaction after a statement that locks. The change is a later statement, so it sees all commits
 * made before the locks were granted.
 */
export const changeUnderLock =
  (sql: SqlClient) =>
  <A, E, R>(locks: Effect.Effect<unknown, SqlError>, change: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const wrapped = Effect.mapError(change, (error) => new ChangeFailure({ error }))
    return Effect.catch(sql.withTransaction(Effect.andThen(locks, wrapped)), (failure) =>
      failure._tag === "Refused" ? Effect.fail(failure.error) : Effect.die(failure)
    )
  }
