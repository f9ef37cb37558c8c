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
  documentation: "Id of the property, from search_properties. Send this or `room_type_id`; neither or both return 400."
})
const RoomTypeId = Schema.optionalKey(Id).annotateKey({
  documentation: "Id of the room type, from search_room_types."
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
    documentation: "Only these days of the range: 1 is Monday, 7 is Sunday. Default: all days."
  }),
  price: Schema.optionalKey(Schema.NullOr(Price)).annotateKey({
    documentation: "Base price of each night, a whole number in major units. null clears it. Default: unchanged."
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
    documentation: `Listings whose changes are queued for their channels, at most ${BASE_PRICE_LISTINGS_MAX}.`
  }),
  skipped: Schema.Array(
    Schema.Struct({
      ...listingFields,
      reason: Schema.Literals(SKIP_REASONS).annotateKey({ documentation: "Why nothing is pushed to the listing." })
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
  details: `Every day of the range is listed, in order. A property shows its own values, and else those of its room type, field by field.

A property does not take the price of its room type if their currencies differ.`,
  payload: {
    property_id: PropertyId,
    room_type_id: RoomTypeId,
    start_date: CalendarDate.annotateKey({
      documentation: `First day, within ${AVAILABILITY_START_DAYS} days of today in the host's time zone.`
    }),
    end_date: CalendarDate.annotateKey({
      documentation: `Last day, included, at most ${AVAILABILITY_END_DAYS} days after today.`
    })
  },
  success: Schema.Struct({
    currency: Schema.String.annotateKey({
      documentation:
        "Currency of the prices, ISO 4217. For a property its own, and else that of the operator. For a room type the one that all its properties have, and else that of the operator."
    }),
    days: Schema.Array(BasePriceDay).annotateKey({ documentation: "One entry per day, in order." })
  }),
  errors: [NotFound],
  exposure
})

export const set_base_prices = operation("set_base_prices", {
  route: "POST /base_prices",
  summary: "Set base prices and push them to the mapped listings",
  details: `The call sets amounts and stay lengths by day. It queues them for the mapped listings, outside of the 120 calls a minute of \`POST /listings/prices\`. A channel gets them within a minute.

**What is pushed**

- The price of a listing is \`round(base_price * ratio / 100)\`; half a unit is rounded up. It is at least 1 and at most ${AMOUNT_MAX}.
- \`minimum_stay\` and \`maximum_stay\` are pushed as \`min_stay_on_arrival\` and \`max_stay_on_arrival\`, because they count for stays that begin on the day. A channel without these restrictions gets the price only.
- Only changed days are pushed. The same values again push nothing.
- A cleared value is not pushed: the channel keeps its last one. A property without its own value uses that of its room type, which is pushed.
- Prices of a room type go to its own listings. They also go to listings of its properties, for days without a price of the property.
- A new ratio or mapping pushes the base prices of all days from today on again.
- Prices of \`POST /listings/prices\` hold until the base price of their days changes. A new ratio leaves these days out.

**What is skipped**

- \`readonly\`: the prices of the listing are set on its channel.
- \`currency\`: the currency of the listing differs from that of the base price.
- \`no_mapping\`: the listing is mapped to nothing (at most ${UNMAPPED_LISTINGS_SHOWN} are named), or it sells the property only through its room type and follows the room type's base price.
- \`disconnected\`: the channel account is disconnected.
- \`unsupported\`: the channel takes none of the changed values.

A skipped listing gets neither prices nor stay lengths. Once the reason has ended, set \`readonly\` of its mapping to true and then to false to push what it missed. A listing whose effective values did not change is in neither list.

**Errors**

- One wrong range rejects the whole call. The error names it, such as \`ranges[1].end_date\`.
- A \`minimum_stay\` above the \`maximum_stay\` of the resulting day returns 422, also in a property of the room type.
- A change for more than ${BASE_PRICE_LISTINGS_MAX} listings returns 422.
- If the queue of one listing is full, the call returns 409 with \`Retry-After\`, and nothing changes.`,
  payload: {
    property_id: PropertyId,
    room_type_id: RoomTypeId,
    ranges: rangeListSchema(BasePriceRange).annotateKey({
      documentation: `Ranges of days, at most ${LISTING_RANGES_MAX}. Where ranges overlap, the later one counts, field by field.`
    })
  },
  success: BasePricePushes,
  errors: [NotFound, Conflict],
  exposure
})

export const BasePriceOperations = { get_base_prices, set_base_prices }
