import { Schema } from "effect"
import { Conflict, NotFound, ServerError } from "../../../contract/errors.ts"
import {
  CalendarDate,
  hasAtMostCharacters,
  Integer,
  MAJOR_UNITS_DESCRIPTION,
  RecordCode
} from "../../../contract/fields.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import {
  AMOUNT_MAX,
  AVAILABILITY_END_DAYS,
  AVAILABILITY_START_DAYS,
  CHANNEL_TYPE_LENGTH,
  LISTING_CALENDAR_DAYS,
  LISTING_CALENDARS_READ_MAX,
  LISTING_INVENTORY_MAX,
  LISTING_RANGES_MAX,
  QUEUED_LISTING_PUSHES_MAX,
  STAY_NIGHTS
} from "../../../platform/limits.ts"
import { channelErrors } from "../../channels/port/channel-api-errors.ts"
import type { ChannelType } from "../../channels/port/channel-type.ts"
import {
  CHANNELS_BY_RESTRICTION,
  ListingDay,
  RESTRICTION_MEANINGS,
  type Restriction
} from "../../channels/port/listing-days.ts"

// Contract facts 6.3 and 6.4.

/** Contract facts 0.4. */
export const CALENDAR_PUSH_CHANNELS: ReadonlyArray<string> = [
  "airbnb",
  "booking.com",
  "agoda",
  "expedia",
  "vrbo",
  "trip.com",
  "booking_site",
  "tujia_intl",
  "houfy",
  "ctrip"
] satisfies ReadonlyArray<ChannelType>

// The names are not in the JSON schema, which keeps tool descriptions short. The error lists them.
const CalendarPushChannel = Schema.String.check(
  Schema.makeFilter(
    (text) => {
      if (!hasAtMostCharacters(text, CHANNEL_TYPE_LENGTH)) return `must be at most ${CHANNEL_TYPE_LENGTH} characters`
      return CALENDAR_PUSH_CHANNELS.includes(text) || `must be one of ${CALENDAR_PUSH_CHANNELS.join(", ")}`
    },
    { toJsonSchema: () => [{ maxLength: CHANNEL_TYPE_LENGTH }, true] }
  )
)

const listingFields = {
  channel_type: CalendarPushChannel.annotateKey({
    documentation: `Channel of the listing: ${CALENDAR_PUSH_CHANNELS.join(", ")}.`
  }),
  listing_id: RecordCode.annotateKey({
    documentation: "The channel's own id of the listing, from search_listings. An unknown listing returns 404."
  })
}

export const rangeFields = {
  start_date: CalendarDate.annotateKey({ documentation: "First day, today or later in the host's time zone." }),
  end_date: CalendarDate.annotateKey({
    documentation: `Last day, included, at most ${AVAILABILITY_END_DAYS} days after today.`
  })
}

export const integerBetween = (minimum: number, maximum: number, noun: string) =>
  Integer.check(Schema.isBetween({ minimum, maximum }, { expected: `${noun} from ${minimum} to ${maximum}` }))

export const NumberOfNights = integerBetween(1, STAY_NIGHTS, "a number of nights")

const ADVANCE_PATTERN = /^\d{1,3}D(([01]?\d|2[0-3])H)?$/

const AdvanceNotice = Schema.String.check(
  Schema.makeFilter((text) => ADVANCE_PATTERN.test(text), {
    expected: "days and hours, such as 4D or 4D4H",
    toJsonSchema: () => ({ pattern: ADVANCE_PATTERN.source })
  })
)

const PricedRange = Schema.Struct({
  ...rangeFields,
  price: integerBetween(1, AMOUNT_MAX, "an amount").annotate({ description: MAJOR_UNITS_DESCRIPTION }).annotateKey({
    documentation:
      "Price of each night, a whole number in major units of the listing's currency (`channels[].currency` of search_properties). A decimal returns 400."
  })
})

