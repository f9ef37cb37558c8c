import { Effect } from "effect"
import { isSqlError } from "effect/sql/SqlError"

/** How often a statement is run again that the database gave up for another one's sake (a deadlock). */
export const MAX_STATEMENT_RETRIES = 10

/**
 * Runs a statement, or a transaction, again when the database gave it up for the sake of another one (a deadlock, a serialization
 * failure): nothing of it happened. At once, because the other one is through by then; and a bounded number of times.
 */
export const retryOnLockConflict = <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  // A schedule is made only for those few that need one.
  Effect.catchIf(statement, isLockConflict, () =>
    Effect.retry(statement, { times: MAX_STATEMENT_RETRIES - 1, while: isLockConflict })
  )

const isLockConflict = (error: unknown): boolean =>
  isSqlError(error) && (error.reason._tag === "DeadlockError" || error.reason._tag === "SerializationError")
