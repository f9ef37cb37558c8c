import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// With the order, by which a search joins that asks of stays and of orders.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX stays_by_check_in ON stays (operator_id, check_in_date DESC, id DESC) INCLUDE (order_id)`
})