const InventoryRange = Schema.Struct({
  ...rangeFields,
  inventory: integerBetween(0, LISTING_INVENTORY_MAX, "a number").annotateKey({
    documentation: "Units to sell on each day. 0 closes the listing on its channel only."
  })
})

const restriction = <Value extends Schema.Top>(name: Restriction, value: Value) =>
  Schema.optionalKey(value).annotateKey({
    documentation: `${RESTRICTION_MEANINGS[name]} Channels: ${CHANNELS_BY_RESTRICTION[name].join(", ")}.`
  })

export const RestrictedRange = Schema.Struct({
  ...rangeFields,
  closed_on_arrival: restriction("closed_on_arrival", Schema.Boolean),
  closed_on_departure: restriction("closed_on_departure", Schema.Boolean),
  min_stay_on_arrival: restriction("min_stay_on_arrival", NumberOfNights),
  max_stay_on_arrival: restriction("max_stay_on_arrival", NumberOfNights),
  min_stay_through: restriction("min_stay_through", NumberOfNights),
  max_stay_through: restriction("max_stay_through", NumberOfNights),
  min_advance_reservation: restriction("min_advance_reservation", AdvanceNotice),
  max_advance_reservation: restriction("max_advance_reservation", AdvanceNotice),
  exact_stay_on_arrival: restriction("exact_stay_on_arrival", NumberOfNights)
})

export const rangeListSchema = <Range extends Schema.Top>(range: Range) =>
  Schema.Array(range).check(
    Schema.isMinLength(1, { expected: "a list of at least one range of days" }),
    Schema.isMaxLength(LISTING_RANGES_MAX, { expected: `at most ${LISTING_RANGES_MAX} ranges of days` })
  )

const operation = defineFamily({ category: "calendar", since: "3.4.0", openWorld: true })

const RATE_LIMITS = { "1m": 120 }

export const search_listing_calendars = operation("search_listing_calendars", {
  route: "POST /listings/calendar",
  changesNothing: true,
  limits: RATE_LIMITS,
  summary: "Read the calendars of listings from their channels",
  details: `The call reads the channels now, which may take 30 seconds; after that it returns 504. It needs a writable token, changes nothing and ignores an idempotency key.

- Listings times days are at most ${LISTING_CALENDAR_DAYS}.
- One call reads four listings at a time. An operator has four such calls running per process; others wait, and a full queue returns 500 with \`Retry-After\`.
- An error names the listing as \`listings[n].listing_id\`. 400: the account is disconnected. 409: the channel refused. 501: this installation does not reach the channel. 502 and 503: the channel failed.`,
  payload: {
    start_date: CalendarDate.annotateKey({
      documentation: `First day, within ${AVAILABILITY_START_DAYS} days of today in the host's time zone.`
    }),
    end_date: CalendarDate.annotateKey({
      documentation: `Last day, included, at most ${AVAILABILITY_END_DAYS} days after today.`
    }),
    listings: Schema.Array(Schema.Struct(listingFields))
      .check(
        Schema.isMinLength(1, { expected: "a list of at least one listing" }),
        Schema.isMaxLength(LISTING_CALENDARS_READ_MAX, { expected: `at most ${LISTING_CALENDARS_READ_MAX} listings` })
      )
      .annotateKey({ documentation: `Listings to read, at most ${LISTING_CALENDARS_READ_MAX}.` })
  },
  success: Schema.Struct({
    listings: Schema.Array(
      Schema.Struct({
        channel_type: Schema.String.annotateKey({ documentation: "Channel of the listing." }),
        listing_id: Schema.String.annotateKey({ documentation: "The channel's own id of the listing." }),
        calendar: Schema.Array(ListingDay).annotateKey({ documentation: "One entry per day, in order." })
      })
    ).annotateKey({
      documentation: "Listings in the order of the call. A listing that is sent twice is returned twice."
    })
  }),
  errors: [...channelErrors, ServerError],
  exposure: toolMetadata(
    "Reads what channels sell of listings, day by day. ctrip's price is after commission: compute no new one from it.",
    ["What does the Airbnb listing of Harbour 1 cost in May?"],
    false
  )
})

