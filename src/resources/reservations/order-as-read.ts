import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { idsParameter } from "../../database/parameters.ts"

/** What of an order an entry on it was worked out from. */
export interface ReadOrder {
  readonly id: number
  readonly currency: string
  readonly stays: ReadonlyArray<{ readonly id: number; readonly revenue: string }>
}

/**
 * CTEs that end in `as_read`, which has a row when the order still has the currency and the revenues it was read with,
 * and always when there is none. Until the statement is through they cannot change; and raising the version lets a change
 * of the order that was worked out without this entry start again, so that it splits this one too. The order is locked
 * before its stays, as changes of orders do.
 */
export const orderAsRead = (sql: SqlClient, operatorId: number, order: ReadOrder | undefined): Fragment =>
  order === undefined
    ? sql`as_read AS (SELECT)`
    : sql`parent AS (
        UPDATE orders SET version = version + 1
        WHERE operator_id = ${operatorId} AND id = ${order.id} AND currency = ${order.currency}
        RETURNING id
      ), weight AS (
        SELECT s.id FROM stays s
        JOIN unnest(${idsParameter(order.stays.map(({ id }) => id))}::bigint[],
          ${order.stays.map(({ revenue }) => revenue)}::numeric[]) AS known (id, revenue)
          ON known.id = s.id AND known.revenue = s.accommodation_revenue
        WHERE s.operator_id = ${operatorId} AND EXISTS (SELECT FROM parent)
        ORDER BY s.id FOR NO KEY UPDATE OF s
      ), as_read AS (
        SELECT FROM parent WHERE (SELECT count(*) FROM weight) = ${order.stays.length}
      )`
