import { idsParameter } from "../../database/parameters.ts"
import type { GuestPlace } from "../guest-place.ts"

/** The money stays; the note may name who paid it. */
export const entryPlace: GuestPlace = {
  table: "transactions",
  key: "id",
  about: (sql, { orderIds }) => sql`t.order_id = ANY (${idsParameter(orderIds)}::bigint[])`,
  erasing: (sql, { operatorId, orderIds }) => [
    sql`
      UPDATE transactions SET note = ''
      WHERE operator_id = ${operatorId} AND order_id = ANY (${idsParameter(orderIds)}::bigint[])`
  ]
}
