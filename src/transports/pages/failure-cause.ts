import { Cause, Effect, Option } from "effect"
import type { ServerError } from "../../contract/errors.ts"
import { isStatementTimeout } from "../../platform/database/statement-timeout.ts"
import { BUSY_RETRY_SECONDS } from "../../platform/limits.ts"

/**
 * Returns the `Retry-After` seconds if no permit was free or PostgreSQL cancelled the statement. Returns none for a
 * defect.
 */
export const busyRetryAfterSeconds = (cause: Cause.Cause<ServerError>): Option.Option<number> =>
  isStatementTimeout(cause)
    ? Option.some(BUSY_RETRY_SECONDS)
    : Option.map(Cause.findErrorOption(cause), ({ retryAfter }) => retryAfter ?? BUSY_RETRY_SECONDS)

export const logFailure = (cause: Cause.Cause<ServerError>): Effect.Effect<void> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void
  if (isStatementTimeout(cause)) return Effect.logWarning("a statement took too long", cause)
  return Option.match(Cause.findErrorOption(cause), {
    onNone: () => Effect.logError("defect", cause),
    onSome: ({ message }) => Effect.logWarning("a page got no concurrency permit", message)
  })
}
