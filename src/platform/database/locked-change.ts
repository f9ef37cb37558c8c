import { Data, Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** A failure of the change, told from one of its transaction. */
class ChangeFailure<E> extends Data.TaggedClass("Refused")<{ readonly error: E }> {}

/**
 * Runs a change in a transaction that begins with a statement which locks. A statement sees what was committed before it began,
 * however long it then waits for a lock: so what was committed while the locks were waited for is seen by the change alone. A change
 * that fails leaves nothing, whether the database has refused it or nobody has.
 */
export const changeUnderLock =
  (sql: SqlClient) =>
  <A, E, R>(locks: Effect.Effect<unknown, SqlError>, change: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const wrapped = Effect.mapError(change, (error) => new ChangeFailure({ error }))
    return Effect.catch(sql.withTransaction(Effect.andThen(locks, wrapped)), (failure) =>
      failure._tag === "Refused" ? Effect.fail(failure.error) : Effect.die(failure)
    )
  }
