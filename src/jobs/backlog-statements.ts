import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** Counting stops at this number plus 1, which means "more than the limit". */
export const BACKLOG_COUNT_LIMIT = 10_000

export interface BacklogSource {
  /**
   * CTEs of a `WITH RECURSIVE`. The last one, `with_work`, has a row per operator or channel account with pending jobs.
   */
  readonly candidates: Fragment
  readonly condition: Fragment
  /** `FROM … WHERE …` of the due jobs of a row of `with_work`. An index must have them by `due_at`. */
  readonly dueRows: Fragment
}

/** Selects `due`, at most BACKLOG_COUNT_LIMIT + 1, and `oldest_at`, null if no job is due. */
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
