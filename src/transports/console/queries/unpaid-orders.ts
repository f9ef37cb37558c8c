import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** An order is unpaid if it has a balance (specification, `payment.balance_amount`). */
interface UnpaidOrdersInput {
  readonly operatorId: number
  /** Range of check-out dates, both included. Without it, the query would sum all orders ever made. */
  readonly from: string
  readonly until: string
}

export const unpaidOrdersSql = (sql: SqlClient, { operatorId, from, until }: UnpaidOrdersInput): Fragment => {
  const orderIdsSql = sql`(
    SELECT each.order_id FROM stays each
    WHERE each.operator_id = ${operatorId} AND each.check_out_date >= ${from}::date AND each.check_out_date <= ${until}::date)`
  return sql`
    SELECT o.id AS order_id, o.currency, due.balance
    FROM (
      SELECT part.order_id, sum(part.amount) AS balance FROM (
        SELECT s.order_id, s.rate AS amount FROM stays s WHERE s.operator_id = ${operatorId} AND s.order_id IN ${orderIdsSql}
        UNION ALL
        SELECT t.order_id, -t.amount FROM transactions t
        WHERE t.operator_id = ${operatorId} AND t.direction = 'income' AND t.status = 'paid' AND t.order_id IN ${orderIdsSql}
      ) part
      GROUP BY part.order_id HAVING sum(part.amount) > 0
    ) due
    JOIN orders o ON o.operator_id = ${operatorId} AND o.id = due.order_id
    WHERE o.status = 'accepted'`
}
