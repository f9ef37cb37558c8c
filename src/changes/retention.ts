import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { applyRetention, nextRowsCondition, RETENTION_INTERVAL_MS } from "../jobs/retention.ts"
import { repeatPeriodically } from "../jobs/WorkSchedule.ts"
import { AUDIT_RETENTION_MS, IDEMPOTENCY_RETENTION_MS } from "../platform/limits.ts"
import { HOUR_MS } from "./failed-call-counts.ts"

const deleteExpiredKeysSql = (sql: SqlClient.SqlClient, cutoff: Date): Fragment => sql`
  DELETE FROM idempotency_keys
  WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM idempotency_keys WHERE kept_at <= ${cutoff}`)}`

const deleteExpiredAuditEntriesSql = (sql: SqlClient.SqlClient, cutoff: Date): Fragment => sql`
  DELETE FROM trail WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM trail WHERE at <= ${cutoff}`)}`

const deleteExpiredFailedCallsSql = (sql: SqlClient.SqlClient, cutoff: Date): Fragment => sql`
  DELETE FROM refusals WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM refusals WHERE hour <= ${cutoff}`)}`

export const deleteExpiredChangeData = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const cutoffFor = (age: number) => new Date(now.getTime() - age)
  yield* applyRetention(sql, [
    deleteExpiredKeysSql(sql, cutoffFor(IDEMPOTENCY_RETENTION_MS)),
    deleteExpiredAuditEntriesSql(sql, cutoffFor(AUDIT_RETENTION_MS)),
    // `hour` is the start of an hour, whose age counts from its end.
    deleteExpiredFailedCallsSql(sql, cutoffFor(AUDIT_RETENTION_MS + HOUR_MS))
  ])
})

export const layerChangeRetention = Layer.effectDiscard(
  repeatPeriodically("retention of the audit log", RETENTION_INTERVAL_MS, deleteExpiredChangeData)
)