const changeErrors = [NotFound, Conflict] as const

const PUSH_DETAILS = `The call queues the change and returns. The channel gets the changes of a listing one after the other, within a minute. \`listing_calendar_updated\` is sent once the channel has accepted one.

- A disconnected channel account returns 400. An unknown \`channel_type\` returns 422 with the list of channels.
- One wrong range rejects the whole call. The error names it, such as \`prices[1].end_date\`.
- A change that the channel refuses is dropped.
- The service tries for a day to reach an unavailable channel, then gives the change up.
- At most ${QUEUED_LISTING_PUSHES_MAX} changes of one listing may be queued. One more returns 409 with \`Retry-After: 60\`.`

const RANGES_MEANING = `Ranges of days, at most ${LISTING_RANGES_MAX}. Where ranges overlap, the later one counts.`

export const update_listing_prices = operation("update_listing_prices", {
  route: "POST /listings/prices",
  limits: RATE_LIMITS,
  summary: "Set the prices of a listing on its channel",
  details: `${PUSH_DETAILS}
- A read-only listing returns 422.
- A price stays on the channel until the base price of its day changes. See set_base_prices.`,
  payload: {
    ...listingFields,
    prices: rangeListSchema(PricedRange).annotateKey({ documentation: RANGES_MEANING })
  },
  success: Schema.Struct({}),
  errors: changeErrors,
  exposure: toolMetadata(
    "Sets nightly prices of a listing on its channel, within a minute; later ranges win. On ctrip they are what guests pay.",
    ["Raise the Airbnb price of Harbour 1 to 140 in August"],
    true,
    { idempotent: true }
  )
})

export const update_listing_inventories = operation("update_listing_inventories", {
  route: "POST /listings/inventories",
  limits: RATE_LIMITS,
  summary: "Set how many units of a listing its channel can sell",
  details: `${PUSH_DETAILS}

The inventory stays until the availability of that day changes or the listing gets another mapping. The service then sends the calculated inventory. It never sends more than can be sold.`,
  payload: {
    ...listingFields,
    inventories: rangeListSchema(InventoryRange).annotateKey({ documentation: RANGES_MEANING })
  },
  success: Schema.Struct({}),
  errors: changeErrors,
  exposure: toolMetadata(
    "Sets how many of a listing its channel sells a night, within a minute; 0 closes it there alone.",
    ["Stop selling the cabin on Vrbo this weekend"],
    true,
    { idempotent: true }
  )
})

export const update_listing_restrictions = operation("update_listing_restrictions", {
  route: "POST /listings/restrictions",
  limits: RATE_LIMITS,
  summary: "Set the booking restrictions of a listing on its channel",
  details: `${PUSH_DETAILS}

Restrictions that are not sent stay unchanged. A range without a restriction returns 422, and so does a maximum below its minimum. Restrictions that the channel does not support are not sent; \`warnings\` names them. If no range is left, nothing is sent.`,
  payload: {
    ...listingFields,
    restrictions: rangeListSchema(RestrictedRange).annotateKey({ documentation: RANGES_MEANING })
  },
  success: Schema.Struct({
    warnings: Schema.optionalKey(Schema.Array(Schema.String)).annotateKey({
      documentation: "One sentence per restriction that the channel does not support. Absent if it supports all."
    })
  }),
  errors: changeErrors,
  exposure: toolMetadata(
    "Sets booking restrictions of a listing on its channel, within a minute. Fields that are not sent stay; warnings name unsupported ones.",
    ["At least three nights on Booking.com over Easter"],
    true,
    { idempotent: true }
  )
})

export const ListingCalendarOperations = {
  search_listing_calendars,
  update_listing_inventories,
  update_listing_prices,
  update_listing_restrictions
}
