import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { formatMinorUnits, toMinorUnits } from "../../contract/money.ts"
import { splitIntoShares, toTransactionStatus } from "../../domain/money/rules.ts"
import type { DemoOperator } from "./demo-operator.ts"
import { type DemoTransaction, makeDemoTransactions } from "./transactions.ts"

const minorUnitsOf = ({ amount, currency }: DemoTransaction): bigint =>
  Option.getOrThrow(toMinorUnits(amount, currency))

const toShareRows = (entry: DemoTransaction) => {
  if (entry.order === undefined) return []
  const { code, stays } = entry.order
  // The index of a stay replaces its id, which only the database knows.
  const shares = splitIntoShares(
    minorUnitsOf(entry),
    entry.currency,
    stays.map((stay, id) => ({ id, revenue: stay.revenue.toFixed(4) }))
  )
  return shares.map((share) => ({
    order_code: code,
    direction: entry.direction,
    item_id: entry.itemId,
    stay_code: stays[share.stay_id]?.code,
    amount: share.amount
  }))
}

export const writeTransactions = Effect.fn("demo.writeEntries")(function* (operator: DemoOperator) {
  const sql = yield* SqlClient.SqlClient
  const entries = makeDemoTransactions(operator.orders, operator.today, operator.timeZone)
  const rows = entries.map((entry) => ({
    direction: entry.direction,
    amount: formatMinorUnits(minorUnitsOf(entry), entry.currency),
    currency: entry.currency,
    item_id: entry.itemId,
    payment_method_id: entry.methodId,
    action_at: entry.actionAt,
    note: entry.note,
    property_id: entry.propertyIndex === undefined ? null : operator.propertyIds[entry.propertyIndex],
    order_code: entry.order?.code ?? null,
    status: toTransactionStatus(entry.actionAt.getTime(), operator.now.getTime()),
    operator_name: entry.enteredBy === "System" ? "System" : operator.accountName,
    created_at: new Date(Math.min(entry.actionAt.getTime(), operator.now.getTime()))
  }))
  yield* sql`
    INSERT INTO transactions (operator_id, direction, amount, currency, item_id, payment_method_id, action_at, note,
      property_id, order_id, status, operator_name, created_at, updated_at)
    SELECT ${operator.operatorId}::bigint, input.direction, input.amount, input.currency, input.item_id,
      input.payment_method_id, input.action_at, input.note, input.property_id, orders.id, input.status,
      input.operator_name, input.created_at, input.created_at
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS input
      (direction text, amount numeric, currency text, item_id bigint, payment_method_id bigint, action_at timestamptz,
       note text, property_id bigint, order_code text, status text, operator_name text, created_at timestamptz)
    LEFT JOIN orders ON orders.operator_id = ${operator.operatorId} AND orders.reservation_code = input.order_code
    ORDER BY input.created_at`
  yield* sql`
    INSERT INTO transaction_shares (operator_id, transaction_id, stay_id, amount)
    SELECT transactions.operator_id, transactions.id, stays.id, input.amount
    FROM jsonb_to_recordset(${JSON.stringify(entries.flatMap(toShareRows))}::text::jsonb) AS input
      (order_code text, direction text, item_id bigint, stay_code text, amount numeric)
    JOIN orders ON orders.operator_id = ${operator.operatorId} AND orders.reservation_code = input.order_code
    JOIN transactions ON transactions.operator_id = orders.operator_id AND transactions.order_id = orders.id
      AND transactions.direction = input.direction AND transactions.item_id = input.item_id
    JOIN stays ON stays.operator_id = orders.operator_id AND stays.stay_code = input.stay_code`
})
