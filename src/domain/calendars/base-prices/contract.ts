import { Schema } from "effect"
import { Conflict, NotFound } from "../../../contract/errors.ts"
import { CalendarDate, Id, MAJOR_UNITS_DESCRIPTION } from "../../../contract/fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import {
  AMOUNT_MAX,
  AVAILABILITY_END_DAYS,
  AVAILABILITY_START_DAYS,
  BASE_PRICE_LISTINGS_MAX,
  LISTING_RANGES_MAX,
  UNMAPPED_LISTINGS_SHOWN
} from "../../../platform/limits.ts"
import { integerBetween, NumberOfNights, rangeFields, rangeListSchema } from "../listing-calendars/contract.ts"

const PropertyId = Schema.optionalKey(Id).annotateKey({
  documentation:
    "Id of the property, from search_properties. Send this or `room_type_id`; neither or both return 400. An unknown id returns 404."
})
const RoomTypeId = Schema.optionalKey(Id).annotateKey({
  documentation: "Id of the room type, from search_room_types. Send this or `property_id`."
})

const Price = integerBetween(1, AMOUNT_MAX, "an amount").annotate({ description: MAJOR_UNITS_DESCRIPTION })

export const BasePriceDay = Schema.Struct({
  date: Schema.String.annotateKey({ documentation: "The night that begins on this day, `YYYY-MM-DD`." }),
  price: Schema.NullOr(Schema.Int).annotateKey({
    documentation: "Base price of the night, in major units of `currency`. Null if none is set."
  }),
  minimum_stay: Schema.NullOr(Schema.Int).annotateKey({
    documentation: "Fewest nights of a stay that begins on this day. Null if none is set."
  }),
  maximum_stay: Schema.NullOr(Schema.Int).annotateKey({
    documentation: "Most nights of a stay that begins on this day. Null if none is set."
  })
})
export type BasePriceDay = typeof BasePriceDay.Type

const WEEKDAYS_MAX = 7

export const BasePriceRange = Schema.Struct({
  ...rangeFields,
  weekdays: Schema.optionalKey(
    Schema.Array(integerBetween(1, WEEKDAYS_MAX, "a weekday")).check(
      Schema.isMinLength(1, { expected: "a list of at least one weekday" }),
      Schema.isMaxLength(WEEKDAYS_MAX, { expected: `at most ${WEEKDAYS_MAX} weekdays` })
    )
  ).annotateKey({
    documentation:
      "Applies the range only to nights that begin on these weekdays: 1 is Monday, 7 is Sunday. Default: all days."
  }),
  price: Schema.optionalKey(Schema.NullOr(Price)).annotateKey({
    documentation:
      "Base price of each night, a whole number in major units of the `currency` of get_base_prices. null clears it. Default: unchanged."
  }),
  minimum_stay: Schema.optionalKey(Schema.NullOr(NumberOfNights)).annotateKey({
    documentation: "Fewest nights of a stay that begins on these days. null clears it. Default: unchanged."
  }),
  maximum_stay: Schema.optionalKey(Schema.NullOr(NumberOfNights)).annotateKey({
    documentation:
      "Most nights of a stay that begins on these days, not below `minimum_stay`. null clears it. Default: unchanged."
  })
})
export type BasePriceRange = typeof BasePriceRange.Type

const listingFields = {
  channel_type: Schema.String.annotateKey({ documentation: "Channel of the listing." }),
  listing_id: Schema.String.annotateKey({ documentation: "The channel's own id of the listing." })
}

export const SKIP_REASONS = ["readonly", "currency", "no_mapping", "disconnected", "unsupported"] as const
export type SkipReason = (typeof SKIP_REASONS)[number]

export const BasePricePushes = Schema.Struct({
  pushed: Schema.Array(Schema.Struct(listingFields)).annotateKey({
    documentation: `Listings for which changes are queued, at most ${BASE_PRICE_LISTINGS_MAX}.`
  }),
  skipped: Schema.Array(
    Schema.Struct({
      ...listingFields,
      reason: Schema.Literals(SKIP_REASONS).annotateKey({
        documentation: "Why nothing is pushed to the listing. The operation explains each value."
      })
    })
  ).annotateKey({ documentation: "Listings that do not get the change." })
})
export type BasePricePushes = typeof BasePricePushes.Type

const operation = defineFamily({ category: "calendar", since: "3.13.0", openWorld: true })

const exposure = {
  notATool: "the release of the contract has 72 tools, and an agent sets prices with update_listing_prices",
  extension: true
} as const

