import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/**
 * Runs a statement that may violate a constraint. Inside a transaction it gets a savepoint, so that the transaction
 * stays usable.
 */
export const withSavepoint =
  (sql: SqlClient) =>
  <A, R>(statement: Effect.Effect<A, SqlError, R>): Effect.Effect<A, SqlError, R> =>
    Effect.flatMap(Effect.serviceOption(sql.transactionService), (transaction) =>
      Option.isNone(transaction) ? statement : sql.withTransaction(statement)
    )
