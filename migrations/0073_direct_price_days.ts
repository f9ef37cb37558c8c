import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Days whose price was set for the listing itself, with POST /listings/prices. A new ratio does not push these days. A new
// base price of a day removes the day.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE listing_lanes ADD COLUMN direct_price_days datemultirange NOT NULL DEFAULT '{}'`
})
