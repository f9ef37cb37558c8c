import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Which orders time out next. By itself: while it is built others read orders, which nobody can in the transaction that adds
// columns to them (0026).

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX orders_expiring ON orders (expires_at, operator_id, id) WHERE expires_at IS NOT NULL`
})
