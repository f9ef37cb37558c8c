import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// A listing may sell the rooms of a type. By itself, so that nobody waits for two tables at once.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE listings
      ADD FOREIGN KEY (operator_id, room_type_id) REFERENCES room_types (operator_id, id)`
})
