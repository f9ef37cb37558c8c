import { Data, type Effect, type Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { makeRowReaderOrFail } from "../../../platform/database/constraint-violations.ts"
import { withSavepoint } from "../../../platform/database/savepoint.ts"
import { retryOnLockConflict } from "../../../platform/database/statement-retry.ts"

/** A night the order should hold belongs to another stay; nothing was written. */
export class NightTaken extends Data.TaggedError("NightTaken") {}

/** Reads the row of a statement that takes nights. */
export const rowUnlessNightTaken = <A>(row: Schema.ConstraintDecoder<A>) =>
  makeRowReaderOrFail(row, ({ name }) => (name === "one_holder_a_night" ? new NightTaken() : undefined))

/** A statement that a night's holder may refuse, run again when the database gave it up for another one's sake. */
export const retryInSavepoint =
  (sql: SqlClient.SqlClient) =>
  <A, R>(statement: Effect.Effect<A, SqlError, R>): Effect.Effect<A, SqlError, R> =>
    retryOnLockConflict(withSavepoint(sql)(statement))
