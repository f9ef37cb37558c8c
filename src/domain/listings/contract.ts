import { Schema } from "effect"
import { NotFound } from "../../contract/errors.ts"
import { Id, Integer, RecordCode } from "../../contract/fields.ts"
import { defineFamily, toolMetadata } from "../../contract/operation.ts"
import { pageFields } from "../../contract/page.ts"
import { RATIO_MAX } from "../../platform/limits.ts"
import { ShelfStatus } from "../channels/port/channel-events.ts"
import { ChannelType } from "../channels/port/channel-type.ts"

// What is on sale at channels, and what it costs there in percent (specification, "Listing" and "Pricing ratio"; contract
// facts 6.8, 6.9).

export const Listing = Schema.Struct({
  id: Id,
  listing_id: Schema.String.annotateKey({ description: "The channel's own id." }),
  channel_type: Schema.String,
  channel_account_id: Id,
  origin_account_id: Schema.String.annotateKey({ description: "The channel's own id of the account." }),
  title: Schema.String,
  cover: Schema.NullOr(Schema.String),
  url: Schema.NullOr(Schema.String),
  inventory: Schema.Int.annotateKey({ description: "How many of it there are." }),
  shelf_status: ShelfStatus,
  metadata: Schema.NullOr(Schema.Record(Schema.String, Schema.Json)).annotateKey({
    description: "Whatever the channel says of it beside; its shape is the channel's."
  }),
  created_at: Schema.String,
  updated_at: Schema.String
})
export type Listing = typeof Listing.Type

/** The ratio of a listing whose prices are not ours to set. */
export const READ_ONLY_RATIO = -1

export const PricingRatio = Schema.Struct({
  channel_type: Schema.String,
  listing_id: Schema.String,
  listing_title: Schema.String,
  ratio: Schema.Int.annotateKey({
    description: `Percent of the base price of the link; ${READ_ONLY_RATIO} where it is read-only.`
  }),
  readonly: Schema.Boolean
})
export type PricingRatio = typeof PricingRatio.Type

const Ratio = Integer.check(
  Schema.isBetween({ minimum: 1, maximum: RATIO_MAX }, { expected: `from 1 to ${RATIO_MAX}` })
)

const operation = defineFamily({ category: "property", since: "3.4.0", openWorld: false })

export const search_listings = operation("search_listings", {
  route: "GET /listings",
  summary: "List what is on sale at channels",
  payload: {
    channel_account_id: Schema.optionalKey(Id),
    listing_id: Schema.optionalKey(RecordCode),
    channel_type: Schema.optionalKey(ChannelType),
    ...pageFields
  },
  success: Schema.Struct({ listings: Schema.Array(Listing), total: Schema.Int }),
  errors: [NotFound],
  exposure: toolMetadata(
    "Lists listings at channels with title, link and whether they are on the shelf. This is where a listing_id comes from: the channel's own, so name its channel_type with it.",
    ["What do I sell on Vrbo?", "Which of my listings are off the shelf?"],
    false
  )
})

export const get_pricing_ratios = operation("get_pricing_ratios", {
  route: "GET /pricing_ratios",
  summary: "Read what listings cost in percent of their property or room type",
  payload: { property_id: Schema.optionalKey(Id), room_type_id: Schema.optionalKey(Id) },
  success: Schema.Struct({
    link_type: Schema.Literals(["property", "room_type"]),
    link_id: Id,
    channels: Schema.Array(PricingRatio)
  }),
  errors: [NotFound],
  exposure: toolMetadata(
    "Tells for each listing of a property or a room type (give one id, not both) its price in percent of the base price: set round(base_price * ratio / 100) with update_listing_prices, listing by listing. Skip readonly ones (ratio -1).",
    ["Raise Harbour 1 to 120 euro on all channels", "How much dearer is Harbour 1 on Booking.com?"],
    false,
    { category: "calendar" }
  )
})

/** What a listing is mapped to, and its ratio. */
export const ListingMappingRecord = Schema.Struct({
  channel_type: Schema.String,
  listing_id: Schema.String,
  property_id: Schema.NullOr(Id),
  room_type_id: Schema.NullOr(Id),
  ratio: PricingRatio.fields.ratio,
  readonly: Schema.Boolean
})
export type ListingMappingRecord = typeof ListingMappingRecord.Type

export const set_listing_mapping = operation("set_listing_mapping", {
  route: "PUT /listings/{listing_id}/mapping",
  summary: "Set what a listing sells, and for what percent of the base price",
  payload: {
    listing_id: RecordCode,
    channel_type: ChannelType,
    property_id: Schema.optionalKey(Schema.NullOr(Id)).annotateKey({
      description: "Maps the listing to a property. null together with room_type_id: null: to nothing."
    }),
    room_type_id: Schema.optionalKey(Schema.NullOr(Id)).annotateKey({
      description: "Maps the listing to a room type, in the place of a property. Neither: the mapping stays."
    }),
    ratio: Schema.optionalKey(Ratio).annotateKey({ description: "Percent of the base price. Absent: it stays." }),
    readonly: Schema.optionalKey(Schema.Boolean).annotateKey({
      description: "Whether its prices are set at the channel and not from here. Absent: it stays."
    })
  },
  success: Schema.Struct({ mapping: ListingMappingRecord }),
  errors: [NotFound],
  exposure: {
    notATool: "a host maps a listing once, without an agent",
    extension: true
  }
})

export const ListingOperations = { search_listings, get_pricing_ratios, set_listing_mapping }
