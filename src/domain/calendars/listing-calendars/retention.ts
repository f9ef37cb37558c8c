import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { applyRetention, nextRows } from "../../../jobs/retention.ts"
import { LISTING_PUSHES_KEPT_MS } from "../../../platform/limits.ts"

/** Removes what channels were told, or refused, and nobody looks at any more, as of now. */
export const retain = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const then = new Date(now.getTime() - LISTING_PUSHES_KEPT_MS)
  yield* applyRetention(sql, [
    sql`
      DELETE FROM listing_pushes
      WHERE ${nextRows(sql, sql`SELECT ctid FROM listing_pushes WHERE settled_at <= ${then}`)}`
  ])
})
