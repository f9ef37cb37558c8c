import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { recordEventSql } from "../../../jobs/events/event-statements.ts"
import { stayEventFields } from "../../bookings/stays/stay-sql.ts"

// What is told of records that were made or changed: parts of one statement.

/** For a FROM beside a row `of` that has an `operator_id` and an `order_id`: the first stay of the order. */
export const firstStaySql = (sql: SqlClient, row: Fragment): Fragment => sql`
  LATERAL (
    SELECT s.stay_code, s.property_id, s.listing_id FROM stays s
    WHERE s.operator_id = ${row}.operator_id AND s.order_id = ${row}.order_id ORDER BY s.id LIMIT 1
  )`

/** CTE `told`: how the orders of the CTE `written` are called. */
export const reviewsWithStaysCte = (sql: SqlClient): Fragment => sql`
  told AS (
    SELECT written.operator_id, written.order_id, o.reservation_code, stay.stay_code, stay.property_id
    FROM written JOIN orders o ON o.operator_id = written.operator_id AND o.id = written.order_id
    CROSS JOIN ${firstStaySql(sql, sql`written`)} stay
  )`

/** Which record the trail and the queue of events know it as. */
export const reviewRecordSql = (sql: SqlClient): Fragment => sql`'review:' || told.reservation_code`

/** Records the event of each row of the CTE `told`. */
export const recordReviewEvents = (sql: SqlClient, event: "review_created" | "review_updated", at: Date): Fragment =>
  recordEventSql(sql, event, { from: sql`told`, record: reviewRecordSql(sql), fields: stayEventFields(sql), at })
