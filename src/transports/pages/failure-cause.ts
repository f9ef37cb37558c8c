import { Cause, Effect, Option } from "effect"
import type { ServerError } from "../../contract/errors.ts"
import { isStatementTimeout } from "../../platform/database/statement-timeout.ts"
import { BUSY_RETRY_SECONDS } from "../../platform/limits.ts"

/**
 * Seconds after which it is worth coming again, when there was only too much to do: no place in time, or a statement that
 * the server stopped. None of anything else, which is a defect.
 */
export const busyRetryAfterSeconds = (cause: Cause.Cause<ServerError>): Option.Option<number> =>
  isStatementTimeout(cause)
    ? Option.some(BUSY_RETRY_SECONDS)
    : Option.map(Cause.findErrorOption(cause), ({ retryAfter }) => retryAfter ?? BUSY_RETRY_SECONDS)

/** The log line of what kept a calendar from being shown; none when its reader went away. */
export const logFailure = (cause: Cause.Cause<ServerError>): Effect.Effect<void> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void
  if (isStatementTimeout(cause)) return Effect.logWarning("a statement took too long", cause)
  return Option.match(Cause.findErrorOption(cause), {
    onNone: () => Effect.logError("defect", cause),
    onSome: ({ message }) => Effect.logWarning("a page got no concurrency permit", message)
  })
}
