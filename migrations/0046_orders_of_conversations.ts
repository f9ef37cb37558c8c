import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Which orders a conversation is about.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // With the order in which they are read: else a plan may walk over all orders of an operator for the latest of a few.
  yield* sql`
    CREATE INDEX orders_conversation ON orders (operator_id, conversation_id, id) WHERE conversation_id IS NOT NULL`
})
