import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { recordEventSql } from "../../jobs/events/event-statements.ts"
import { jsonParameter } from "../../platform/database/parameters.ts"
import { isBuiltInEntry } from "./dictionaries.ts"
import { isListedByOperatorSql } from "./dictionary-sql.ts"
import { writeShares } from "./transaction-shares.ts"

export interface ReceivedMoney {
  readonly amount: string
  readonly item_id: number
  readonly payment_method_id: number
  readonly operator_name: string
  readonly shares: ReadonlyArray<{ readonly stay_code: string; readonly amount: string }>
}

/**
 * Returns CTEs that record a paid income entry for the order in the CTE `created_order`, split over the stays in the
 * CTE `new_stay`.
 */
export const recordReceivedMoney = (sql: SqlClient, receivedMoney: ReceivedMoney, at: Date): Fragment => sql`
  received_entry AS (
    INSERT INTO transactions (operator_id, direction, amount, currency, item_id, payment_method_id, action_at,
      order_id, status, operator_name, created_at, updated_at)
    SELECT operator_id, 'income', ${receivedMoney.amount}::numeric, currency, ${receivedMoney.item_id}::bigint,
      ${receivedMoney.payment_method_id}::bigint, ${at}::timestamptz, id, 'paid', ${receivedMoney.operator_name},
      ${at}::timestamptz, ${at}::timestamptz
    FROM created_order
    RETURNING operator_id, id
  ), received_share AS (${writeShares(
    sql,
    sql`SELECT received_entry.operator_id, received_entry.id AS transaction_id, new_stay.id AS stay_id, part.amount
      FROM received_entry, new_stay
      JOIN jsonb_to_recordset(${jsonParameter(receivedMoney.shares)}::jsonb) AS part (stay_code text, amount numeric)
        USING (stay_code)`
  )}), received_recorded AS (${recordEventSql(sql, "transaction_created", {
    from: sql`received_entry`,
    record: sql`'transaction:' || id`,
    fields: { transaction_id: sql`id` },
    at
  })})`

export const receivedAmountSql = (
  sql: SqlClient,
  order: { readonly operatorId: Fragment; readonly id: Fragment }
): Fragment => sql`(
  SELECT coalesce(sum(t.amount), 0) FROM transactions t
  WHERE t.operator_id = ${order.operatorId} AND t.order_id = ${order.id} AND t.direction = 'income' AND t.status = 'paid')`

export const isListedIncomeMethodCondition = (sql: SqlClient, operatorId: number, id: number): Fragment => sql`
  coalesce(${isListedByOperatorSql(sql, operatorId, sql`'income_methods'`, id)},
    ${isBuiltInEntry("income_methods", id)}::boolean)`
