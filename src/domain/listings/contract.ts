import { Schema } from "effect"
import { Conflict, NotFound } from "../../contract/errors.ts"
import { Id, Integer, RecordCode } from "../../contract/fields.ts"
import { defineFamily, toolMetadata } from "../../contract/operation.ts"
import { PageTotal, pageFields } from "../../contract/page.ts"
import { LISTINGS_PER_MAPPING, RATIO_MAX } from "../../platform/limits.ts"
import { ShelfStatus } from "../channels/port/channel-events.ts"
import { ChannelType } from "../channels/port/channel-type.ts"

// Specification, "Listing" and "Pricing ratio"; contract facts 6.8, 6.9.

const LISTING_ID_MEANING =
  "The channel's own id of the listing. Another channel may have the same id, so it counts together with `channel_type`."

export const Listing = Schema.Struct({
  id: Id.annotateKey({
    documentation: "The service's own id of the listing, which the audit log shows. Operations take `listing_id`."
  }),
  listing_id: Schema.String.annotateKey({ documentation: LISTING_ID_MEANING }),
  channel_type: Schema.String.annotateKey({ documentation: "Channel of the listing." }),
  channel_account_id: Id.annotateKey({
    documentation:
      "Account of the listing, from search_channel_accounts, which omits the account of the host's booking site."
  }),
  origin_account_id: Schema.String.annotateKey({ documentation: "The channel's own id of the account." }),
  title: Schema.String.annotateKey({ documentation: "Title on the channel." }),
  cover: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Address of the cover image; null if the channel's latest update omits it."
  }),
  url: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Address of the listing on the channel; null if the channel's latest update omits it."
  }),
  inventory: Schema.Int.annotateKey({ documentation: "Number of units that the channel sells under the listing." }),
  shelf_status: ShelfStatus.annotateKey({
    documentation:
      "`on`: on sale. `off`: not on sale. `deleted`: the channel deleted it; it stays in the list. `unknown`: the channel gave no status."
  }),
  metadata: Schema.NullOr(Schema.Record(Schema.String, Schema.Json)).annotateKey({
    documentation: "Other data of the channel, in the channel's own form. Null if the channel's latest update omits it."
  }),
  created_at: Schema.String.annotateKey({
    documentation: "When the listing entered this service, ISO 8601 UTC."
  }),
  updated_at: Schema.String.annotateKey({
    documentation: "When the channel last changed the listing, ISO 8601 UTC. Mapping and ratio do not change it."
  })
})
export type Listing = typeof Listing.Type

export const READ_ONLY_RATIO = -1

const readonlyField = Schema.Boolean.annotateKey({
  documentation: "True if the listing's prices are set on the channel and not from here."
})

export const PricingRatio = Schema.Struct({
  channel_type: Listing.fields.channel_type,
  listing_id: Listing.fields.listing_id,
  listing_title: Schema.String.annotateKey({ documentation: "Title on the channel." }),
  ratio: Schema.Int.annotateKey({
    documentation: `Whole percent of the base price; ${READ_ONLY_RATIO} for a read-only listing.`
  }),
  readonly: readonlyField
})
export type PricingRatio = typeof PricingRatio.Type

const Ratio = Integer.check(
  Schema.isBetween({ minimum: 1, maximum: RATIO_MAX }, { expected: `from 1 to ${RATIO_MAX}` })
)

const operation = defineFamily({ category: "property", since: "3.4.0", openWorld: false })

export const search_listings = operation("search_listings", {
  route: "GET /listings",
  summary: "List the listings on channels",
  details: "Listings of the host's own booking site are listed too, and listings that their channel deleted.",
  payload: {
    channel_account_id: Schema.optionalKey(Id).annotateKey({
      documentation: "Only listings of this account, from search_channel_accounts. An unknown account returns 404."
    }),
    listing_id: Schema.optionalKey(RecordCode).annotateKey({
      documentation: "Only listings with this id of a channel."
    }),
    channel_type: Schema.optionalKey(ChannelType).annotateKey({ documentation: "Only listings on this channel." }),
    ...pageFields
  },
  success: Schema.Struct({
    listings: Schema.Array(Listing).annotateKey({ documentation: "Listings, one per channel and id." }),
    total: PageTotal
  }),
  errors: [NotFound],
  exposure: toolMetadata(
    "Lists listings on channels with title, url and shelf_status. This is where a listing_id comes from: the channel's own, so name its channel_type with it.",
    ["What do I sell on Vrbo?", "Which of my listings are off the shelf?"],
    false
  )
})

