import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { readNextDue } from "../../../jobs/next-due.ts"
import { applyRetention, nextRowsCondition, RETENTION_INTERVAL_MS } from "../../../jobs/retention.ts"
import { repeatPeriodically } from "../../../jobs/WorkSchedule.ts"
import { BASE_PRICE_RETENTION_DAYS } from "../../../platform/limits.ts"

const RETENTION_DAYS_SQL = String(BASE_PRICE_RETENTION_DAYS)

const isExpiredCondition = (sql: SqlClient.SqlClient, now: Date): Fragment => sql`
  date < (${now}::timestamptz AT TIME ZONE 'UTC')::date - ${sql.literal(RETENTION_DAYS_SQL)}`

/** Deletes base prices of days older than BASE_PRICE_RETENTION_DAYS. */
export const deletePastBasePrices = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  yield* applyRetention(sql, [
    sql`
      DELETE FROM base_prices
      WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM base_prices WHERE ${isExpiredCondition(sql, now)} ORDER BY date`)}`
  ])
})

/** Returns the UTC midnight at which the oldest day expires. */
const findNextPastDay = (sql: SqlClient.SqlClient) => (until: Date) =>
  readNextDue(sql`
    SELECT count(*) AS due,
      (min(date) + ${sql.literal(RETENTION_DAYS_SQL)} + 1)::timestamp AT TIME ZONE 'UTC' AS oldest_at
    FROM base_prices WHERE ${isExpiredCondition(sql, until)}`)

export const layerBasePriceRetention = Layer.effectDiscard(
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    repeatPeriodically("retention of base prices", RETENTION_INTERVAL_MS, deletePastBasePrices, findNextPastDay(sql))
  )
)
