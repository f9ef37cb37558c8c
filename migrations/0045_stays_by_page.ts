import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Which stay a guest's page is of.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE UNIQUE INDEX stays_guide_token ON stays (guide_token)`
})
