import { Predicate } from "effect"

export const findInnermostCause = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? findInnermostCause(error.cause) : error

export const errorCodeOf = (cause: unknown): unknown => (Predicate.hasProperty(cause, "code") ? cause.code : undefined)

/** The message of the innermost cause may contain a network address. */
export const toReason = (cause: unknown): string => {
  const reason = findInnermostCause(cause)
  return reason instanceof Error && reason.message !== "" ? reason.message : String(reason)
}
