import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Since when a sub-account may do nothing: nobody signs in with it, and what was given by it is good for nothing meanwhile.
// Null: it may.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE accounts ADD disabled_at timestamptz`
})
