import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type GuestPlace, ofOrders, type Party } from "../guest-place.ts"

/** The money stays; the note may name who paid it. */
export const entryPlace: GuestPlace = {
  table: "transactions",
  key: ["id"],
  about: ofOrders,
  erasing: (sql, party) => [
    sql`UPDATE transactions t SET note = '' WHERE t.operator_id = ${party.operatorId} AND ${ofOrders(sql, party)}`
  ]
}

/** A query for what events call the entries of these orders. */
export const entryRecords = (sql: SqlClient, party: Party): Fragment => sql`
  SELECT 'transaction:' || t.id FROM transactions t WHERE t.operator_id = ${party.operatorId} AND ${ofOrders(sql, party)}`
