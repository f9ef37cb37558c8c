import { DateTime, Effect } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { releasePermitWhile } from "../../../contract/permit-release.ts"
import { truncateToSecond } from "../../../contract/time.ts"
import { CALENDAR_READ_MS, QUOTE_LIFETIME_MS } from "../../../platform/limits.ts"
import { randomAddressToken } from "../../../platform/random-text.ts"
import { CalendarReadPermits } from "../../calendars/listing-calendars/calendar-read-permits.ts"
import { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import { withChannelTimeout } from "../../channels/port/channel-api-errors.ts"
import { type ListingKey, listingNotFoundError } from "../../listings/listing-lookup.ts"
import { changeHandler, handleOperations, layerOperations } from "../../operation-handlers.ts"
import { unknownPropertyIdError } from "../../properties/properties/ownership.ts"
import { type create_quote, QuoteOperations } from "./contract.ts"
import { type StayRequest, toQuoteSubject, toStayRequest } from "./rules/quote-request.ts"
import { quoteListing, quoteProperty } from "./rules/quote-terms.ts"
import { CreatedQuote, QuoteStore } from "./store.ts"

export const layerQuotes = layerOperations(
  Effect.gen(function* () {
    const [store, gateway] = [yield* QuoteStore, yield* ChannelGateway]
    return handleOperations(QuoteOperations, {
      create_quote: changeHandler(
        createQuote(store, gateway, new CalendarReadPermits()),
        CreatedQuote,
        ({ quote_id, terms, expires_at }) => ({ quote_id, ...terms, expires_at })
      )
    })
  })
)

type Store = QuoteStore["Service"]
type Gateway = ChannelGateway["Service"]

const createQuote = (store: Store, gateway: Gateway, permits: CalendarReadPermits) =>
  Effect.fnUntraced(function* (payload: typeof create_quote.payloadSchema.Type) {
    const { operatorId, timeZone } = yield* CurrentCaller
    const now = yield* DateTime.nowAsDate
    const subject = yield* Effect.fromResult(toQuoteSubject(payload))
    const request = yield* Effect.fromResult(toStayRequest(payload, { timeZone, now }))
    const terms = yield* "property_id" in subject
      ? quoteStayInProperty(store, operatorId, subject.property_id, request)
      : quoteStayInListing({ store, gateway, permits }, operatorId, subject, request)
    const created_at = truncateToSecond(now.getTime())
    return yield* store.create(operatorId, {
      ...subject,
      check_in_date: payload.check_in_date,
      check_out_date: payload.check_out_date,
      number_of_guests: payload.number_of_guests,
      quote_id: randomAddressToken(),
      terms,
      created_at,
      expires_at: new Date(created_at.getTime() + QUOTE_LIFETIME_MS)
    })
  })

const quoteStayInProperty = Effect.fnUntraced(function* (
  store: Store,
  operatorId: number,
  propertyId: number,
  request: StayRequest
) {
  const quotedProperty = yield* store.findProperty(operatorId, propertyId, request)
  if (quotedProperty === undefined) return yield* unknownPropertyIdError
  return yield* Effect.fromResult(quoteProperty(quotedProperty.property, quotedProperty.prices, request))
})

interface ListingQuoteServices {
  readonly store: Store
  readonly gateway: Gateway
  readonly permits: CalendarReadPermits
}

const quoteStayInListing = Effect.fnUntraced(function* (
  { store, gateway, permits }: ListingQuoteServices,
  operatorId: number,
  listing: ListingKey,
  request: StayRequest
) {
  const quotedListing = yield* store.findListing(operatorId, listing, request)
  if (quotedListing === undefined) return yield* listingNotFoundError
  const account = { operatorId, accountId: quotedListing.account_id, channelType: listing.channel_type }
  const read = withChannelTimeout(
    // The day of departure may have the restriction `closed_on_departure`.
    gateway.readCalendar(account, {
      listingId: listing.listing_id,
      start: request.check_in_date,
      end: request.check_out_date
    }),
    "listing_id",
    CALENDAR_READ_MS
  )
  const calendar = yield* releasePermitWhile(permits.within(operatorId, read))
  return yield* Effect.fromResult(quoteListing(quotedListing, calendar, request))
})
