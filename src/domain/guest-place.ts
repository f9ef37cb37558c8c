import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { idsParameter } from "../platform/database/parameters.ts"

// Where something about a guest is written. Each table's owner says it beside its own statements, and src/tools/privacy gathers them:
// one list, for what is handed out and for what goes.

/** What of an operator is about one guest: orders, their stays, and conversations. */
export interface Party {
  readonly operatorId: number
  readonly orderIds: ReadonlyArray<number>
  readonly stayIds: ReadonlyArray<number>
  readonly conversationIds: ReadonlyArray<number>
  /** The codes of these orders and conversations. */
  readonly codes: ReadonlyArray<string>
}

export interface GuestPlace {
  readonly table: string
  /** The columns by which its rows are told apart within an operator, and are in order. */
  readonly key: ReadonlyArray<string>
  /** Which of its rows, as `t`, are about the party. */
  readonly about: (sql: SqlClient, party: Party) => Fragment
  /** Columns that are nobody's to have: an address that is opened by whoever knows it. */
  readonly secret?: ReadonlyArray<string>
  /** Statements that leave nothing of the guest in it, as often as they are run; in order, within one transaction. */
  readonly erasing: (sql: SqlClient, party: Party, now: Date) => ReadonlyArray<Fragment>
}

/**
 * Returns an expression that sets one key of each object in a JSON array to an empty value. A value that is no array stays unchanged.
 * For lists that lose a guest's texts but keep their other fields.
 */
export const emptyKey = (sql: SqlClient, list: Fragment, key: string, empty: "" | null): Fragment => sql`
  CASE jsonb_typeof(${list}) WHEN 'array' THEN coalesce(
    (SELECT jsonb_agg(part || ${JSON.stringify({ [key]: empty })}::jsonb ORDER BY nth)
      FROM jsonb_array_elements(${list}) WITH ORDINALITY AS parts (part, nth)), '[]') ELSE ${list} END`

const among = (sql: SqlClient, column: string, ids: ReadonlyArray<number>): Fragment =>
  sql`t.${sql(column)} = ANY (${idsParameter(ids)}::bigint[])`

/** Whether a row `t` is one of the party's orders, or of one; the column names the order. */
export const ofOrders = (sql: SqlClient, { orderIds }: Party, column = "order_id"): Fragment =>
  among(sql, column, orderIds)

export const ofStays = (sql: SqlClient, { stayIds }: Party, column = "stay_id"): Fragment => among(sql, column, stayIds)

export const ofConversations = (sql: SqlClient, { conversationIds }: Party, column = "conversation_id"): Fragment =>
  among(sql, column, conversationIds)
