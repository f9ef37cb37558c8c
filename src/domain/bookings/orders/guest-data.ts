import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { belongsToOrders, type GuestDataTable, type GuestRecordIds } from "../../guest-data.ts"

/**
 * An order keeps what it says: codes, money, when it was booked. That it has another version keeps a change from being written
 * that was worked out from its guest before.
 */
export const guestDataInOrders: GuestDataTable = {
  table: "orders",
  keyColumns: ["id"],
  belongsToGuest: (sql, guest) => belongsToOrders(sql, guest, "id"),
  eraseStatements: (sql, guest) => [
    sql`
      UPDATE orders t SET version = version + 1
      WHERE t.operator_id = ${guest.operatorId} AND ${belongsToOrders(sql, guest, "id")}`
  ]
}

/** Locks the orders, as whatever changes an order begins. */
export const lockGuestOrders = (sql: SqlClient, guest: GuestRecordIds): Fragment => sql`
  SELECT FROM orders t WHERE t.operator_id = ${guest.operatorId} AND ${belongsToOrders(sql, guest, "id")}
  ORDER BY t.id FOR NO KEY UPDATE`
