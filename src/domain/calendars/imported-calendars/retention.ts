import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { applyRetention, nextRowsCondition } from "../../../jobs/retention.ts"
import { CALENDAR_DAY_RETENTION_MS, CALENDAR_RETRY_AFTER_MS } from "../../../platform/limits.ts"

/** One hour more than the longest `Retry-After`, for differences between clocks. */
export const MAX_FETCH_AHEAD_MS = CALENDAR_RETRY_AFTER_MS + 60 * 60 * 1000

/** A calendar is due too late if the clock was set back after it was scheduled. */
export const rescheduleAfterClockSetback = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const latestDueAt = new Date(now.getTime() + MAX_FETCH_AHEAD_MS)
  yield* applyRetention(sql, [
    sql`
      UPDATE imported_calendars SET due_at = ${now}
      WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM imported_calendars WHERE due_at > ${latestDueAt}`)}`
  ])
})

/** Does not lower the counts in `calendar_days`, because no query reads days that old. */
export const deletePastImportedDays = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const cutoff = new Date(now.getTime() - CALENDAR_DAY_RETENTION_MS)
  yield* applyRetention(sql, [
    sql`
      DELETE FROM imported_days
      WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM imported_days WHERE day < ${cutoff}::date`)}`
  ])
})
