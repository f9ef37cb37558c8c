import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { columnAssignments, columnNames, rowParameterSql } from "../../../platform/database/columns.ts"
import { genericPlanParameter, idsParameter } from "../../../platform/database/parameters.ts"
import { type NewOrder, NewOrderColumns, type OrderStatus, OrderTerms } from "./order.ts"

export const toNewOrderColumns = (
  { stays: _stays, received: _received, ...order }: NewOrder,
  at: Date
): NewOrderColumns => ({
  ...order,
  cancelled_at: order.status === "cancelled" ? at : null
})

/** Returns the CTE `created_order`. It has no row if the code or channel id exists or `where` is false. */
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

export const updateOrders = (sql: SqlClient, operatorId: number): Fragment => sql`
  changed_order AS (
    UPDATE orders o SET version = o.version + 1, ${sql.literal(columnAssignments(OrderTerms, "wanted_order"))}
    FROM wanted_order, unchanged WHERE o.operator_id = ${genericPlanParameter(sql, "bigint", operatorId)} AND o.id = wanted_order.id
  )`

export interface OrderSnapshot {
  readonly id: number
  readonly currency: string
  readonly stays: ReadonlyArray<{ readonly id: number; readonly revenue: string }>
  /** Undefined if the new income or expense may be recorded for an order of any status. */
  readonly status?: OrderStatus
}

/**
 * Returns CTEs. The last one, `as_read`, has a row if `order` is undefined or the order still has these values. Locks
 * keep the values until the database transaction ends.
 *
 * The raised version makes a concurrent order change start again, so that it splits the new income or expense too. The
 * order is locked before its stays, as in order changes. `stay_count` reveals a stay that was added while the statement
 * waited for the lock.
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
