import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Those that 0018 to 0021 replace. This waits for who reads stays, and lets nobody else read them until it is done.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX stays_order, stays_check_in, stays_check_out, stays_property`
})