export const get_base_prices = operation("get_base_prices", {
  route: "GET /base_prices",
  summary: "Read the base prices of a property or room type",
  details: `Every day of the range is listed, in order. A value that the property does not have comes from its room type, field by field.

If the currencies of the property and its room type differ, the price of the room type is not used.`,
  payload: {
    property_id: PropertyId,
    room_type_id: RoomTypeId,
    start_date: CalendarDate.annotateKey({
      documentation: `First day, at most ${AVAILABILITY_START_DAYS} days before today in the host's time zone.`
    }),
    end_date: CalendarDate.annotateKey({
      documentation: `Last day, included, at most ${AVAILABILITY_END_DAYS} days after today.`
    })
  },
  success: Schema.Struct({
    currency: Schema.String.annotateKey({
      documentation:
        "ISO 4217 code of the currency of all prices. A property has its own currency, otherwise the operator's. A room type has the currency that all its properties share, otherwise the operator's."
    }),
    days: Schema.Array(BasePriceDay).annotateKey({ documentation: "One entry per day, in order." })
  }),
  errors: [NotFound],
  exposure
})

export const set_base_prices = operation("set_base_prices", {
  route: "POST /base_prices",
  rejectsUnknownFields: true,
  summary: "Set base prices and push them to the mapped listings",
  details: `The call stores prices, minimum stays and maximum stays by day, and queues the changes for the mapped listings. A channel gets them within a minute. These pushes do not count toward the 120 calls a minute of update_listing_prices.

**What is pushed**

- The price of a listing is \`round(base_price * ratio / 100)\`, rounded half up. It is at least 1 and at most ${AMOUNT_MAX}.
- \`minimum_stay\` and \`maximum_stay\` are pushed as \`min_stay_on_arrival\` and \`max_stay_on_arrival\`. A channel without these restrictions gets the price only.
- Only changed days are pushed. Repeating a price pushes it only to listings whose channel has not accepted it.
- A price that the channel refused is pushed again when a call repeats it, or with a new ratio.
- While a channel is unreachable, the service tries again. After one day it queues the current values of all days from today on.
- A queued value is not sent if the listing becomes read-only, or gets another property or room type.
- A cleared value is not pushed, so the channel keeps its last value. If the room type of the property has a value, that value is pushed.
- Values of a room type go to its own listings. They also go to the listings of its properties, for days on which the property has no value of its own.
- A new ratio pushes the base prices of all days from today on. A new mapping also pushes the minimum and maximum stays.
- A price of update_listing_prices stays on its channel until the base price of its day, the mapping of the listing, or the currency of the base price changes. A new ratio does not change it. If the channel refuses the price, the day follows the base price again.

**What is skipped**

- \`readonly\`: the prices of the listing are set on its channel.
- \`currency\`: the currency of the listing differs from that of the base price. Or the property of the listing does not use prices of its room type, because its currency differs.
- \`no_mapping\`: the listing is not mapped (at most ${UNMAPPED_LISTINGS_SHOWN} are named). Or it is mapped to the room type of the property, whose base prices it has.
- \`disconnected\`: the channel account is disconnected.
- \`unsupported\`: the channel does not support any of the changed values.

A skipped listing gets neither prices nor minimum and maximum stays. It gets what it missed when \`readonly\` ends, when update_property gives the property its currency, or when its channel account is connected again. A listing whose queue is full at the reconnection gets nothing. After a new currency of the listing itself, set \`readonly\` of its mapping to true and then to false. A listing without a changed day is in neither list.

**Errors**

- One invalid range rejects the whole call. The error names it, such as \`ranges[1].end_date\`.
- If a day would get a \`minimum_stay\` above its \`maximum_stay\`, the call returns 422. For a room type, this includes the days of its properties.
- A room type that has, with its properties, more than ${BASE_PRICE_LISTINGS_MAX} listings returns 422.
- If the queue of one listing is full, the call returns 409 with \`Retry-After\`, and nothing changes.`,
  payload: {
    property_id: PropertyId,
    room_type_id: RoomTypeId,
    ranges: rangeListSchema(BasePriceRange).annotateKey({
      documentation: `Ranges of days, at most ${LISTING_RANGES_MAX}. If ranges overlap, the last one in the list counts, field by field.`
    })
  },
  success: BasePricePushes,
  errors: [NotFound, Conflict],
  exposure
})

export const BasePriceOperations = { get_base_prices, set_base_prices }
