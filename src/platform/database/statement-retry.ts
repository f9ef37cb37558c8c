import { Effect } from "effect"
import { isSqlError } from "effect/sql/SqlError"

export const MAX_STATEMENT_RETRIES = 10

/**
 * Retries a statement or transaction that a deadlock or serialization failure rolled back. It retries at once, because
 * the other transaction has ended.
 */
export const retryOnLockConflict = <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchIf(statement, isLockConflict, () =>
    Effect.retry(statement, { times: MAX_STATEMENT_RETRIES - 1, while: isLockConflict })
  )

const isLockConflict = (error: unknown): boolean =>
  isSqlError(error) && (error.reason._tag === "DeadlockError" || error.reason._tag === "SerializationError")
