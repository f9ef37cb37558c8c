import { Cause } from "effect"
import { SqlError } from "effect/sql/SqlError"

/** A statement that timed out changed nothing, and a retry may succeed. */
export const isStatementTimeout = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some(
    (reason) =>
      Cause.isDieReason(reason) &&
      reason.defect instanceof SqlError &&
      reason.defect.reason._tag === "StatementTimeoutError"
  )
