import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { applyRetention, nextRowsCondition } from "../../jobs/retention.ts"
import { NOTIFICATION_RETENTION_MS } from "../../platform/limits.ts"
import { failuresSql } from "./failure-watch.ts"

/** Keeps the row of a webhook or calendar that still fails. Without the row, the account would get a second notification. */
const isOverCondition = (sql: SqlClient.SqlClient) => sql`
  NOT EXISTS (
    SELECT FROM (${failuresSql(sql)}) f
    WHERE f.operator_id = notifications.operator_id AND f.kind = notifications.kind AND f.event_key = notifications.event_key)`

export const applyNotificationRetention = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const cutoff = new Date(now.getTime() - NOTIFICATION_RETENTION_MS)
  yield* applyRetention(sql, [
    sql`
      DELETE FROM notifications
      WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM notifications WHERE created_at <= ${cutoff} AND ${isOverCondition(sql)}`)}`
  ])
})
