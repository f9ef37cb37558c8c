import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { applyRetention, nextRowsCondition } from "../../../jobs/retention.ts"
import { CALENDAR_DAY_RETENTION_MS } from "../../../platform/limits.ts"

/** Deletes the past links of removed calendars. `planStayChanges` removes the past links of existing calendars. */
export const deletePastStayLinks = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const cutoff = new Date(now.getTime() - CALENDAR_DAY_RETENTION_MS)
  const pastRows = sql`SELECT ctid FROM calendar_stays WHERE calendar_id IS NULL AND check_out_date < ${cutoff}::date`
  yield* applyRetention(sql, [sql`DELETE FROM calendar_stays WHERE ${nextRowsCondition(sql, pastRows)}`])
})
