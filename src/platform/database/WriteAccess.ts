import { Cause, Context, Effect } from "effect"
import { SqlError } from "effect/sql/SqlError"

/** Rejects writes only while an embedded database is moved to a server. */
export class WriteAccess extends Context.Reference<{
  readonly rejectionMessage: () => string | undefined
  readonly awaitAllowed: Effect.Effect<void>
}>("latchkey/platform/database/WriteAccess", {
  defaultValue: () => ({ rejectionMessage: () => undefined, awaitAllowed: Effect.void })
}) {}

export const awaitWritable: Effect.Effect<void> = Effect.flatMap(WriteAccess, ({ awaitAllowed }) => awaitAllowed)

const READ_ONLY_SQLSTATE = "25006"

const findErrorCode = (error: unknown): unknown => {
  if (!(error instanceof Error)) return undefined
  return "code" in error && typeof error.code === "string" ? error.code : findErrorCode(error.cause)
}

export const isReadOnlyError = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => {
    const error = Cause.isDieReason(reason) ? reason.defect : Cause.isFailReason(reason) ? reason.error : undefined
    return error instanceof SqlError && findErrorCode(error.reason) === READ_ONLY_SQLSTATE
  })
