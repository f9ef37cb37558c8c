import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { applyRetention, nextRowsCondition, RETENTION_INTERVAL_MS } from "../../../jobs/retention.ts"
import { repeatPeriodically } from "../../../jobs/WorkSchedule.ts"
import { KNOWN_BROWSER_MS, SIGN_IN_FAILURE_RESET_MS } from "../../../platform/limits.ts"
import { applyLinkRetention } from "./mailed-links/retention.ts"

const deleteExpiredSessionsSql = (sql: SqlClient.SqlClient, now: Date): Fragment => sql`
  DELETE FROM console_sessions
  WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM console_sessions WHERE expires_at <= ${now}`)}`

const deleteOldFailuresSql = (sql: SqlClient.SqlClient, cutoff: Date): Fragment => sql`
  DELETE FROM sign_in_failures
  WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM sign_in_failures WHERE failed_at <= ${cutoff}`)}`

const deleteOldKnownBrowsersSql = (sql: SqlClient.SqlClient, cutoff: Date): Fragment => sql`
  DELETE FROM known_browsers WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM known_browsers WHERE signed_in_at <= ${cutoff}`)}`

export const applySessionRetention = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const before = (age: number) => new Date(now.getTime() - age)
  yield* applyRetention(sql, [
    deleteExpiredSessionsSql(sql, now),
    deleteOldFailuresSql(sql, before(SIGN_IN_FAILURE_RESET_MS)),
    deleteOldKnownBrowsersSql(sql, before(KNOWN_BROWSER_MS))
  ])
})

export const layerSessionRetention = Layer.mergeAll(
  Layer.effectDiscard(repeatPeriodically("retention of sessions", RETENTION_INTERVAL_MS, applySessionRetention)),
  Layer.effectDiscard(repeatPeriodically("retention of mailed links", RETENTION_INTERVAL_MS, applyLinkRetention))
)
