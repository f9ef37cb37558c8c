import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// House calendars: property feeds with guest data, for locks and home automation.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Both columns are null for a feed of busy days. The grant_id of a house calendar is its negative id, for two reasons:
  // - The previous release then sees the feed of another connection. Otherwise it would return the address, with guest data behind it, as
  //   that of the host's own feed, which hosts give to marketplaces.
  // - The constraint property_feeds_reader then permits several house calendars for a property.
  yield* sql`
    ALTER TABLE property_feeds
      ADD COLUMN house_fields text[],
      ADD COLUMN door_code_source text,
      ADD CONSTRAINT property_feeds_house CHECK (
        CASE WHEN house_fields IS NULL THEN door_code_source IS NULL AND coalesce(grant_id > 0, true)
        ELSE coalesce(door_code_source IN ('reservation', 'phone_last_four'), false) AND grant_id = -id AND calendar_id IS NULL END) NOT VALID`
})
