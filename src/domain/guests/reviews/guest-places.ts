import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { emptyKey, type GuestPlace, ofOrders, type Party } from "../../guest-place.ts"

/** Returns an expression for one side of a review without its texts and tags. The scores by category stay. */
const emptySide = (sql: SqlClient, side: Fragment): Fragment => sql`
  ${side} || jsonb_build_object('content', '',
    'sub_score', ${emptyKey(sql, sql`(${side} -> 'sub_score')`, "review_category_tags", null)})`

/** Scores stay, words go. Who has read them before finds another version, and does not write them back. */
export const reviewPlace: GuestPlace = {
  table: "reviews",
  key: ["order_id"],
  about: ofOrders,
  erasing: (sql, party) => [
    sql`
      UPDATE reviews t SET version = version + 1, guest_review = ${emptySide(sql, sql`t.guest_review`)},
        host_review = ${emptySide(sql, sql`t.host_review`)}, host_reply = jsonb_set(host_reply, '{content}', '""')
      WHERE t.operator_id = ${party.operatorId} AND ${ofOrders(sql, party)}`
  ]
}

/** A query for what events call the reviews of these orders. */
export const reviewRecords = (sql: SqlClient, party: Party): Fragment => sql`
  SELECT 'review:' || t.reservation_code FROM orders t
  WHERE t.operator_id = ${party.operatorId} AND ${ofOrders(sql, party, "id")}`
