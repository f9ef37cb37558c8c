import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { readNextDue } from "../../../jobs/next-due.ts"
import { applyRetention, nextRowsCondition, RETENTION_INTERVAL_MS } from "../../../jobs/retention.ts"
import { repeatPeriodically } from "../../../jobs/WorkSchedule.ts"
import { QUOTE_RETENTION_MS } from "../../../platform/limits.ts"

export const deleteExpiredQuotes = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const cutoff = new Date(now.getTime() - QUOTE_RETENTION_MS)
  yield* applyRetention(sql, [
    sql`
      DELETE FROM quotes
      WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM quotes WHERE expires_at <= ${cutoff} ORDER BY expires_at`)}`
  ])
})

const findNextExpiry = (sql: SqlClient.SqlClient) => (until: Date) =>
  readNextDue(sql`
    SELECT count(*) AS due, min(expires_at) + ${QUOTE_RETENTION_MS} * interval '1 millisecond' AS oldest_at
    FROM quotes WHERE expires_at <= ${new Date(until.getTime() - QUOTE_RETENTION_MS)}`)

export const layerQuoteRetention = Layer.effectDiscard(
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    repeatPeriodically("retention of quotes", RETENTION_INTERVAL_MS, deleteExpiredQuotes, findNextExpiry(sql))
  )
)
