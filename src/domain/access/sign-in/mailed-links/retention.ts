import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { applyRetention, nextRowsCondition } from "../../../../jobs/retention.ts"
import { LINK_MAIL_RETENTION_MS } from "../../../../platform/limits.ts"
import { deleteOldMailCountsSql } from "./mail-counts.ts"

/** A link is valid for at most a day, so older rows are of no use. */
export const applyLinkRetention = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const cutoff = new Date(now.getTime() - LINK_MAIL_RETENTION_MS)
  yield* applyRetention(sql, [
    sql`
      DELETE FROM mailed_links
      WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM mailed_links WHERE requested_at <= ${cutoff}`)}`,
    deleteOldMailCountsSql(sql, now)
  ])
})
