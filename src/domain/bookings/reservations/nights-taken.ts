import { Data, type Effect, type Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { makeRowReaderOrFail } from "../../../platform/database/constraint-violations.ts"
import { withSavepoint } from "../../../platform/database/savepoint.ts"
import { retryOnLockConflict } from "../../../platform/database/statement-retry.ts"

/** Another stay holds a night of the order. Nothing was written. */
export class NightTaken extends Data.TaggedError("NightTaken") {}

export const rowUnlessNightTaken = <A>(row: Schema.ConstraintDecoder<A>) =>
  makeRowReaderOrFail(row, ({ name }) => (name === "one_holder_a_night" ? new NightTaken() : undefined))

export const retryInSavepoint =
  (sql: SqlClient.SqlClient) =>
  <A, R>(statement: Effect.Effect<A, SqlError, R>): Effect.Effect<A, SqlError, R> =>
    retryOnLockConflict(withSavepoint(sql)(statement))
