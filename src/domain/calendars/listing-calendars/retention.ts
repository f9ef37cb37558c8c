import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { applyRetention, nextRowsCondition } from "../../../jobs/retention.ts"
import { LISTING_PUSH_RETENTION_MS } from "../../../platform/limits.ts"

export const deleteOldPushes = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const cutoff = new Date(now.getTime() - LISTING_PUSH_RETENTION_MS)
  yield* applyRetention(sql, [
    sql`
      DELETE FROM listing_pushes
      WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM listing_pushes WHERE settled_at <= ${cutoff}`)}`
  ])
})
