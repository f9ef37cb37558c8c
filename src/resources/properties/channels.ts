import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** A listing on a channel under which a property or a room type is sold (contract facts 7.1, 7.2). */
export const ListedOn = Schema.Struct({
  channel_type: Schema.String,
  listing_id: Schema.String,
  /** ISO 4217. */
  currency: Schema.String
})

/**
 * The `channels` of a row of a list of properties or room types, as a jsonb array of {@link ListedOn}; the only place
 * that builds them. Listings are not connected to properties, so it is empty.
 */
export const channelsOf = (sql: SqlClient): Fragment => sql`'[]'::jsonb`
