import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { periodically } from "../../../jobs/loop.ts"
import { applyRetention, nextRows, RETENTION_MS } from "../../../jobs/retention.ts"
import { KNOWN_BROWSER_MS, SIGN_IN_FORGOTTEN_MS } from "../../../platform/limits.ts"

const forgettingSessions = (sql: SqlClient.SqlClient, now: Date): Fragment => sql`
  DELETE FROM console_sessions
  WHERE ${nextRows(sql, sql`SELECT ctid FROM console_sessions WHERE expires_at <= ${now}`)}`

const forgettingFailures = (sql: SqlClient.SqlClient, then: Date): Fragment => sql`
  DELETE FROM sign_in_failures
  WHERE ${nextRows(sql, sql`SELECT ctid FROM sign_in_failures WHERE failed_at <= ${then}`)}`

const forgettingBrowsers = (sql: SqlClient.SqlClient, then: Date): Fragment => sql`
  DELETE FROM known_browsers WHERE ${nextRows(sql, sql`SELECT ctid FROM known_browsers WHERE signed_in_at <= ${then}`)}`

/** Removes sessions that are over, failed sign-ins that are forgotten and browsers that are known no longer, as of now. */
export const retain = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const before = (age: number) => new Date(now.getTime() - age)
  yield* applyRetention(sql, [
    forgettingSessions(sql, now),
    forgettingFailures(sql, before(SIGN_IN_FORGOTTEN_MS)),
    forgettingBrowsers(sql, before(KNOWN_BROWSER_MS))
  ])
})

/** The same for as long as the process runs, over a database. */
export const layerConsoleRetention = Layer.effectDiscard(periodically("retention of sessions", RETENTION_MS, retain))
