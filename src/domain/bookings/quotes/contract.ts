import { Schema } from "effect"
import { Conflict, NotFound, NotImplemented, ServerError, Upstream } from "../../../contract/errors.ts"
import { CalendarDate, hasAtMostCharacters, Id, NumberOfGuests, RecordCode } from "../../../contract/fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import {
  AMOUNT_MAX,
  AVAILABILITY_END_DAYS,
  AVAILABILITY_START_DAYS,
  CHANNEL_TYPE_LENGTH,
  QUOTE_LIFETIME_MS,
  STAY_NIGHTS
} from "../../../platform/limits.ts"
import { CALENDAR_PUSH_CHANNELS } from "../../calendars/listing-calendars/contract.ts"
import { QUOTE_RULES } from "./rules/violation.ts"

const amountFields = (noun: string) => ({
  name: Schema.String.annotateKey({ documentation: `Name of the ${noun}.` }),
  amount: Schema.Finite.annotateKey({ documentation: "Amount for the whole stay, in major units." })
})

/** Price and violations of a quoted stay. The table `quotes` stores them as JSON. */
export const QuoteTerms = Schema.Struct({
  property_id: Schema.NullOr(Id).annotateKey({
    documentation:
      "Property of a reservation with this quote. For a listing of a room type: its first property that is free on these nights and would return neither `capacity` nor `currency_mismatch`. Without one: its first free property, otherwise its first property. Null if the listing is not mapped."
  }),
  currency: Schema.String.annotateKey({
    documentation: "ISO 4217 code of all amounts: the currency of the quoted property or listing."
  }),
  nights: Schema.Array(
    Schema.Struct({
      date: Schema.String.annotateKey({ documentation: "The night that begins on this day, `YYYY-MM-DD`." }),
      price: Schema.NullOr(Schema.Finite).annotateKey({
        documentation: "Price in major units, without fees and taxes. Null if none is set."
      })
    })
  ).annotateKey({ documentation: "One entry per night, in order." }),
  fees: Schema.Array(Schema.Struct(amountFields("fee"))).annotateKey({
    documentation: "Fees of the property, in the order of its `fees`. Empty if `total` is null."
  }),
  taxes: Schema.Array(Schema.Struct(amountFields("tax"))).annotateKey({
    documentation: "Taxes of the property, in the order of its `taxes`. Empty if `total` is null."
  }),
  total: Schema.NullOr(Schema.Finite).annotateKey({
    documentation:
      "Exact sum of nights, fees and taxes, in major units. Null with the violation `no_price` or `currency_mismatch`."
  }),
  bookable: Schema.Boolean.annotateKey({ documentation: "True if there are no violations." }),
  violations: Schema.Array(
    Schema.Struct({
      rule: Schema.Literals(QUOTE_RULES).annotateKey({
        documentation:
          "Rule that prevents the stay. Later releases may add rules. `minimum_stay` and `maximum_stay` come from the base prices of the arrival day, or from the listing's settings. A rule with the name of a restriction comes from the listing's calendar."
      }),
      message: Schema.String.annotateKey({ documentation: "What prevents the stay and what to change, for the host." })
    })
  ).annotateKey({
    documentation: "All reasons that prevent the stay, at most one per rule. Empty if the stay can be booked."
  })
})
export type QuoteTerms = typeof QuoteTerms.Type

const CalendarChannel = Schema.String.check(
  Schema.makeFilter(
    (text) => {
      if (!hasAtMostCharacters(text, CHANNEL_TYPE_LENGTH)) return `must be at most ${CHANNEL_TYPE_LENGTH} characters`
      return CALENDAR_PUSH_CHANNELS.includes(text) || `must be one of ${CALENDAR_PUSH_CHANNELS.join(", ")}`
    },
    { toJsonSchema: () => [{ maxLength: CHANNEL_TYPE_LENGTH }, true] }
  )
)

const operation = defineFamily({ category: "reservation", since: "3.13.0", openWorld: false })

export const create_quote = operation("create_quote", {
  route: "POST /quotes",
  rejectsUnknownFields: true,
  limits: { "1m": 60 },
  summary: "Quote the price of a stay",
  details: `A quote adds the fees and taxes of the property to the prices of the nights.

- The quote of a property uses its base prices.
- The quote of a listing uses the prices and restrictions of the listing's calendar. The call reads them from the channel, which may take 30 seconds.

**Terms**

- Amounts are exact in the smallest unit of the currency. Each percentage is rounded once, half up.
- A quote holds no nights. Nights that the host blocks after the quote can still be booked with it. It expires after ${QUOTE_LIFETIME_MS / 60_000} minutes, and create_reservation uses it at most once. Later changes of prices do not change it.
- The commission of a reservation with the quote is 0. The price of a \`ctrip\` listing is the host's part, after commission.

**Errors**

- A total above ${AMOUNT_MAX} returns 422.
- For a listing: 400 if its channel account is disconnected, 409 if the channel refused, 501 if this installation has no connection to the channel, 502, 503 or 504 if the channel failed.`,
  payload: {
    property_id: Schema.optionalKey(Id).annotateKey({
      documentation:
        "The property, from search_properties. Send either this or `channel_type` and `listing_id`; other combinations return 400. An unknown property returns 404."
    }),
    channel_type: Schema.optionalKey(CalendarChannel).annotateKey({
      documentation: `Channel of the listing: ${CALENDAR_PUSH_CHANNELS.join(", ")}. Required with \`listing_id\`.`
    }),
    listing_id: Schema.optionalKey(RecordCode).annotateKey({
      documentation: "The channel's own id of the listing, from search_listings. An unknown listing returns 404."
    }),
    check_in_date: CalendarDate.annotateKey({
      documentation: `Day of arrival, at most ${AVAILABILITY_START_DAYS} days before today in the host's time zone. A day before today returns the violation \`past_check_in\`.`
    }),
    check_out_date: CalendarDate.annotateKey({
      documentation: `Day of departure, from 1 to ${STAY_NIGHTS} nights after check_in_date, at most ${AVAILABILITY_END_DAYS} days after today.`
    }),
    number_of_guests: NumberOfGuests.annotateKey({
      documentation: "Number of guests. Fees and taxes per guest and the capacity depend on it."
    })
  },
  success: Schema.Struct({
    quote_id: Schema.String.annotateKey({ documentation: "Id of the quote, for create_reservation." }),
    ...QuoteTerms.fields,
    expires_at: Schema.String.annotateKey({ documentation: "Time at which the quote expires, ISO 8601 in UTC." })
  }),
  errors: [NotFound, Conflict, NotImplemented, Upstream, ServerError],
  exposure: { notATool: "a booking website asks for quotes, without an agent", extension: true }
})

export const QuoteOperations = { create_quote }
