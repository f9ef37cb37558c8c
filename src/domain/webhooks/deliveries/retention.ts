import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { forgettingEvents } from "../../../jobs/events/events.ts"
import { applyRetention, nextRows, RETENTION_MS, RETENTION_ROWS } from "../../../jobs/retention.ts"
import { EVENTS_KEPT_MS, WEBHOOK_DEAD_KEPT_MS, WEBHOOK_KEPT_MS, WEBHOOK_WAIT_MS } from "../../../platform/limits.ts"
import { withWork } from "./loose-index-scan.ts"
import { forgettingSubscriptions, isActive } from "./subscriptions.ts"

/** Subscription `s` of each with work. */
const withSubscriptions = (sql: SqlClient.SqlClient): Fragment => sql`
  with_work w JOIN webhook_subscriptions s ON s.operator_id = w.operator_id AND s.id = w.subscription_id`

/**
 * Ends waiting deliveries that were due before `then`, of subscriptions that rest or are paused: it is not for want of a
 * worker. A lane is read from its head on and not to its end, which became due later than its beginning.
 */
const burying = (sql: SqlClient.SqlClient, then: Date, now: Date): Fragment => sql`
  UPDATE webhook_deliveries SET state = 'dead', settled_at = ${now}
  WHERE ctid = ANY (ARRAY(
    WITH RECURSIVE ${withWork(sql)}
    SELECT d.place FROM ${withSubscriptions(sql)}
    CROSS JOIN LATERAL (
      SELECT lane FROM webhook_lanes
      WHERE operator_id = s.operator_id AND subscription_id = s.id AND due_at <= ${then} AND event_id > 0
      ORDER BY due_at, event_id LIMIT ${RETENTION_ROWS}) l
    CROSS JOIN LATERAL (
      SELECT ctid AS place, due_at FROM webhook_deliveries
      WHERE operator_id = s.operator_id AND subscription_id = s.id AND lane = l.lane AND state = 'waiting'
      LIMIT ${RETENTION_ROWS} FOR UPDATE SKIP LOCKED) d
    WHERE NOT (${isActive(sql)}) AND d.due_at <= ${then}
    LIMIT ${RETENTION_ROWS})) AND state = 'waiting'`

const clearingDeleted = (sql: SqlClient.SqlClient): Fragment => sql`
  DELETE FROM webhook_deliveries WHERE ctid = ANY (ARRAY(
    WITH RECURSIVE ${withWork(sql)}
    SELECT d.ctid FROM ${withSubscriptions(sql)}
    JOIN webhook_deliveries d ON d.operator_id = w.operator_id AND d.subscription_id = w.subscription_id
      AND d.state = 'waiting'
    WHERE s.deleted_at IS NOT NULL LIMIT ${RETENTION_ROWS} FOR UPDATE OF d SKIP LOCKED)) AND state = 'waiting'`

const forgettingTries = (sql: SqlClient.SqlClient, then: Date): Fragment => sql`
  DELETE FROM webhook_attempts WHERE ${nextRows(sql, sql`SELECT ctid FROM webhook_attempts WHERE started_at <= ${then}`)}`

const forgettingSettled = (sql: SqlClient.SqlClient, state: "delivered" | "dead", then: Date): Fragment => sql`
  DELETE FROM webhook_deliveries
  WHERE ${nextRows(sql, sql`SELECT ctid FROM webhook_deliveries WHERE state = ${state} AND settled_at <= ${then}`)}`

const undelivered = (sql: SqlClient.SqlClient): Fragment => sql`
  NOT EXISTS (
    SELECT FROM webhook_deliveries d WHERE d.operator_id = events.operator_id AND d.event_id = events.id)`

/** Ends what has waited too long and removes what nobody looks at any more, as of this time. */
export const retain = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const before = (age: number) => new Date(now.getTime() - age)
  yield* applyRetention(sql, [
    burying(sql, before(WEBHOOK_WAIT_MS), now),
    clearingDeleted(sql),
    forgettingTries(sql, before(WEBHOOK_KEPT_MS)),
    forgettingSettled(sql, "delivered", before(WEBHOOK_KEPT_MS)),
    forgettingSettled(sql, "dead", before(WEBHOOK_DEAD_KEPT_MS)),
    forgettingEvents(sql, before(EVENTS_KEPT_MS), undelivered(sql)),
    // By then the last dead letter of a deleted subscription is gone.
    forgettingSubscriptions(sql, before(WEBHOOK_DEAD_KEPT_MS + RETENTION_MS))
  ])
})
