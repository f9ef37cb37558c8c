import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type ClaimRequest, claimableRowsSql, type FairQueue } from "../../../jobs/fair-queue.ts"
import type { Givens } from "../../../platform/database/forms.ts"

// The statement by which lanes are taken: rows that were found are changed by where they lie.

/** Pushes under way at once in a process, those of one operator, and those of one of its accounts. */
export const PUSHING_ROOM = 32
export const PUSHING_SHARE = 8
export const PUSHING_ACCOUNT_SHARE = 2

/**
 * Whether the next turn of lane `l` is the calendar's own. It goes before what the host asked for, whose number it does not
 * change: a night that is sold must not wait for a thousand prices. But not twice in a row: who asks again and again for
 * changes of his nights keeps nothing else of his waiting for ever.
 */
const isCalendarPushCondition = (sql: SqlClient): Fragment => sql`
  (l.calendar_waits OR (NOT isempty(l.due_days) AND (NOT l.calendar_last OR l.waiting = 1)))`

/** What of it is due, and in which turn. */
export const pushQueue = (sql: SqlClient): FairQueue => ({
  table: sql`listing_lanes`,
  keyColumn: sql`listing_row`,
  pendingCondition: sql`waiting > 0`,
  accountCondition: sql`true`,
  operatorLimit: PUSHING_SHARE,
  accountLimit: PUSHING_ACCOUNT_SHARE
})

/**
 * Takes lanes that are due and answers the first push of each; of the calendar's own there is none before it is drawn up. A
 * lane that was changed since the statement began lies elsewhere by then and is left to the next: so what it has waiting is
 * seen.
 */
export const takingDue = (sql: SqlClient, taking: Givens<ClaimRequest>): Fragment => {
  const queue = pushQueue(sql)
  return sql`
  WITH RECURSIVE ${claimableRowsSql(sql, queue, taking)}, taken AS (
    UPDATE listing_lanes l SET attempts = l.attempts + 1, due_at = ${taking.leaseEnd}
    WHERE l.ctid = ANY (ARRAY(SELECT place FROM chosen)) AND l.waiting > 0 AND l.due_at <= ${taking.now}
    RETURNING l.operator_id, l.listing_row, l.attempts, l.failures, l.traceparent, ${isCalendarPushCondition(sql)} AS of_calendar
  )
  SELECT taken.operator_id, taken.listing_row, taken.attempts, taken.failures, listing.account_id, listing.channel_type,
    listing.listing_id, first.id AS push_id,
    jsonb_build_object('kind', coalesce(first.kind, 'availability'), 'ranges', coalesce(first.ranges, '[]')) AS told,
    CASE WHEN taken.of_calendar THEN taken.traceparent ELSE first.traceparent END AS traceparent
  FROM taken
  LEFT JOIN LATERAL (
    SELECT id, kind, ranges, traceparent FROM listing_pushes
    WHERE operator_id = taken.operator_id AND listing_row = taken.listing_row AND settled_at IS NULL
      AND NOT taken.of_calendar
    ORDER BY id LIMIT 1) first ON true
  JOIN listings listing ON listing.operator_id = taken.operator_id AND listing.id = taken.listing_row
  WHERE taken.of_calendar OR first.id IS NOT NULL`
}
