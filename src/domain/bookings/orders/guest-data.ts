import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { belongsToOrders, type GuestDataTable, type GuestRecordIds } from "../../guest-data.ts"

/**
 * Erasure keeps codes, money and dates of the order. The raised `version` makes the service reject changes that were
 * computed from the erased data.
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

export const lockGuestOrders = (sql: SqlClient, guest: GuestRecordIds): Fragment => sql`
  SELECT FROM orders t WHERE t.operator_id = ${guest.operatorId} AND ${belongsToOrders(sql, guest, "id")}
  ORDER BY t.id FOR NO KEY UPDATE`
