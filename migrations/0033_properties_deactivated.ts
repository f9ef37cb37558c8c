import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Since when a property is not let at all; null: it is let. No day of it can be sold then, whatever the calendar says.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE properties ADD deactivated_at timestamptz`
})
