import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** A listing on a channel under which a property or a room type is sold (contract facts 7.1, 7.2). */
export const ChannelListing = Schema.Struct({
  channel_type: Schema.String,
  listing_id: Schema.String,
  currency: Schema.String.annotateKey({ description: "ISO 4217." })
})

/** What a listing may sell: its link, as `listings` has it (listings/mapping-and-ratio.ts). */
const LISTING_MAPPING_COLUMNS = { property: "property_id", room_type: "room_type_id" } as const

/**
 * The `channels` of the property or room type in `page`, as a jsonb array of {@link ChannelListing}; the only place that builds
 * them. Without what its channel has deleted. It is here because listings are built on properties, and not the other way
 * round; they alone write them.
 */
export const channelsJsonSql = (sql: SqlClient, kind: keyof typeof LISTING_MAPPING_COLUMNS): Fragment => sql`
  coalesce((
    SELECT jsonb_agg(
      jsonb_build_object('channel_type', l.channel_type, 'listing_id', l.listing_id, 'currency', l.currency) ORDER BY l.id)
    FROM listings l
    WHERE l.operator_id = page.operator_id AND l.${sql(LISTING_MAPPING_COLUMNS[kind])} = page.id AND l.shelf_status <> 'deleted'), '[]')`
