import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { columnAssignments, columnNames, rowParameterSql } from "../../../platform/database/columns.ts"
import { genericPlanParameter, idsParameter } from "../../../platform/database/parameters.ts"
import { type NewOrder, NewOrderColumns, type OrderStatus, OrderTerms } from "./order.ts"

// What the statements of reservations and of entries on them say of orders: parts of one statement, which the table's
// owner writes.

/** What a new order fills its columns with. */
export const toNewOrderColumns = (
  { stays: _stays, received: _received, ...order }: NewOrder,
  at: Date
): NewOrderColumns => ({
  ...order,
  cancelled_at: order.status === "cancelled" ? at : null
})

/**
 * CTE `created_order` with the new order; without a row when it is known already, under its code or the channel's id, or
 * where what is asked of it does not hold.
 */
export const insertOrder = (
  sql: SqlClient,
  { operatorId, order, at }: { readonly operatorId: number; readonly order: NewOrderColumns; readonly at: Date },
  where: Fragment
): Fragment => sql`
  created_order AS (
    INSERT INTO orders (operator_id, created_at, ${sql.literal(columnNames(NewOrderColumns))})
    SELECT ${operatorId}, ${at}::timestamptz, ${sql.literal(columnNames(NewOrderColumns))}
    FROM ${rowParameterSql(sql, NewOrderColumns, order)}
    WHERE ${where}
    ON CONFLICT DO NOTHING
    RETURNING operator_id, id, reservation_code, status, currency
  )`

/** CTE that gives orders the terms they should have in the CTE `wanted_order`, where the CTE `unchanged` has its row. */
export const updateOrders = (sql: SqlClient, operatorId: number): Fragment => sql`
  changed_order AS (
    UPDATE orders o SET version = o.version + 1, ${sql.literal(columnAssignments(OrderTerms, "wanted_order"))}
    FROM wanted_order, unchanged WHERE o.operator_id = ${genericPlanParameter(sql, "bigint", operatorId)} AND o.id = wanted_order.id
  )`

/** What of an order an entry on it was worked out from. */
export interface OrderSnapshot {
  readonly id: number
  readonly currency: string
  readonly stays: ReadonlyArray<{ readonly id: number; readonly revenue: string }>
  /** Undefined: the entry is the same whatever it is. */
  readonly status?: OrderStatus
}

/**
 * CTEs that end in `as_read`, which has a row when the order still has the currency, the stays, the revenues and, if that
 * matters, the status it was read with, and always when there is none. Until the statement is through they cannot change; and raising the version lets a
 * change of the order that was worked out without this entry start again, so that it splits this one too. The order is
 * locked before its stays, as changes of orders do. A stay that came while this waited for the lock is not seen by it, only
 * that the order has one more.
 */
export const lockUnchangedOrder = (sql: SqlClient, operatorId: number, order: OrderSnapshot | undefined): Fragment =>
  order === undefined
    ? sql`as_read AS (SELECT)`
    : sql`parent AS (
        UPDATE orders SET version = version + 1
        WHERE operator_id = ${operatorId} AND id = ${order.id}
          AND currency = ${order.currency}
          AND stay_count = ${order.stays.length}
          AND status = coalesce(${order.status ?? null}::text, status)
        RETURNING id
      ), weight AS (
        SELECT s.id FROM stays s
        JOIN unnest(${genericPlanParameter(sql, "bigint[]", idsParameter(order.stays.map(({ id }) => id)))},
          ${genericPlanParameter(
            sql,
            "numeric[]",
            order.stays.map(({ revenue }) => revenue)
          )}) AS known (id, revenue)
          ON known.id = s.id AND known.revenue = s.accommodation_revenue
        WHERE s.operator_id = ${operatorId} AND EXISTS (SELECT FROM parent)
        ORDER BY s.id FOR NO KEY UPDATE OF s
      ), as_read AS (
        SELECT FROM parent WHERE (SELECT count(*) FROM weight) = ${order.stays.length}
      )`
