import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// A third reason why a day cannot be sold, beside closed by the host and held by a stay: other calendars, imported ones, say
// that it is busy there (0034). It is counted in the day's own row for the same reason as the other two stand there (0004).

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE calendar_days ADD imported integer NOT NULL DEFAULT 0`
  // Of the rows there are none is looked at: they all have the default.
  yield* sql`
    ALTER TABLE calendar_days ADD CONSTRAINT calendar_days_imported CHECK (imported >= 0) NOT VALID`
})
