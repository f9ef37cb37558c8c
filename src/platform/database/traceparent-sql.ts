import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

// What a change leaves to be done later keeps the trace of the change, as the text of `traceparent` (W3C Trace Context): so
// that who does it goes on with that trace. A statement is told once, and the rows it writes take it from there.

/** The CTE that a statement has before those that use {@link traceparent}; undefined: the change is part of no trace. */
export const traceCteSql = (sql: SqlClient, value: string | undefined): Fragment =>
  sql`of_trace AS (SELECT ${value ?? null}::text AS traceparent)`

/** The trace of the statement, as an expression. */
export const traceparentSql = (sql: SqlClient): Fragment => sql`(SELECT traceparent FROM of_trace)`
