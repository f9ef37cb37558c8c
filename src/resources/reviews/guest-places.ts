import { idsParameter } from "../../database/parameters.ts"
import type { GuestPlace } from "../guest-place.ts"

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
