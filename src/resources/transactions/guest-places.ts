import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { idsParameter } from "../../database/parameters.ts"
import type { GuestPlace, Party } from "../guest-place.ts"

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

/** A query for what events call the entries of these orders. */
export const entryRecords = (sql: SqlClient, { operatorId, orderIds }: Party): Fragment => sql`
  SELECT 'transaction:' || id FROM transactions
  WHERE operator_id = ${operatorId} AND order_id = ANY (${idsParameter(orderIds)}::bigint[])`
