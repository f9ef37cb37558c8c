import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { makeOptionalRowReader } from "../platform/database/rows.ts"

// How long something is kept. Each statement of a retention works on a bounded number of rows and skips those another
// process has in hand, so several processes may do it at once and nothing else waits for them.

/** Rows one statement changes, and milliseconds between two rounds. */
export const RETENTION_BATCH_ROWS = 1_000
export const RETENTION_INTERVAL_MS = 5 * 60 * 1000

const readCount = makeOptionalRowReader(Schema.Struct({ rows: Schema.Int }))

/**
 * The next rows that `rows` finds, which answers their ctid: the lock keeps them where they lie until the statement ends. Where it
 * looks at several tables, `of` says whose rows they are.
 */
export const nextRowsCondition = (sql: SqlClient, rows: Fragment, lockedTable?: string): Fragment => {
  const tableClause = lockedTable === undefined ? [] : ["OF", lockedTable]
  const lockClause = sql.literal(["FOR UPDATE", ...tableClause, "SKIP LOCKED"].join(" "))
  return sql`ctid = ANY (ARRAY(${rows} LIMIT ${RETENTION_BATCH_ROWS} ${lockClause}))`
}

/** A change of a retention, and what the same statement does beside it with the rows it answers, the CTE `changed`. */
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

/** Runs each change, one after the other, until it finds less than it may change at once. */
export const applyRetention = Effect.fnUntraced(function* (
  sql: SqlClient,
  changes: ReadonlyArray<Fragment | RetentionChange>
) {
  for (const change of changes) {
    const runBatch = readCount(countedChangeSql(sql, change))
    while (((yield* runBatch)?.rows ?? 0) >= RETENTION_BATCH_ROWS) yield* Effect.yieldNow
  }
})
