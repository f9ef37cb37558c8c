import { Cause, Context, Effect } from "effect"
import { SqlError } from "effect/sql/SqlError"

/** Whether the database may be written to. It may, but for the embedded one while it is moved to a server (database-move.ts). */
export class WriteAccess extends Context.Reference<{
  /** Why not, for callers; undefined: it may. */
  readonly rejectionMessage: () => string | undefined
  /** Waits until it may. */
  readonly awaitAllowed: Effect.Effect<void>
}>("latchkey/platform/database/WriteAccess", {
  defaultValue: () => ({ rejectionMessage: () => undefined, awaitAllowed: Effect.void })
}) {}

/** Waits until the database may be written to: what works by itself does so before each turn. */
export const awaitWritable: Effect.Effect<void> = Effect.flatMap(WriteAccess, ({ awaitAllowed }) => awaitAllowed)

/** PostgreSQL's `read_only_sql_transaction`. */
const READ_ONLY_SQLSTATE = "25006"

const findErrorCode = (error: unknown): unknown => {
  if (!(error instanceof Error)) return undefined
  return "code" in error && typeof error.code === "string" ? error.code : findErrorCode(error.cause)
}

/** Whether the database refused to be written to: nothing was changed. */
export const isReadOnlyError = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => {
    const error = Cause.isDieReason(reason) ? reason.defect : Cause.isFailReason(reason) ? reason.error : undefined
    return error instanceof SqlError && findErrorCode(error.reason) === READ_ONLY_SQLSTATE
  })
