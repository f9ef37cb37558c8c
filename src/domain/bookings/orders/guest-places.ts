import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type GuestPlace, ofOrders, type Party } from "../../guest-place.ts"

/**
 * An order keeps what it says: codes, money, when it was booked. That it has another version keeps a change from being written
 * that was worked out from its guest before.
 */
export const orderPlace: GuestPlace = {
  table: "orders",
  key: ["id"],
  about: (sql, party) => ofOrders(sql, party, "id"),
  erasing: (sql, party) => [
    sql`
      UPDATE orders t SET version = version + 1
      WHERE t.operator_id = ${party.operatorId} AND ${ofOrders(sql, party, "id")}`
  ]
}

/** Locks the orders, as whatever changes an order begins. */
export const lockingOrders = (sql: SqlClient, party: Party): Fragment => sql`
  SELECT FROM orders t WHERE t.operator_id = ${party.operatorId} AND ${ofOrders(sql, party, "id")}
  ORDER BY t.id FOR NO KEY UPDATE`
