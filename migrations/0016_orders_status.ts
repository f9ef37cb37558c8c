import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// What a search of reservations counts stands in indexes, so that counting reads no rows of the tables, however many an
// operator has. Each index is a migration of its own: while it is built nobody writes the table.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE INDEX orders_status ON orders (operator_id, status, booked_at DESC, id DESC) INCLUDE (channel_type, stay_count)`
})
