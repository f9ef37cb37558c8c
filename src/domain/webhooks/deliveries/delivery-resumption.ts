import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { computeLeaseEnd } from "../../../jobs/lease.ts"

export const MAX_RESUMED_DELIVERIES = 1_000

/**
 * Makes pending retries of the subscriptions in the CTE `changed` due now. SKIP LOCKED avoids a deadlock with a worker
 * that stores an outcome. A delivery that is due within one lease may be claimed, so its `due_at` stays.
 */
export const resumeDeliveriesSql = (sql: SqlClient, now: Date, leaseMs: number): Fragment => sql`
  UPDATE webhook_deliveries d SET due_at = ${now}
  FROM (
    SELECT w.operator_id, w.event_id, w.subscription_id
    FROM (
      SELECT l.operator_id, l.event_id, l.subscription_id FROM webhook_lanes l
      JOIN changed ON l.operator_id = changed.operator_id AND l.subscription_id = changed.id
      WHERE l.due_at > ${computeLeaseEnd(now, leaseMs)} AND l.event_id > 0
      ORDER BY l.due_at LIMIT ${MAX_RESUMED_DELIVERIES}
    ) head
    JOIN webhook_deliveries w ON w.operator_id = head.operator_id AND w.event_id = head.event_id
      AND w.subscription_id = head.subscription_id AND w.settled_at IS NULL
    FOR NO KEY UPDATE OF w SKIP LOCKED
  ) later
  WHERE d.operator_id = later.operator_id AND d.event_id = later.event_id
    AND d.subscription_id = later.subscription_id AND d.state = 'waiting'`
