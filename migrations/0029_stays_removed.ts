import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// A channel may drop a room of an order: from here on stays are also counted as they go (0013, 0014), and the highest number
// a stay that went had among the rooms of its order is remembered, so that no later room of it is called so.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Without a foreign key: that would keep others from orders too while it is made, and neither is ever deleted.
  yield* sql`
    CREATE TABLE removed_stays (
      operator_id bigint NOT NULL,
      order_id bigint NOT NULL,
      last_room integer NOT NULL,
      PRIMARY KEY (operator_id, order_id)
    )`
  yield* sql`
    CREATE TRIGGER stays_removed AFTER DELETE ON stays REFERENCING OLD TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION count_stays()`
})
