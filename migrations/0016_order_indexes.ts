import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// What a search of reservations counts stands in indexes, so that counting reads no rows of the tables, however many an
// operator has.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE INDEX orders_status ON orders (operator_id, status, booked_at DESC, id DESC) INCLUDE (channel_type, stay_count)`

  // Which orders were booked last, of stays that are found by their days.
  yield* sql`CREATE INDEX orders_booked ON orders (operator_id, id) INCLUDE (booked_at)`
})
