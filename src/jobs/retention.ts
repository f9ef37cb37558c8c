import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { rowOf } from "../platform/database/rows.ts"

// How long something is kept. Each statement of a retention works on a bounded number of rows and skips those another
// process has in hand, so several processes may do it at once and nothing else waits for them.

/** Rows one statement changes, and milliseconds between two rounds. */
export const RETENTION_ROWS = 1_000
export const RETENTION_MS = 5 * 60 * 1000

const readCount = rowOf(Schema.Struct({ rows: Schema.Int }))

/**
 * The next rows that `rows` finds, which answers their ctid: the lock keeps them where they lie until the statement ends. Where it
 * looks at several tables, `of` says whose rows they are.
 */
export const nextRows = (sql: SqlClient, rows: Fragment, of?: string): Fragment => {
  const whose = of === undefined ? [] : ["OF", of]
  const locked = sql.literal(["FOR UPDATE", ...whose, "SKIP LOCKED"].join(" "))
  return sql`ctid = ANY (ARRAY(${rows} LIMIT ${RETENTION_ROWS} ${locked}))`
}

/** A change of a retention, and what the same statement does beside it with the rows it answers, the CTE `changed`. */
export interface Retention {
  readonly change: Fragment
  readonly returning: Fragment
  readonly beside: Fragment
}

const isPlain = (change: Fragment | Retention): change is Fragment => !("beside" in change)

const counting = (sql: SqlClient, change: Fragment | Retention) =>
  isPlain(change)
    ? sql`WITH changed AS (${change} RETURNING 1) SELECT count(*) AS rows FROM changed`
    : sql`
        WITH changed AS (${change.change} RETURNING ${change.returning}), beside AS (${change.beside})
        SELECT count(*) AS rows FROM changed`

/** Runs each change, one after the other, until it finds less than it may change at once. */
export const applyRetention = Effect.fnUntraced(function* (
  sql: SqlClient,
  changes: ReadonlyArray<Fragment | Retention>
) {
  for (const change of changes) {
    const counted = readCount(counting(sql, change))
    while (((yield* counted)?.rows ?? 0) >= RETENTION_ROWS) yield* Effect.yieldNow
  }
})
