import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// A channel may drop a room of an order: from here on stays are also counted as they go (0013, 0014).

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TRIGGER stays_removed AFTER DELETE ON stays REFERENCING OLD TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION count_stays()`
})
