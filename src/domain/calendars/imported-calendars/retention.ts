import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { applyRetention, nextRowsCondition } from "../../../jobs/retention.ts"
import { CALENDAR_DAY_RETENTION_MS } from "../../../platform/limits.ts"

/** Removes days that are long past, as of now. That they were busy stays counted: nobody asks for them any more. */
export const deletePastImportedDays = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const cutoff = new Date(now.getTime() - CALENDAR_DAY_RETENTION_MS)
  yield* applyRetention(sql, [
    sql`
      DELETE FROM imported_days
      WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM imported_days WHERE day < ${cutoff}::date`)}`
  ])
})
