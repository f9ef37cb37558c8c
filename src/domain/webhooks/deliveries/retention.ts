import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { oldEventRetention } from "../../../jobs/events/event-statements.ts"
import {
  applyRetention,
  nextRowsCondition,
  RETENTION_BATCH_ROWS,
  RETENTION_INTERVAL_MS
} from "../../../jobs/retention.ts"
import {
  EVENT_RETENTION_MS,
  WEBHOOK_DEAD_LETTER_AFTER_MS,
  WEBHOOK_DEAD_LETTER_RETENTION_MS,
  WEBHOOK_RETENTION_MS
} from "../../../platform/limits.ts"
import { dueSubscriptionsSql } from "./due-subscriptions.ts"
import { deleteOldSubscriptionsSql, subscriptionActiveCondition } from "./subscription-statements.ts"

const pendingSubscriptionsSql = (sql: SqlClient.SqlClient): Fragment => sql`
  with_work w JOIN webhook_subscriptions s ON s.operator_id = w.operator_id AND s.id = w.subscription_id`

/** For subscriptions that are paused or in cooldown. Reads only the next delivery of each queue partition. */
const deadLetterWaitingSql = (sql: SqlClient.SqlClient, cutoff: Date, now: Date): Fragment => sql`
  UPDATE webhook_deliveries SET state = 'dead', settled_at = ${now}
  WHERE ctid = ANY (ARRAY(
    WITH RECURSIVE ${dueSubscriptionsSql(sql)}
    SELECT d.place FROM ${pendingSubscriptionsSql(sql)}
    CROSS JOIN LATERAL (
      SELECT lane FROM webhook_lanes
      WHERE operator_id = s.operator_id AND subscription_id = s.id AND due_at <= ${cutoff} AND event_id > 0
      ORDER BY due_at, event_id LIMIT ${RETENTION_BATCH_ROWS}) l
    CROSS JOIN LATERAL (
      SELECT ctid AS place, due_at FROM webhook_deliveries
      WHERE operator_id = s.operator_id AND subscription_id = s.id AND lane = l.lane AND state = 'waiting'
      LIMIT ${RETENTION_BATCH_ROWS} FOR UPDATE SKIP LOCKED) d
    WHERE NOT (${subscriptionActiveCondition(sql)}) AND d.due_at <= ${cutoff}
    LIMIT ${RETENTION_BATCH_ROWS})) AND state = 'waiting'`

const deleteWaitingOfDeletedSql = (sql: SqlClient.SqlClient): Fragment => sql`
  DELETE FROM webhook_deliveries WHERE ctid = ANY (ARRAY(
    WITH RECURSIVE ${dueSubscriptionsSql(sql)}
    SELECT d.ctid FROM ${pendingSubscriptionsSql(sql)}
    JOIN webhook_deliveries d ON d.operator_id = w.operator_id AND d.subscription_id = w.subscription_id
      AND d.state = 'waiting'
    WHERE s.deleted_at IS NOT NULL LIMIT ${RETENTION_BATCH_ROWS} FOR UPDATE OF d SKIP LOCKED)) AND state = 'waiting'`

const deleteOldAttemptsSql = (sql: SqlClient.SqlClient, cutoff: Date): Fragment => sql`
  DELETE FROM webhook_attempts WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM webhook_attempts WHERE started_at <= ${cutoff}`)}`

const deleteSettledDeliveriesSql = (
  sql: SqlClient.SqlClient,
  state: "delivered" | "dead",
  cutoff: Date
): Fragment => sql`
  DELETE FROM webhook_deliveries
  WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM webhook_deliveries WHERE state = ${state} AND settled_at <= ${cutoff}`)}`

const undeliveredCondition = (sql: SqlClient.SqlClient): Fragment => sql`
  NOT EXISTS (
    SELECT FROM webhook_deliveries d WHERE d.operator_id = events.operator_id AND d.event_id = events.id)`

export const applyDeliveryRetention = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const toCutoff = (age: number) => new Date(now.getTime() - age)
  yield* applyRetention(sql, [
    deadLetterWaitingSql(sql, toCutoff(WEBHOOK_DEAD_LETTER_AFTER_MS), now),
    deleteWaitingOfDeletedSql(sql),
    deleteOldAttemptsSql(sql, toCutoff(WEBHOOK_RETENTION_MS)),
    deleteSettledDeliveriesSql(sql, "delivered", toCutoff(WEBHOOK_RETENTION_MS)),
    deleteSettledDeliveriesSql(sql, "dead", toCutoff(WEBHOOK_DEAD_LETTER_RETENTION_MS)),
    oldEventRetention(sql, toCutoff(EVENT_RETENTION_MS), undeliveredCondition(sql)),
    deleteOldSubscriptionsSql(sql, toCutoff(WEBHOOK_DEAD_LETTER_RETENTION_MS + RETENTION_INTERVAL_MS))
  ])
})
