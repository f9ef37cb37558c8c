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
  CHANNEL_TYPE_LENGTH,
  LISTING_CALENDARS_READ_MAX,
  LISTING_INVENTORY_MAX,
  LISTING_RANGES_MAX,
  STAY_NIGHTS
} from "../../../platform/limits.ts"
import { channelErrors } from "../../channels/port/channel-api-errors.ts"
import type { ChannelType } from "../../channels/port/channel-type.ts"
import { ListingDay } from "../../channels/port/listing-days.ts"

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

// Omits the names from the JSON schema to keep tool descriptions short. The error lists them.
const CalendarPushChannel = Schema.String.check(
  Schema.makeFilter(
    (text) => {
      if (!hasAtMostCharacters(text, CHANNEL_TYPE_LENGTH)) return `must be at most ${CHANNEL_TYPE_LENGTH} characters`
      return CALENDAR_PUSH_CHANNELS.includes(text) || `must be one of ${CALENDAR_PUSH_CHANNELS.join(", ")}`
    },
    { toJsonSchema: () => [{ maxLength: CHANNEL_TYPE_LENGTH }, true] }
  )
)

const listingFields = { channel_type: CalendarPushChannel, listing_id: RecordCode }

const dateFields = { start_date: CalendarDate, end_date: CalendarDate }

const integerBetween = (minimum: number, maximum: number, noun: string) =>
  Integer.check(Schema.isBetween({ minimum, maximum }, { expected: `${noun} from ${minimum} to ${maximum}` }))

const NumberOfNights = integerBetween(1, STAY_NIGHTS, "a number of nights")

const ADVANCE_PATTERN = /^\d{1,3}D(([01]?\d|2[0-3])H)?$/

const AdvanceNotice = Schema.String.check(
  Schema.makeFilter((text) => ADVANCE_PATTERN.test(text), {
    expected: "days and hours, such as 4D or 4D4H",
    toJsonSchema: () => ({ pattern: ADVANCE_PATTERN.source })
  })
)

const PricedRange = Schema.Struct({
  ...dateFields,
  price: integerBetween(1, AMOUNT_MAX, "an amount").annotate({ description: MAJOR_UNITS_DESCRIPTION })
})

const InventoryRange = Schema.Struct({
  ...dateFields,
  inventory: integerBetween(0, LISTING_INVENTORY_MAX, "a number")
})

export const RestrictedRange = Schema.Struct({
  ...dateFields,
  closed_on_arrival: Schema.optionalKey(Schema.Boolean),
  closed_on_departure: Schema.optionalKey(Schema.Boolean),
  min_stay_on_arrival: Schema.optionalKey(NumberOfNights),
  max_stay_on_arrival: Schema.optionalKey(NumberOfNights),
  min_stay_through: Schema.optionalKey(NumberOfNights),
  max_stay_through: Schema.optionalKey(NumberOfNights),
  min_advance_reservation: Schema.optionalKey(AdvanceNotice),
  max_advance_reservation: Schema.optionalKey(AdvanceNotice),
  exact_stay_on_arrival: Schema.optionalKey(NumberOfNights)
})

const rangeListSchema = <Range extends Schema.Top>(range: Range) =>
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
  summary: "Read what channels sell of listings, day by day",
  payload: {
    ...dateFields,
    listings: Schema.Array(Schema.Struct(listingFields)).check(
      Schema.isMinLength(1, { expected: "a list of at least one listing" }),
      Schema.isMaxLength(LISTING_CALENDARS_READ_MAX, { expected: `at most ${LISTING_CALENDARS_READ_MAX} listings` })
    )
  },
  success: Schema.Struct({
    listings: Schema.Array(
      Schema.Struct({
        channel_type: Schema.String,
        listing_id: Schema.String,
        calendar: Schema.Array(ListingDay).annotateKey({ description: "One entry a day, in order." })
      })
    )
  }),
  errors: [...channelErrors, ServerError],
  exposure: toolMetadata(
    "Reads what channels sell of listings, day by day. ctrip's price is after commission: compute no new one from it.",
    ["What does the Airbnb listing of Harbour 1 cost in May?"],
    false
  )
})

const changeErrors = [NotFound, Conflict] as const

export const update_listing_prices = operation("update_listing_prices", {
  route: "POST /listings/prices",
  limits: RATE_LIMITS,
  summary: "Set the prices of a listing on its channel",
  payload: { ...listingFields, prices: rangeListSchema(PricedRange) },
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
  summary: "Set how many of a listing its channel can sell",
  payload: { ...listingFields, inventories: rangeListSchema(InventoryRange) },
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
  summary: "Set what a channel asks of who books a listing",
  payload: { ...listingFields, restrictions: rangeListSchema(RestrictedRange) },
  success: Schema.Struct({
    warnings: Schema.optionalKey(
      Schema.Array(Schema.String).annotate({
        description: "A sentence for each restriction that the channel does not honour; absent if it honours all."
      })
    )
  }),
  errors: changeErrors,
  exposure: toolMetadata(
    "Sets what a listing's channel asks of stays, within a minute. Fields that are not sent stay; warnings name those the channel does not honour.",
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
