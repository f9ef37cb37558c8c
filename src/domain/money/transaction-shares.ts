import { Option } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { padToFourDecimals, toMinorUnits } from "../../contract/money.ts"
import { genericPlanParameter, idsParameter, jsonParameter } from "../../platform/database/parameters.ts"
import { type EntryShare, splitIntoShares } from "./rules.ts"

interface OrderEntry {
  readonly id: number
  readonly amount: string
}

/** The amount must be a whole number of the currency's minor units. */
export const splitAmountOverStays = (
  amount: string,
  currency: string,
  stays: ReadonlyArray<{ readonly id: number; readonly accommodation_revenue: string }>
): ReadonlyArray<EntryShare> =>
  splitIntoShares(
    Option.getOrThrow(toMinorUnits(Number(amount), currency)),
    currency,
    stays.map(({ id, accommodation_revenue }) => ({ id, revenue: padToFourDecimals(accommodation_revenue) }))
  )

export const writeShares = (sql: SqlClient, shares: Fragment): Fragment => sql`
  INSERT INTO transaction_shares (operator_id, transaction_id, stay_id, amount)
  SELECT operator_id, transaction_id, stay_id, amount FROM (${shares}) wanted
  ON CONFLICT (operator_id, transaction_id, stay_id) DO UPDATE SET amount = excluded.amount`

export const removeShares = (sql: SqlClient, operatorId: number, stayIds: ReadonlyArray<number>): Fragment => sql`
  removed_share AS (
    DELETE FROM transaction_shares t USING unchanged
    WHERE t.operator_id = ${operatorId} AND t.stay_id = ANY (${idsParameter(stayIds)}::bigint[])
  )`

export const orderEntriesJson = (sql: SqlClient, order: Fragment): Fragment => sql`(
  SELECT coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'amount', t.amount::text) ORDER BY t.id), '[]')
  FROM transactions t WHERE t.operator_id = ${order}.operator_id AND t.order_id = ${order}.id)`

/** Locks those of the `entries` (transactions of an order) whose amount is unchanged, in order of id. */
export const lockUnchangedEntries = (
  sql: SqlClient,
  operatorId: number,
  entries: ReadonlyArray<OrderEntry>
): Fragment => sql`
  SELECT t.id FROM transactions t
  JOIN jsonb_to_recordset(${jsonParameter(entries)}::jsonb) AS known (id bigint, amount numeric)
    ON known.id = t.id AND known.amount = t.amount
  WHERE t.operator_id = ${genericPlanParameter(sql, "bigint", operatorId)} ORDER BY t.id FOR NO KEY UPDATE OF t`
