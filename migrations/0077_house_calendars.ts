import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// House calendars: property feeds with data of guests, for locks and home automation.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Null in both columns: the feed has only busy days. The grant_id of a house calendar is its negative id. So the previous release, which
  // knows no house calendars, takes it for the feed of another connection: it never returns the address as that of the host's own feed,
  // which hosts give to marketplaces. It also lets a property have several house calendars under the constraint property_feeds_reader.
  yield* sql`
    ALTER TABLE property_feeds
      ADD COLUMN house_fields text[],
      ADD COLUMN door_code_source text,
      ADD CONSTRAINT property_feeds_house CHECK (
        CASE WHEN house_fields IS NULL THEN door_code_source IS NULL AND coalesce(grant_id > 0, true)
        ELSE door_code_source IS NOT NULL AND grant_id = -id AND calendar_id IS NULL END) NOT VALID`
})
