import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Value } from "../database/forms.ts"

/** Accepted orders of which money is still to come (specification, payment.balance_amount). */
export interface UnpaidAsked {
  readonly operatorId: Value<number>
  /** Days of the check-out of one of its stays, both included: without them all there ever were would be added up. */
  readonly from: Value<string>
  readonly until: Value<string>
}

/** A query for them: `order_id`, `currency` and the `balance`. One pass over the stays and entries of those days' orders. */
export const unpaidOrders = (sql: SqlClient, { operatorId, from, until }: UnpaidAsked): Fragment => sql`
  SELECT due.order_id, due.currency, due.total - coalesce(paid.received, 0) AS balance
  FROM (
    SELECT o.id AS order_id, o.currency, sum(s.rate) AS total
    FROM orders o JOIN stays s ON s.operator_id = o.operator_id AND s.order_id = o.id
    WHERE o.operator_id = ${operatorId} AND o.status = 'accepted' AND o.id IN (
      SELECT each.order_id FROM stays each
      WHERE each.operator_id = ${operatorId} AND each.check_out_date >= ${from}::date AND each.check_out_date <= ${until}::date)
    GROUP BY o.id, o.currency
  ) due
  LEFT JOIN (
    SELECT t.order_id, sum(t.amount) AS received FROM transactions t
    WHERE t.operator_id = ${operatorId} AND t.order_id IS NOT NULL AND t.direction = 'income' AND t.status = 'paid'
    GROUP BY t.order_id
  ) paid ON paid.order_id = due.order_id
  WHERE due.total > coalesce(paid.received, 0)`
