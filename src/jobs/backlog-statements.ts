import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** Rows of a backlog that are counted. A count of one more means that there are more. */
export const BACKLOG_COUNT_LIMIT = 10_000

/** Where the due jobs of a kind are found. */
export interface BacklogSource {
  /** CTEs of a `WITH RECURSIVE`, the last of them `with_work`: one row per operator or account with pending jobs, by a loose index scan. */
  readonly candidates: Fragment
  /** Which of these rows count. Jobs of a paused subscription or a suspended operator are no backlog. */
  readonly condition: Fragment
  /** `FROM … WHERE …`: the due jobs of a row of `with_work`. An index has them in the order of `due_at`. */
  readonly dueRows: Fragment
}

/**
 * Selects one row: `due`, the number of due jobs, at most BACKLOG_COUNT_LIMIT + 1, and `oldest_at`, since when the oldest is due (null:
 * none is). It finds the jobs as a claim does, and reads as many rows as it counts.
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
