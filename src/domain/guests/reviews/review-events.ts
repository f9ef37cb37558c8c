import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { recordEventSql } from "../../../jobs/events/event-statements.ts"
import { stayEventFields } from "../../bookings/stays/stay-sql.ts"

export const firstStaySql = (sql: SqlClient, row: Fragment): Fragment => sql`
  LATERAL (
    SELECT s.stay_code, s.property_id, s.listing_id FROM stays s
    WHERE s.operator_id = ${row}.operator_id AND s.order_id = ${row}.order_id ORDER BY s.id LIMIT 1
  )`

/** Needs the CTE `written`. */
export const reviewsWithStaysCte = (sql: SqlClient): Fragment => sql`
  told AS (
    SELECT written.operator_id, written.order_id, o.reservation_code, stay.stay_code, stay.property_id
    FROM written JOIN orders o ON o.operator_id = written.operator_id AND o.id = written.order_id
    CROSS JOIN ${firstStaySql(sql, sql`written`)} stay
  )`

/** Needs {@link reviewsWithStaysCte}. */
export const reviewRecordSql = (sql: SqlClient): Fragment => sql`'review:' || told.reservation_code`

export const recordReviewEvents = (sql: SqlClient, event: "review_created" | "review_updated", at: Date): Fragment =>
  recordEventSql(sql, event, { from: sql`told`, record: reviewRecordSql(sql), fields: stayEventFields(sql), at })
