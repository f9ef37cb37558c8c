import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// As those by check-in (0019).

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX stays_by_check_out ON stays (operator_id, check_out_date DESC, id DESC) INCLUDE (order_id)`
})
