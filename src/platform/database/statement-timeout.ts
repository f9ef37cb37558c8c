import { Cause } from "effect"
import { SqlError } from "effect/sql/SqlError"

/** Whether the database stopped a statement because its time was up: it did nothing, and another time may be quicker. */
export const isStatementTimeout = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some(
    (reason) =>
      Cause.isDieReason(reason) &&
      reason.defect instanceof SqlError &&
      reason.defect.reason._tag === "StatementTimeoutError"
  )
