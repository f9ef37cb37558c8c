import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

export const pushedDaysSql = (sql: SqlClient): Fragment => sql`(
  SELECT min(each ->> 'start_date') AS first, max(each ->> 'end_date') AS last FROM jsonb_array_elements(p.ranges) each)`
