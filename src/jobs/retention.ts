import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { makeOptionalRowReader } from "../platform/database/rows.ts"

// Each statement changes a bounded number of rows and skips locked rows, so several processes can run it at once.

export const RETENTION_BATCH_ROWS = 1_000
export const RETENTION_INTERVAL_MS = 5 * 60 * 1000

const readCount = makeOptionalRowReader(Schema.Struct({ rows: Schema.Int }))

/**
 * Returns a condition for the next rows of the query `rows`, which selects their ctid. The lock keeps the ctid valid.
 * `lockedTable` is needed if `rows` reads several tables.
 */
export const nextRowsCondition = (sql: SqlClient, rows: Fragment, lockedTable?: string): Fragment => {
  const tableClause = lockedTable === undefined ? [] : ["OF", lockedTable]
  const lockClause = sql.literal(["FOR UPDATE", ...tableClause, "SKIP LOCKED"].join(" "))
  return sql`ctid = ANY (ARRAY(${rows} LIMIT ${RETENTION_BATCH_ROWS} ${lockClause}))`
}

/** `sideStatement` runs in the same statement and reads the `returning` columns of the CTE `changed`. */
export interface RetentionChange {
  readonly change: Fragment
  readonly returning: Fragment
  readonly sideStatement: Fragment
}

const isFragment = (change: Fragment | RetentionChange): change is Fragment => !("sideStatement" in change)

const countedChangeSql = (sql: SqlClient, change: Fragment | RetentionChange) =>
  isFragment(change)
    ? sql`WITH changed AS (${change} RETURNING 1) SELECT count(*) AS rows FROM changed`
    : sql`
        WITH changed AS (${change.change} RETURNING ${change.returning}), beside AS (${change.sideStatement})
        SELECT count(*) AS rows FROM changed`

export const applyRetention = Effect.fnUntraced(function* (
  sql: SqlClient,
  changes: ReadonlyArray<Fragment | RetentionChange>
) {
  for (const change of changes) {
    const runBatch = readCount(countedChangeSql(sql, change))
    while (((yield* runBatch)?.rows ?? 0) >= RETENTION_BATCH_ROWS) yield* Effect.yieldNow
  }
})
