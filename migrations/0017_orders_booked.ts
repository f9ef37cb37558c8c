import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Which orders were booked last, of stays that are found by their days.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX orders_booked ON orders (operator_id, id) INCLUDE (booked_at)`
})
