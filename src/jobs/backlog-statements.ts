import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** Rows of a backlog that are counted; one more says that there are more. */
export const BACKLOG_COUNT_LIMIT = 10_000

/** Work that is due, as its backlog is looked for. */
export interface BacklogSource {
  /** CTEs of a `WITH RECURSIVE`, the last of them `with_work`: whose work is looked at, a row each, found without reading all of it. */
  readonly candidates: Fragment
  /** Which of these: what waits by design is no backlog. */
  readonly condition: Fragment
  /** `FROM … WHERE …`: the due rows of a row of `with_work`, which an index has in the order of their `due_at`. */
  readonly dueRows: Fragment
}

/**
 * How much is due, up to BACKLOG_COUNT_LIMIT and one, and since when the oldest is: a row `due`, `oldest_at` (null: nothing is). It
 * goes from one who has work to the next as a worker does that takes it, and reads as many rows as it counts.
 */
export const backlogSql = (sql: SqlClient, { candidates, condition, dueRows }: BacklogSource): Fragment => {
  const limit = sql.literal(String(BACKLOG_COUNT_LIMIT + 1))
  return sql`
  WITH RECURSIVE ${candidates}, oldest AS MATERIALIZED (
    SELECT with_work.*, first.due_at FROM with_work
    CROSS JOIN LATERAL (SELECT due_at ${dueRows} ORDER BY due_at LIMIT 1) first WHERE ${condition}
  )
  SELECT (
    SELECT count(*) FROM (
      SELECT FROM oldest with_work CROSS JOIN LATERAL (SELECT ${dueRows} LIMIT ${limit}) counted LIMIT ${limit}) counted
  ) AS due, (SELECT min(due_at) FROM oldest) AS oldest_at`
}
