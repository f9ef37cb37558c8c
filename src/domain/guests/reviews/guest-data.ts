import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { belongsToOrders, clearKeyInJsonArray, type GuestDataTable, type GuestRecordIds } from "../../guest-data.ts"

const clearedReviewSideSql = (sql: SqlClient, side: Fragment): Fragment => sql`
  ${side} || jsonb_build_object('content', '',
    'sub_score', ${clearKeyInJsonArray(sql, sql`(${side} -> 'sub_score')`, "review_category_tags", null)})`

/** Scores stay. The new version prevents concurrent writers from restoring erased texts. */
export const guestDataInReviews: GuestDataTable = {
  table: "reviews",
  keyColumns: ["order_id"],
  belongsToGuest: belongsToOrders,
  eraseStatements: (sql, guest) => [
    sql`
      UPDATE reviews t SET version = version + 1, guest_review = ${clearedReviewSideSql(sql, sql`t.guest_review`)},
        host_review = ${clearedReviewSideSql(sql, sql`t.host_review`)}, host_reply = jsonb_set(host_reply, '{content}', '""')
      WHERE t.operator_id = ${guest.operatorId} AND ${belongsToOrders(sql, guest)}`
  ]
}

export const selectGuestReviewRecords = (sql: SqlClient, guest: GuestRecordIds): Fragment => sql`
  SELECT 'review:' || t.reservation_code FROM orders t
  WHERE t.operator_id = ${guest.operatorId} AND ${belongsToOrders(sql, guest, "id")}`
