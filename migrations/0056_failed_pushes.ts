import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// What a host's overview counts: a handful among all that channels were told in a month.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE INDEX listing_pushes_failed ON listing_pushes (operator_id, settled_at) WHERE state IN ('refused', 'dead')`
})
