import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { channelAccountIdSql, DUE_NOW, MARKED_DAYS_AFTER_CHECK_OUT, markStaysForPlanningSql } from "./planning-marks.ts"

// A changed rule affects all stays of its operator. They are marked for new planning in pages, by descending id.
// `mark_before` of the rule stores the progress, so any process can continue.

export const MARKED_STAYS_PER_PAGE = 500
export const MARKED_OPERATORS_PER_STATEMENT = 20

interface MarkStayPageParameters {
  readonly afterOperatorId: number
  readonly now: Date
}

const nextOperatorsSql = (sql: SqlClient, { afterOperatorId }: MarkStayPageParameters): Fragment => sql`
  operator AS (
    (SELECT operator_id, 1 AS nth FROM automation_rules
      WHERE mark_before IS NOT NULL AND operator_id > ${afterOperatorId} ORDER BY operator_id LIMIT 1)
    UNION ALL
    SELECT following.operator_id, operator.nth + 1 FROM operator CROSS JOIN LATERAL (
      SELECT r.operator_id FROM automation_rules r
      WHERE r.mark_before IS NOT NULL AND r.operator_id > operator.operator_id ORDER BY r.operator_id LIMIT 1) following
    WHERE operator.nth < ${sql.literal(String(MARKED_OPERATORS_PER_STATEMENT))}
  )`

/**
 * Each operator's next page contains stays below the greatest `mark_before`, so that several changed rules mark a stay
 * only once. `ends` is null for the last page.
 */
const nextStayPagesSql = (sql: SqlClient): Fragment => sql`
  rule AS MATERIALIZED (
    SELECT changed.* FROM operator CROSS JOIN LATERAL (
      SELECT operator_id, id, mark_before FROM automation_rules r
      WHERE r.operator_id = operator.operator_id AND r.mark_before IS NOT NULL
      ORDER BY r.id FOR NO KEY UPDATE SKIP LOCKED) changed
  ), walk AS MATERIALIZED (
    SELECT operator_id, max(mark_before) AS begins FROM rule GROUP BY operator_id
  ), looked AS MATERIALIZED (
    SELECT stay.* FROM walk CROSS JOIN LATERAL (
      SELECT s.operator_id, s.id, s.check_out_date FROM stays s
      WHERE s.operator_id = walk.operator_id AND s.id < walk.begins
      ORDER BY s.id DESC LIMIT ${sql.literal(String(MARKED_STAYS_PER_PAGE))}) stay
  ), page AS MATERIALIZED (
    SELECT walk.operator_id,
      CASE WHEN count(looked.id) = ${sql.literal(String(MARKED_STAYS_PER_PAGE))} THEN min(looked.id) END AS ends
    FROM walk LEFT JOIN looked ON looked.operator_id = walk.operator_id GROUP BY walk.operator_id
  )`

/** A rule whose `mark_before` is already lower keeps it until the pages reach it. */
export const markStayPageSql = (sql: SqlClient, page: MarkStayPageParameters): Fragment => sql`
  WITH RECURSIVE ${nextOperatorsSql(sql, page)}, ${nextStayPagesSql(sql)}, marked AS (${markStaysForPlanningSql(
    sql,
    sql`
      SELECT s.operator_id, s.id AS stay_id, ${channelAccountIdSql(sql)} AS account_id, NULL AS traceparent
      FROM looked JOIN stays s ON s.operator_id = looked.operator_id AND s.id = looked.id
      WHERE looked.check_out_date >= (SELECT ${page.now}::timestamptz::date - ${sql.literal(String(MARKED_DAYS_AFTER_CHECK_OUT))})
      ORDER BY s.operator_id, s.id FOR KEY SHARE OF s`,
    page.now,
    DUE_NOW
  )}), went_on AS (
    UPDATE automation_rules r SET mark_before = page.ends
    FROM rule JOIN page ON page.operator_id = rule.operator_id
    WHERE r.operator_id = rule.operator_id AND r.id = rule.id
      AND (page.ends IS NULL OR rule.mark_before > page.ends)
    RETURNING r.operator_id
  )
  SELECT operator_id FROM page ORDER BY operator_id`
