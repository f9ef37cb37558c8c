import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { applyRetention, nextRowsCondition } from "../../../jobs/retention.ts"
import { CALENDAR_DAY_RETENTION_MS, CALENDAR_RETRY_AFTER_MS } from "../../../platform/limits.ts"

/** Milliseconds ahead beyond which nothing is due: the longest that a host may ask for, and what clocks may differ. */
export const MAX_FETCH_AHEAD_MS = CALENDAR_RETRY_AFTER_MS + 60 * 60 * 1000

/** Calendars that are due later than any is put off are due now: the clock was set back since. */
export const rescheduleAfterClockSetback = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const latestDueAt = new Date(now.getTime() + MAX_FETCH_AHEAD_MS)
  yield* applyRetention(sql, [
    sql`
      UPDATE imported_calendars SET due_at = ${now}
      WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM imported_calendars WHERE due_at > ${latestDueAt}`)}`
  ])
})

/** Removes days that are long past, as of now. That they were busy stays counted: nobody asks for them any more. */
export const deletePastImportedDays = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const cutoff = new Date(now.getTime() - CALENDAR_DAY_RETENTION_MS)
  yield* applyRetention(sql, [
    sql`
      DELETE FROM imported_days
      WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM imported_days WHERE day < ${cutoff}::date`)}`
  ])
})
