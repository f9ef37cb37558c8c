import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { applyRetention, nextRows } from "../../../jobs/retention.ts"
import { CALENDAR_DAYS_KEPT_MS } from "../../../platform/limits.ts"

/** Removes days that are long past, as of now. That they were busy stays counted: nobody asks for them any more. */
export const retain = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const then = new Date(now.getTime() - CALENDAR_DAYS_KEPT_MS)
  yield* applyRetention(sql, [
    sql`
      DELETE FROM imported_days
      WHERE ${nextRows(sql, sql`SELECT ctid FROM imported_days WHERE day < ${then}::date`)}`
  ])
})
