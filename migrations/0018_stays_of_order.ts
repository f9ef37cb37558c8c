import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// The stays of an order by their keys alone. This and the three after it stand beside those they replace (0022): to drop
// these here would keep readers away until the new ones are built.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX stays_of_order ON stays (operator_id, order_id, id)`
})
