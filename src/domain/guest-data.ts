import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { idsParameter } from "../platform/database/parameters.ts"

// Every table with guest data needs a `GuestDataTable`. src/tools/privacy exports and erases guest data by these
// declarations.

export interface GuestRecordIds {
  readonly operatorId: number
  readonly orderIds: ReadonlyArray<number>
  readonly stayIds: ReadonlyArray<number>
  readonly conversationIds: ReadonlyArray<number>
  /** Codes of these orders and conversations. */
  readonly codes: ReadonlyArray<string>
}

export interface GuestDataTable {
  readonly table: string
  /** Columns that identify and order an operator's rows. */
  readonly keyColumns: ReadonlyArray<string>
  /** Matches rows `t` about the guest. */
  readonly belongsToGuest: (sql: SqlClient, guest: GuestRecordIds) => Fragment
  /** Columns that are never exported, such as the token of a secret URL. */
  readonly secretColumns?: ReadonlyArray<string>
  /** Statements that erase the guest's data, in this order and in one transaction. They must be idempotent. */
  readonly eraseStatements: (sql: SqlClient, guest: GuestRecordIds, now: Date) => ReadonlyArray<Fragment>
}

/** Sets one key of each object in a JSON array to an empty value. */
export const clearKeyInJsonArray = (
  sql: SqlClient,
  jsonArray: Fragment,
  key: string,
  emptyValue: "" | null
): Fragment => sql`
  CASE jsonb_typeof(${jsonArray}) WHEN 'array' THEN coalesce(
    (SELECT jsonb_agg(part || ${JSON.stringify({ [key]: emptyValue })}::jsonb ORDER BY nth)
      FROM jsonb_array_elements(${jsonArray}) WITH ORDINALITY AS parts (part, nth)), '[]') ELSE ${jsonArray} END`

const idIsOneOf = (sql: SqlClient, column: string, ids: ReadonlyArray<number>): Fragment =>
  sql`t.${sql(column)} = ANY (${idsParameter(ids)}::bigint[])`

export const belongsToOrders = (sql: SqlClient, { orderIds }: GuestRecordIds, column = "order_id"): Fragment =>
  idIsOneOf(sql, column, orderIds)

export const belongsToStays = (sql: SqlClient, { stayIds }: GuestRecordIds, column = "stay_id"): Fragment =>
  idIsOneOf(sql, column, stayIds)

export const belongsToConversations = (
  sql: SqlClient,
  { conversationIds }: GuestRecordIds,
  column = "conversation_id"
): Fragment => idIsOneOf(sql, column, conversationIds)
