import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { BacklogSource } from "../../../jobs/backlog-statements.ts"
import { subscriptionActiveCondition } from "./subscription-statements.ts"

/** The recursive CTE `with_work` is a loose index scan, so its cost does not grow with the queues. */
export const dueSubscriptionsSql = (sql: SqlClient): Fragment => sql`
  with_work AS (
    (SELECT operator_id, subscription_id FROM webhook_lanes
      ORDER BY operator_id, subscription_id LIMIT 1)
    UNION ALL
    SELECT following.* FROM with_work CROSS JOIN LATERAL (
      SELECT l.operator_id, l.subscription_id FROM webhook_lanes l
      WHERE (l.operator_id, l.subscription_id) > (with_work.operator_id, with_work.subscription_id)
      ORDER BY l.operator_id, l.subscription_id LIMIT 1) following
  )`

/** Does not count subscriptions that are paused or in cooldown. */
export const webhookBacklog = (sql: SqlClient, now: Date): BacklogSource => ({
  candidates: dueSubscriptionsSql(sql),
  condition: sql`EXISTS (
    SELECT FROM webhook_subscriptions s
    WHERE s.operator_id = with_work.operator_id AND s.id = with_work.subscription_id AND s.deleted_at IS NULL
      AND ${subscriptionActiveCondition(sql)})`,
  dueRows: sql`
    FROM webhook_lanes WHERE operator_id = with_work.operator_id AND subscription_id = with_work.subscription_id
      AND event_id > 0 AND due_at <= ${now}`
})
