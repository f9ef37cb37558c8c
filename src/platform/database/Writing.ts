import { Cause, Context, Effect } from "effect"
import { SqlError } from "effect/sql/SqlError"

/** Whether the database may be written to. It may, but for the embedded one while it is moved to a server (moving.ts). */
export class Writing extends Context.Reference<{
  /** Why not, for callers; undefined: it may. */
  readonly refusal: () => string | undefined
  /** Waits until it may. */
  readonly allowed: Effect.Effect<void>
}>("latchkey/database/Writing", {
  defaultValue: () => ({ refusal: () => undefined, allowed: Effect.void })
}) {}

/** Waits until the database may be written to: what works by itself does so before each turn. */
export const whenWritable: Effect.Effect<void> = Effect.flatMap(Writing, ({ allowed }) => allowed)

/** PostgreSQL's `read_only_sql_transaction`. */
const READ_ONLY = "25006"

const codeOf = (error: unknown): unknown => {
  if (!(error instanceof Error)) return undefined
  return "code" in error && typeof error.code === "string" ? error.code : codeOf(error.cause)
}

/** Whether the database refused to be written to: nothing was changed. */
export const wasReadOnly = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => {
    const error = Cause.isDieReason(reason) ? reason.defect : Cause.isFailReason(reason) ? reason.error : undefined
    return error instanceof SqlError && codeOf(error.reason) === READ_ONLY
  })