export const get_pricing_ratios = operation("get_pricing_ratios", {
  route: "GET /pricing_ratios",
  summary: "Read the pricing ratios of a property's or room type's listings",
  details: `Send \`property_id\` or \`room_type_id\`. Neither or both return 400.

The price of a listing is a percentage of the base price of its property or room type: 100 unless the host sets another ratio.`,
  payload: {
    property_id: Schema.optionalKey(Id).annotateKey({
      description: "The property, from search_properties. An unknown one returns 404."
    }),
    room_type_id: Schema.optionalKey(Id).annotateKey({
      description: "The room type, from search_room_types. An unknown one returns 404."
    })
  },
  success: Schema.Struct({
    link_type: Schema.Literals(["property", "room_type"]).annotateKey({
      documentation: "What the listings are mapped to."
    }),
    link_id: Id.annotateKey({ documentation: "Id of that property or room type." }),
    channels: Schema.Array(PricingRatio).annotateKey({
      documentation: `One row per mapped listing, at most ${LISTINGS_PER_MAPPING}. Listings that the channel deleted are omitted.`
    })
  }),
  errors: [NotFound],
  exposure: toolMetadata(
    "Returns for each listing of a property or room type (give one id, not both) its price in percent of the base price: set round(base_price * ratio / 100) with update_listing_prices, listing by listing. Skip readonly ones (ratio -1).",
    ["Raise Harbour 1 to 120 euro on all channels", "How much dearer is Harbour 1 on Booking.com?"],
    false,
    { category: "calendar" }
  )
})

export const ListingMappingRecord = Schema.Struct({
  channel_type: Listing.fields.channel_type,
  listing_id: Listing.fields.listing_id,
  property_id: Schema.NullOr(Id).annotateKey({
    documentation: "Property that the listing is mapped to; null if there is none."
  }),
  room_type_id: Schema.NullOr(Id).annotateKey({
    documentation: "Room type that the listing is mapped to; null if there is none."
  }),
  ratio: PricingRatio.fields.ratio,
  readonly: readonlyField
})
export type ListingMappingRecord = typeof ListingMappingRecord.Type

export const set_listing_mapping = operation("set_listing_mapping", {
  route: "PUT /listings/{listing_id}/mapping",
  summary: "Map a listing to a property or room type, and set its ratio",
  details: `A listing is mapped to one property or one room type at most. Reservations of the listing come into that property, or into a free property of that room type.

- null in both \`property_id\` and \`room_type_id\` removes the mapping. Without both the mapping stays.
- A property or room type has at most ${LISTINGS_PER_MAPPING} listings; one more returns 422.
- A call without \`property_id\`, \`room_type_id\`, \`ratio\` and \`readonly\` returns 400.
- The whole change happens, or none of it.
- A new mapping, ratio or \`readonly: false\` queues the base prices of all days from today on for the listing. A new mapping also queues the minimum and maximum stays. See set_base_prices.
- If the listing's queue is full, the call returns 409 with \`Retry-After\`, and nothing changes.`,
  payload: {
    listing_id: RecordCode.annotateKey({ documentation: "The channel's own id of the listing, from search_listings." }),
    channel_type: ChannelType.annotateKey({ documentation: "Channel of the listing." }),
    property_id: Schema.optionalKey(Schema.NullOr(Id)).annotateKey({
      documentation:
        "Maps the listing to this property, from search_properties. An unknown one returns 404. null together with `room_type_id` null removes the mapping."
    }),
    room_type_id: Schema.optionalKey(Schema.NullOr(Id)).annotateKey({
      documentation:
        "Maps the listing to this room type, from search_room_types. An unknown one returns 404. Two ids, or one null alone, return 400."
    }),
    ratio: Schema.optionalKey(Ratio).annotateKey({
      documentation:
        "Whole percent of the base price, from 1 to 1000. Default: unchanged; 100 for a new listing. null returns 400."
    }),
    readonly: Schema.optionalKey(Schema.Boolean).annotateKey({
      documentation: "True if the listing's prices are set on the channel and not from here. Default: unchanged."
    })
  },
  success: Schema.Struct({
    mapping: ListingMappingRecord.annotateKey({ documentation: "The listing with its mapping and ratio." })
  }),
  errors: [NotFound, Conflict],
  exposure: {
    notATool: "a host maps a listing once, without an agent",
    extension: true
  }
})

export const ListingOperations = { search_listings, get_pricing_ratios, set_listing_mapping }
