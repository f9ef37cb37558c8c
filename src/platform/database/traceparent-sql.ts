import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

// A change stores its trace with the work that it schedules, as the text of `traceparent` (W3C Trace Context).

export const traceCteSql = (sql: SqlClient, value: string | undefined): Fragment =>
  sql`of_trace AS (SELECT ${value ?? null}::text AS traceparent)`

export const traceparentSql = (sql: SqlClient): Fragment => sql`(SELECT traceparent FROM of_trace)`
