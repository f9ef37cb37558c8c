import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/**
 * Whether documents of the guests of a stay `s` of an order `o` have come in and wait for somebody to look at them: its own, or
 * such as were handed in for the order before stays were told apart. A stay of the same order that nobody handed in for has none.
 */
export const awaitsReviewCondition = (sql: SqlClient, today: string): Fragment => sql`
  o.status = 'accepted' AND s.check_out_date >= ${today}::date AND s.id_required = 'required_with_review'
  AND s.check_in_approved_at IS NULL AND EXISTS (
    SELECT FROM identity_images i
    WHERE i.operator_id = s.operator_id AND i.order_id = s.order_id AND coalesce(i.stay_id, s.id) = s.id)`
