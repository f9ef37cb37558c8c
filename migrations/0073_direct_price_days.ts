import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Days for which the host set the price of one listing directly. A new ratio leaves these days out, and a new base price
// of a day removes it.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE listing_lanes ADD COLUMN direct_price_days datemultirange NOT NULL DEFAULT '{}'`
})
