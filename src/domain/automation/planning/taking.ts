import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type ClaimRequest, claimableRowsSql, type FairQueue } from "../../../jobs/fair-queue.ts"
import type { Givens } from "../../../platform/database/forms.ts"
import { isLastStayCondition } from "../template-facts.ts"

// The statement by which stays are taken: rows that were found are changed by where they lie.

/** Stays that are worked out at once in a process, and those of one operator. */
export const PLANNING_ROOM = 100
export const PLANNING_SHARE = 50

/** What of it is due, and in which turn. */
export const stayQueue = (sql: SqlClient): FairQueue => ({
  table: sql`automation_stays`,
  keyColumn: sql`stay_id`,
  pendingCondition: sql`true`,
  isIndexedByTime: true as const,
  accountCondition: sql`true`,
  operatorLimit: PLANNING_SHARE,
  accountLimit: PLANNING_SHARE
})

/**
 * Takes stays that are due, with what their plans are worked out from. OFFSET 0 keeps the way from mark to stay to order: in
 * tables it knows nothing of, PostgreSQL began with all orders. A mark that was changed since the statement began lies
 * elsewhere by then and is left to the next: so whatever a stay was marked for is seen.
 */
export const takingDue = (sql: SqlClient, taking: Givens<ClaimRequest>): Fragment => {
  const queue = stayQueue(sql)
  return sql`
  WITH RECURSIVE ${claimableRowsSql(sql, queue, taking)}, taken AS (
    UPDATE automation_stays m SET attempts = m.attempts + 1, due_at = ${taking.leaseEnd}
    WHERE m.ctid = ANY (ARRAY(SELECT place FROM chosen)) AND m.due_at <= ${taking.now}
    RETURNING m.operator_id, m.stay_id, m.attempts, m.failures, m.traceparent
  )
  SELECT taken.operator_id, taken.stay_id, taken.attempts, taken.failures, taken.traceparent, coalesce(o.channel_account_id, 0) AS account_id,
    o.status, s.property_id, o.channel_type, s.check_in_date, s.check_out_date, o.booked_at,
    to_char(coalesce(p.checkin_time, host.default_checkin_time), 'HH24:MI') AS check_in_time,
    to_char(coalesce(p.checkout_time, host.default_checkout_time), 'HH24:MI') AS check_out_time, host.time_zone,
    ${isLastStayCondition(sql)} AS is_last
  FROM taken
  CROSS JOIN LATERAL (
    SELECT * FROM stays WHERE operator_id = taken.operator_id AND id = taken.stay_id OFFSET 0) s
  CROSS JOIN LATERAL (
    SELECT * FROM orders WHERE operator_id = s.operator_id AND id = s.order_id OFFSET 0) o
  JOIN operators host ON host.id = taken.operator_id
  LEFT JOIN LATERAL (
    SELECT * FROM properties WHERE operator_id = s.operator_id AND id = s.property_id OFFSET 0) p ON true`
}
