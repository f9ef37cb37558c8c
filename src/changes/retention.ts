import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { applyRetention, nextRows } from "../jobs/retention.ts"
import { IDEMPOTENCY_KEPT_MS, TRAIL_KEPT_MS } from "../platform/limits.ts"
import { HOUR_MS } from "./refusal-counts.ts"

const forgettingKeys = (sql: SqlClient.SqlClient, then: Date): Fragment => sql`
  DELETE FROM idempotency_keys
  WHERE ${nextRows(sql, sql`SELECT ctid FROM idempotency_keys WHERE kept_at <= ${then}`)}`

const forgettingTrail = (sql: SqlClient.SqlClient, then: Date): Fragment => sql`
  DELETE FROM trail WHERE ${nextRows(sql, sql`SELECT ctid FROM trail WHERE at <= ${then}`)}`

const forgettingRefusals = (sql: SqlClient.SqlClient, then: Date): Fragment => sql`
  DELETE FROM refusals WHERE ${nextRows(sql, sql`SELECT ctid FROM refusals WHERE hour <= ${then}`)}`

/** Removes keys, changes and counts of refusals that have been kept for their time, as of now. */
export const retain = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const before = (age: number) => new Date(now.getTime() - age)
  yield* applyRetention(sql, [
    forgettingKeys(sql, before(IDEMPOTENCY_KEPT_MS)),
    forgettingTrail(sql, before(TRAIL_KEPT_MS)),
    // An hour is as old as its end.
    forgettingRefusals(sql, before(TRAIL_KEPT_MS + HOUR_MS))
  ])
})
