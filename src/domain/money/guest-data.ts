import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { belongsToOrders, type GuestDataTable, type GuestRecordIds } from "../guest-data.ts"

/** Erases only the note, which may name the guest. */
export const guestDataInTransactions: GuestDataTable = {
  table: "transactions",
  keyColumns: ["id"],
  belongsToGuest: belongsToOrders,
  eraseStatements: (sql, guest) => [
    sql`UPDATE transactions t SET note = '' WHERE t.operator_id = ${guest.operatorId} AND ${belongsToOrders(sql, guest)}`
  ]
}

export const selectGuestTransactionRecords = (sql: SqlClient, guest: GuestRecordIds): Fragment => sql`
  SELECT 'transaction:' || t.id FROM transactions t WHERE t.operator_id = ${guest.operatorId} AND ${belongsToOrders(sql, guest)}`
