import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

export const ChannelListing = Schema.Struct({
  channel_type: Schema.String.annotateKey({ documentation: "Channel of the listing, such as `airbnb`." }),
  listing_id: Schema.String.annotateKey({
    documentation: "The channel's own id of the listing, as in search_listings."
  }),
  currency: Schema.String.annotateKey({ documentation: "Currency of the listing's prices, an ISO 4217 code." })
})

const LISTING_MAPPING_COLUMNS = { property: "property_id", room_type: "room_type_id" } as const

/**
 * For the row `page`, without deleted listings. This function is not in `listings`, because that module depends on
 * `properties`.
 */
export const channelsJsonSql = (sql: SqlClient, kind: keyof typeof LISTING_MAPPING_COLUMNS): Fragment => sql`
  coalesce((
    SELECT jsonb_agg(
      jsonb_build_object('channel_type', l.channel_type, 'listing_id', l.listing_id, 'currency', l.currency) ORDER BY l.id)
    FROM listings l
    WHERE l.operator_id = page.operator_id AND l.${sql(LISTING_MAPPING_COLUMNS[kind])} = page.id AND l.shelf_status <> 'deleted'), '[]')`
