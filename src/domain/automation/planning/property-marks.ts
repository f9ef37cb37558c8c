import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import {
  channelAccountIdSql,
  DUE_NOW,
  hasStayRulesCondition,
  MARKED_DAYS_AFTER_CHECK_OUT,
  markStaysForPlanningSql
} from "./planning-marks.ts"

/** For changed check-in and check-out times. The CTE `e` contains `operator_id` and `id` of the properties. */
export const markStaysOfPropertySql = (sql: SqlClient, e: Fragment, now: Date): Fragment =>
  markStaysForPlanningSql(
    sql,
    sql`
      SELECT s.operator_id, s.id AS stay_id, ${channelAccountIdSql(sql)} AS account_id, NULL AS traceparent
      FROM ${e} e JOIN stays s ON s.operator_id = e.operator_id AND s.property_id = e.id
      WHERE ${hasStayRulesCondition(sql)}
        AND s.check_out_date >= (SELECT ${now}::timestamptz::date - ${sql.literal(String(MARKED_DAYS_AFTER_CHECK_OUT))})
      ORDER BY s.operator_id, s.id FOR KEY SHARE OF s`,
    now,
    DUE_NOW
  )
