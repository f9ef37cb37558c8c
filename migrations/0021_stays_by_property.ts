import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// As those by check-in (0019), and the pages of one property come in their order.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE INDEX stays_by_property ON stays (operator_id, property_id, check_in_date DESC, id DESC) INCLUDE (order_id)`
})
