import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** How an order stands that rule `r` is for, as `appliesToStay` has it (scheduling.ts); a rule for no stay is asked of none. */
export const requiredStatusSql = (sql: SqlClient): Fragment => sql`
  CASE r.definition #>> '{trigger,event}' WHEN 'request' THEN 'wait_accept' ELSE 'accepted' END`
