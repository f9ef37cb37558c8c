import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { idsParameter } from "../platform/database/parameters.ts"

// Where something about a guest is written. Each table's owner says it beside its own statements, and src/tools/privacy gathers them:
// one list, for what is handed out and for what goes.

/** What of an operator is about one guest: orders, their stays, and conversations. */
export interface GuestRecordIds {
  readonly operatorId: number
  readonly orderIds: ReadonlyArray<number>
  readonly stayIds: ReadonlyArray<number>
  readonly conversationIds: ReadonlyArray<number>
  /** The codes of these orders and conversations. */
  readonly codes: ReadonlyArray<string>
}

export interface GuestDataTable {
  readonly table: string
  /** The columns by which its rows are told apart within an operator, and are in order. */
  readonly keyColumns: ReadonlyArray<string>
  /** Which of its rows, as `t`, are about the party. */
  readonly belongsToGuest: (sql: SqlClient, guest: GuestRecordIds) => Fragment
  /** Columns that are nobody's to have: an address that is opened by whoever knows it. */
  readonly secretColumns?: ReadonlyArray<string>
  /** Statements that leave nothing of the guest in it, as often as they are run; in order, within one transaction. */
  readonly eraseStatements: (sql: SqlClient, guest: GuestRecordIds, now: Date) => ReadonlyArray<Fragment>
}

/**
 * Returns an expression that sets one key of each object in a JSON array to an empty value. A value that is no array stays unchanged.
 * For lists that lose a guest's texts but keep their other fields.
 */
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

/** Whether a row `t` is one of the party's orders, or of one; the column names the order. */
export const belongsToOrders = (sql: SqlClient, { orderIds }: GuestRecordIds, column = "order_id"): Fragment =>
  idIsOneOf(sql, column, orderIds)

export const belongsToStays = (sql: SqlClient, { stayIds }: GuestRecordIds, column = "stay_id"): Fragment =>
  idIsOneOf(sql, column, stayIds)

export const belongsToConversations = (
  sql: SqlClient,
  { conversationIds }: GuestRecordIds,
  column = "conversation_id"
): Fragment => idIsOneOf(sql, column, conversationIds)
