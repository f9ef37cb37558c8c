import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { idsParameter } from "../../database/parameters.ts"
import type { GuestPlace, Party } from "../guest-place.ts"

/** Scores stay, words go. Who has read them before finds another version, and does not write them back. */
export const reviewPlace: GuestPlace = {
  table: "reviews",
  key: "order_id",
  about: (sql, { orderIds }) => sql`t.order_id = ANY (${idsParameter(orderIds)}::bigint[])`,
  erasing: (sql, { operatorId, orderIds }) => [
    sql`
      UPDATE reviews SET version = version + 1, guest_review = jsonb_set(guest_review, '{content}', '""'),
        host_review = jsonb_set(host_review, '{content}', '""'), host_reply = jsonb_set(host_reply, '{content}', '""')
      WHERE operator_id = ${operatorId} AND order_id = ANY (${idsParameter(orderIds)}::bigint[])`
  ]
}

/** A query for what events call the reviews of these orders. */
export const reviewRecords = (sql: SqlClient, { operatorId, orderIds }: Party): Fragment => sql`
  SELECT 'review:' || reservation_code FROM orders
  WHERE operator_id = ${operatorId} AND id = ANY (${idsParameter(orderIds)}::bigint[])`
