import { Predicate } from "effect"

/** What a driver says is in the innermost cause: "connection failed" alone helps nobody. */
export const findInnermostCause = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? findInnermostCause(error.cause) : error

/** Returns the `code` of an error, such as `ENOENT` of the file system or the SQLSTATE of PostgreSQL, if it has one. */
export const errorCodeOf = (cause: unknown): unknown => (Predicate.hasProperty(cause, "code") ? cause.code : undefined)

/** Why something failed, in the words of whoever knew it first. They may name an address. */
export const toReason = (cause: unknown): string => {
  const reason = findInnermostCause(cause)
  return reason instanceof Error && reason.message !== "" ? reason.message : String(reason)
}
