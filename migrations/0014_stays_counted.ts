import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// From here on stays are counted as they are entered; who is entering some is waited for.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TRIGGER stays_counted AFTER INSERT ON stays REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION count_stays()`
})
