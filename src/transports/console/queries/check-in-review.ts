import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/**
 * Condition for stays `s` of an order `o` whose documents await review. A photo without a stay counts for every stay of
 * its order.
 */
export const awaitsReviewCondition = (sql: SqlClient, today: string): Fragment => sql`
  o.status = 'accepted' AND s.check_out_date >= ${today}::date AND s.id_required = 'required_with_review'
  AND s.check_in_approved_at IS NULL AND EXISTS (
    SELECT FROM identity_images i
    WHERE i.operator_id = s.operator_id AND i.order_id = s.order_id AND coalesce(i.stay_id, s.id) = s.id)`
