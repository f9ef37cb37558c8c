import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Days of direct prices and of base prices that a channel did not get.
//
// This migration runs outside a transaction (`nonTransactional`), so that each statement locks only one existing table.
// Each statement can be repeated after a failure.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // direct_price_days: days whose price was set for the listing itself, with POST /listings/prices. A new ratio does not
  // push these days. A new base price of a day removes the day.
  // accepted_price_days: the days of direct_price_days for which the channel accepted a direct price.
  // missed_price_days: days whose base price the channel refused, or that a new ratio left out because a direct price was
  // pending.
  yield* sql`
    ALTER TABLE listing_lanes
      ADD COLUMN IF NOT EXISTS direct_price_days datemultirange NOT NULL DEFAULT '{}',
      ADD COLUMN IF NOT EXISTS accepted_price_days datemultirange NOT NULL DEFAULT '{}',
      ADD COLUMN IF NOT EXISTS missed_price_days datemultirange NOT NULL DEFAULT '{}'`

  // The owner of a pushed base price: the id of its property, or the negative id of its room type. Null for other
  // pushes.
  yield* sql`ALTER TABLE listing_pushes ADD COLUMN IF NOT EXISTS price_source bigint`
})
