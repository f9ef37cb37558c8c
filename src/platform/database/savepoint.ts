import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/**
 * Lets a statement that may be refused (a constraint it breaks is an answer) leave a transaction usable it happens to
 * run in: inside one it gets a savepoint, outside it runs as it is and costs nothing.
 */
export const withSavepoint =
  (sql: SqlClient) =>
  <A, R>(statement: Effect.Effect<A, SqlError, R>): Effect.Effect<A, SqlError, R> =>
    Effect.flatMap(Effect.serviceOption(sql.transactionService), (transaction) =>
      Option.isNone(transaction) ? statement : sql.withTransaction(statement)
    )
