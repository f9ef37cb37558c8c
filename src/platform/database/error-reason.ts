import { Predicate } from "effect"

export const findInnermostCause = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? findInnermostCause(error.cause) : error

/** Returns the `code` of an error, such as `ENOENT` or an SQLSTATE. */
export const errorCodeOf = (cause: unknown): unknown => (Predicate.hasProperty(cause, "code") ? cause.code : undefined)

/** The text may contain an address. */
export const toReason = (cause: unknown): string => {
  const reason = findInnermostCause(cause)
  return reason instanceof Error && reason.message !== "" ? reason.message : String(reason)
}
