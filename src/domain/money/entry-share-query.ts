import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { selectOrderIds } from "./transaction-search.ts"

interface EntryShareFilters {
  readonly operatorId: number
  readonly from?: Date | undefined
  /** Exclusive. */
  readonly until?: Date | undefined
  /** Code of the order or of any of its stays. */
  readonly order_code?: string | undefined
  readonly property_id?: number | undefined
}

/** Selects one row for each stay's share of a transaction, or the transaction itself if it has no order. */
export const selectEntryShares = (
  sql: SqlClient,
  { operatorId, from, until, order_code, property_id }: EntryShareFilters
): Fragment => {
  const conditions: Array<Fragment> = [sql`t.operator_id = ${operatorId}`]
  if (from !== undefined) conditions.push(sql`t.action_at >= ${from}`)
  if (until !== undefined) conditions.push(sql`t.action_at < ${until}`)
  if (order_code !== undefined) conditions.push(sql`t.order_id IN ${selectOrderIds(sql, operatorId, order_code)}`)
  if (property_id !== undefined) conditions.push(sql`coalesce(stay.property_id, t.property_id) = ${property_id}`)
  return sql`
    SELECT t.operator_id, t.id, t.direction, t.status, t.currency, t.item_id, t.payment_method_id, t.action_at, t.note,
      t.operator_name, t.order_id, stay.stay_code, coalesce(stay.property_id, t.property_id) AS property_id,
      coalesce(share.amount, t.amount) AS amount
    FROM transactions t
    LEFT JOIN transaction_shares share ON share.operator_id = t.operator_id AND share.transaction_id = t.id
    LEFT JOIN stays stay ON stay.operator_id = share.operator_id AND stay.id = share.stay_id
    WHERE ${sql.and(conditions)}`
}
