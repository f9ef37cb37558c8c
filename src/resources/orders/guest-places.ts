import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { idsParameter } from "../../database/parameters.ts"
import type { GuestPlace, Party } from "../guest-place.ts"

/**
 * An order keeps what it says: codes, money, when it was booked. That it has another version keeps a change from being written
 * that was worked out from its guest before.
 */
export const orderPlace: GuestPlace = {
  table: "orders",
  key: "id",
  about: (sql, { orderIds }) => sql`t.id = ANY (${idsParameter(orderIds)}::bigint[])`,
  erasing: (sql, { operatorId, orderIds }) => [
    sql`
      UPDATE orders SET version = version + 1
      WHERE operator_id = ${operatorId} AND id = ANY (${idsParameter(orderIds)}::bigint[])`
  ]
}

/** Locks the orders, as whatever changes an order begins. */
export const lockingOrders = (sql: SqlClient, { operatorId, orderIds }: Party): Fragment => sql`
  SELECT FROM orders WHERE operator_id = ${operatorId} AND id = ANY (${idsParameter(orderIds)}::bigint[])
  ORDER BY id FOR NO KEY UPDATE`
