import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { InternalSubscriber } from "../../../jobs/events/internal-subscribers.ts"
import { RULE_TRIGGER_DAYS } from "../../../platform/limits.ts"
import { isStayRuleCondition } from "../rules/store.ts"

// A mark (a row of `automation_stays`) requests new planning of a stay.

/**
 * The time by which a mark's `due_at` is dated back. A changed rule may mark 100,000 stays. A changed stay must be
 * planned before them.
 */
export const DUE_NOW = "0 seconds"
const DUE_BEFORE_RULE_CHANGES = "1 day"

/** Stays that checked out earlier are not marked. The two extra days cover time zones and delays. */
export const MARKED_DAYS_AFTER_CHECK_OUT = RULE_TRIGGER_DAYS + 2

/**
 * `staysSql` must select `operator_id, stay_id, account_id, traceparent`, each stay once, and lock the stays.
 *
 * A claimed stay becomes due again, because its planner may have read it before the change. Marks that are already due
 * are rewritten, so that a concurrent claim skips them.
 */
export const markStaysForPlanningSql = (
  sql: SqlClient,
  staysSql: Fragment,
  now: Date,
  priority: typeof DUE_NOW | typeof DUE_BEFORE_RULE_CHANGES
): Fragment => sql`
  INSERT INTO automation_stays AS mark (operator_id, stay_id, account_id, due_at, traceparent)
  SELECT operator_id, stay_id, account_id, ${now}::timestamptz - ${sql.literal(`interval '${priority}'`)}, traceparent
  FROM (${staysSql}) marked
  ORDER BY operator_id, stay_id
  ON CONFLICT (operator_id, stay_id) DO UPDATE
    SET due_at = least(mark.due_at, excluded.due_at), account_id = excluded.account_id, failures = 0,
      traceparent = coalesce(excluded.traceparent, mark.traceparent)
  RETURNING operator_id`

/** 0 if the order has no channel account. */
export const channelAccountIdSql = (sql: SqlClient): Fragment => sql`
  coalesce((SELECT o.channel_account_id FROM orders o WHERE o.operator_id = s.operator_id AND o.id = s.order_id), 0)`

/**
 * Includes paused rules, because planning extends how long their completed plans are kept. Otherwise a resumed rule
 * could repeat an action.
 */
export const hasStayRulesCondition = (sql: SqlClient): Fragment => sql`
  EXISTS (SELECT FROM automation_rules r
    WHERE r.operator_id = e.operator_id AND r.state <> 'removed' AND ${isStayRuleCondition(sql, sql`r.definition`)})`

/**
 * Excludes events that change only texts, because texts are rendered when they are sent. `rates_updated` may be the
 * only event when an order moves to another channel account.
 */
const affectsPlansCondition = (sql: SqlClient): Fragment => sql`
  coalesce(e.payload ->> 'sub_event', '') NOT IN ('remarks_updated', 'check_in_details_updated',
    'arrival_and_departure_time_updated', 'lock_code_updated', 'lock_code_deleted')`

/** Marks all stays of the order, because its review is due after the last one, and another stay may now be last. */
export const markStaysOfReservationEvents: InternalSubscriber = (sql, dispatchedEvents, now) =>
  markStaysForPlanningSql(
    sql,
    sql`
      SELECT s.operator_id, s.id AS stay_id, ${channelAccountIdSql(sql)} AS account_id, of_order.traceparent
      FROM (
        SELECT told.operator_id, told.order_id, min(e.traceparent) AS traceparent FROM (
          SELECT e.operator_id, e.payload ->> 'stay_code' AS stay_code, e.traceparent FROM ${dispatchedEvents} e
          WHERE e.event IN ('reservation_created', 'reservation_updated') AND ${affectsPlansCondition(sql)}
            AND ${hasStayRulesCondition(sql)} OFFSET 0
        ) e
        JOIN stays told ON told.operator_id = e.operator_id AND told.stay_code = e.stay_code
        GROUP BY 1, 2
      ) of_order
      JOIN stays s ON s.operator_id = of_order.operator_id AND s.order_id = of_order.order_id
      ORDER BY s.operator_id, s.id FOR KEY SHARE OF s`,
    now,
    DUE_BEFORE_RULE_CHANGES
  )
