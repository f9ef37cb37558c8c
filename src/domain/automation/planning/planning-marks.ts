import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { InternalSubscriber } from "../../../jobs/events/internal-subscribers.ts"
import { RULE_TRIGGER_DAYS } from "../../../platform/limits.ts"
import { isStayRuleCondition } from "../rules/store.ts"

// A mark says that the plans of a stay are to be worked out (planner.ts). Whoever marks one does not know what will come of it.

/** When a mark is due: at once, or at once and before whatever a changed rule has marked, be it a hundred thousand stays. */
export const DUE_NOW = "0 seconds"
const DUE_BEFORE_RULE_CHANGES = "1 day"

/** Days after its check-out that a rule may still act on a stay: two more for the time zone, and for what is late. */
export const MARKED_DAYS_AFTER_CHECK_OUT = RULE_TRIGGER_DAYS + 2

/**
 * Marks stays as to be looked at now. `marked` selects `operator_id, stay_id, account_id, traceparent`, each stay
 * once. What a planner has in
 * hand is due again by that: it may have read the stay before it changed. What is due already is written anew too, so that who
 * began to take it before the stay changed passes it by. The stays themselves are locked first, as by whoever removes them: then
 * none is marked that is just going.
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

/** The channel account of the order of a stay `s`; 0: it has none. */
export const channelAccountIdSql = (sql: SqlClient): Fragment => sql`
  coalesce((SELECT o.channel_account_id FROM orders o WHERE o.operator_id = s.operator_id AND o.id = s.order_id), 0)`

/**
 * Of a row `e`: whether its operator has rules that do something of stays. Paused ones count: what they did of a stay is
 * remembered as long as it lasts by now, and not done again when they are resumed.
 */
export const hasStayRulesCondition = (sql: SqlClient): Fragment => sql`
  EXISTS (SELECT FROM automation_rules r
    WHERE r.operator_id = e.operator_id AND r.state <> 'removed' AND ${isStayRuleCondition(sql, sql`r.definition`)})`

/**
 * Of an event `e`: whether it may tell of what plans are worked out from (PlanningQueue.ts). These do not: a message is filled in when it
 * is said, and asks for the door code then. `rates_updated` does: a host who connects anew has his orders told by another
 * account, and where their rates are new too, nothing else is told of it.
 */
const affectsPlansCondition = (sql: SqlClient): Fragment => sql`
  coalesce(e.payload ->> 'sub_event', '') NOT IN ('remarks_updated', 'check_in_details_updated',
    'arrival_and_departure_time_updated', 'lock_code_updated', 'lock_code_deleted')`

/**
 * Whatever changes a stay tells of it. From there all stays of its order are to be looked at: which of them is the last decides
 * where the review belongs.
 */
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
