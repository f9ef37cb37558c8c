import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Counts the stays that were entered before any were counted. Locks rows and no table, and the rows in the order in which
// changes lock them. A count only rises: one that is as high was made by an entry that came meanwhile.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    WITH counted AS (
      SELECT o.operator_id, o.id, several.stays
      FROM orders o JOIN (
        SELECT operator_id, order_id, count(*) AS stays FROM stays GROUP BY operator_id, order_id HAVING count(*) > 1
      ) several ON several.operator_id = o.operator_id AND several.order_id = o.id
      WHERE o.stay_count < several.stays
      ORDER BY o.operator_id, o.id FOR NO KEY UPDATE OF o
    )
    UPDATE orders o SET stay_count = counted.stays
    FROM counted WHERE o.operator_id = counted.operator_id AND o.id = counted.id`
})
