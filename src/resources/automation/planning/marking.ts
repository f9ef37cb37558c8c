import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Givens } from "../../../database/forms.ts"
import { RULE_TRIGGER_DAYS } from "../../../limits.ts"
import { AT_ONCE, accountOf, markingStays } from "./follow-stays.ts"

// A rule that is made, paused, resumed or removed says something else of all stays of its operator: they are marked in pages,
// from the latest on, and how far that has come stands with the rule. So any process may go on with it.

/** Stays of a rule that one statement looks at, and operators of whose rules it marks some. */
export const MARK_PAGE = 500
const MARK_OPERATORS = 20

/** Days after its check-out that a rule may still do something of a stay: two more for the time zone, and for what is late. */
const MARKED_DAYS = RULE_TRIGGER_DAYS + 2

export interface MarkingPage {
  /** The operators after this one. */
  readonly after: number
  readonly now: Date
}

/** The next operators with a rule whose stays are to be marked: leaps through the index from one to the next. */
const operators = (sql: SqlClient, { after }: Givens<MarkingPage>): Fragment => sql`
  operator AS (
    (SELECT operator_id, 1 AS nth FROM automation_rules
      WHERE mark_before IS NOT NULL AND operator_id > ${after} ORDER BY operator_id LIMIT 1)
    UNION ALL
    SELECT following.operator_id, operator.nth + 1 FROM operator CROSS JOIN LATERAL (
      SELECT r.operator_id FROM automation_rules r
      WHERE r.mark_before IS NOT NULL AND r.operator_id > operator.operator_id ORDER BY r.operator_id LIMIT 1) following
    WHERE operator.nth < ${sql.literal(String(MARK_OPERATORS))}
  )`

/** Marks the next page of one rule of each operator. One that another process has in hand is passed by. */
export const markingPage = (sql: SqlClient, page: Givens<MarkingPage>): Fragment => sql`
  WITH RECURSIVE ${operators(sql, page)}, rule AS MATERIALIZED (
    SELECT first.* FROM operator CROSS JOIN LATERAL (
      SELECT operator_id, id, mark_before FROM automation_rules r
      WHERE r.operator_id = operator.operator_id AND r.mark_before IS NOT NULL
      ORDER BY r.id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) first
  ), looked AS MATERIALIZED (
    SELECT rule.id AS rule_id, stay.* FROM rule CROSS JOIN LATERAL (
      SELECT s.operator_id, s.id, s.check_out_date FROM stays s
      WHERE s.operator_id = rule.operator_id AND s.id < rule.mark_before
      ORDER BY s.id DESC LIMIT ${sql.literal(String(MARK_PAGE))}) stay
  ), marked AS (${markingStays(
    sql,
    sql`
      SELECT s.operator_id, s.id AS stay_id, ${accountOf(sql)} AS account_id
      FROM looked JOIN stays s ON s.operator_id = looked.operator_id AND s.id = looked.id
      WHERE looked.check_out_date >= (SELECT ${page.now}::timestamptz::date - ${sql.literal(String(MARKED_DAYS))})
      ORDER BY s.operator_id, s.id FOR KEY SHARE OF s`,
    page.now,
    AT_ONCE
  )}), went_on AS (
    UPDATE automation_rules r
    SET mark_before = (SELECT CASE WHEN count(*) = ${sql.literal(String(MARK_PAGE))} THEN min(looked.id) END
      FROM looked WHERE looked.rule_id = rule.id AND looked.operator_id = rule.operator_id)
    FROM rule WHERE r.operator_id = rule.operator_id AND r.id = rule.id
    RETURNING r.operator_id
  )
  SELECT rule.operator_id,
    (SELECT count(*) FROM looked WHERE looked.operator_id = rule.operator_id AND looked.rule_id = rule.id) AS stays
  FROM rule ORDER BY rule.operator_id`
