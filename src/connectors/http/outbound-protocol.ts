import { Effect, Schema } from "effect"
import { makeDecoder } from "../../contract/decoder.ts"
import { type BadRequest, ValidationFailed } from "../../contract/errors.ts"
import { RecordCode } from "../../contract/fields.ts"
import { addDays, daysInRange } from "../../contract/time.ts"
import { ChannelOfferEvent } from "../../domain/channels/port/channel-events.ts"
import type {
  Connector,
  CreatedOffer,
  MessageSendResult,
  OutboundMessage,
  OutboundOffer,
  OutboundReview,
  RemoteAccount,
  RemoteListing,
  RemoteOrder
} from "../../domain/channels/port/connector.ts"
import type { ConnectorError } from "../../domain/channels/port/errors.ts"
import { ListingDay, Restrictions } from "../../domain/channels/port/listing-days.ts"
import { AirbnbPriceAndRules } from "../../domain/channels/port/price-and-rules.ts"
import { ELIGIBLE_POLICIES_MAX } from "../../platform/limits.ts"

// Protocol of docs/guides/connect-a-channel.md.

export interface ProtocolMessage<A> {
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly decodeResponse: (body: unknown) => Effect.Effect<A, BadRequest | ValidationFailed>
}

export type SendProtocolMessage = <A>(
  account: RemoteAccount,
  message: ProtocolMessage<A>
) => Effect.Effect<A, ConnectorError>

const decodeObject = makeDecoder(Schema.Record(Schema.String, Schema.Unknown))
const decodeEmptyResponse = (body: unknown) => Effect.asVoid(decodeObject(body))

const decodeRequestStatusBody = makeDecoder(
  Schema.Struct({ answer: Schema.Literals(["pending", "approved", "declined", "unknown"]) })
)
const decodeRequestStatus = (body: unknown) => Effect.map(decodeRequestStatusBody(body), ({ answer }) => answer)

/** Like `ListingDay`, but with limits for the lengths of texts. */
const CalendarDayResponse = Schema.Struct({
  ...ListingDay.fields,
  restrictions: Schema.optionalKey(
    Schema.Struct({
      ...Restrictions.fields,
      min_advance_reservation: Schema.optionalKey(RecordCode),
      max_advance_reservation: Schema.optionalKey(RecordCode)
    })
  )
})

const decodeCalendarBody = makeDecoder(Schema.Struct({ days: Schema.Array(CalendarDayResponse) }))

const decodeCalendarBetween = (start: string, end: string) => (body: unknown) =>
  Effect.flatMap(decodeCalendarBody(body), ({ days }) =>
    days.length === daysInRange(start, end) && days.every(({ date }, index) => date === addDays(start, index))
      ? Effect.succeed(days)
      : Effect.fail(new ValidationFailed({ message: "days: must be the requested days, in order." }))
  )

const decodePriceAndRules = makeDecoder(
  Schema.Struct({
    settings: AirbnbPriceAndRules,
    eligible_cancellation_policies: Schema.Array(RecordCode).check(
      Schema.isMaxLength(ELIGIBLE_POLICIES_MAX, { expected: `a list of at most ${ELIGIBLE_POLICIES_MAX}` })
    )
  })
)

const decodeSendResultBody = makeDecoder(
  Schema.Union([
    Schema.Struct({ outcome: Schema.Literal("sent"), channel_message_id: Schema.NullOr(RecordCode) }),
    Schema.Struct({ outcome: Schema.Literal("unknown") })
  ])
)
const decodeSendResult = (body: unknown) =>
  Effect.map(
    decodeSendResultBody(body),
    (decoded): MessageSendResult =>
      decoded.outcome === "sent" ? { outcome: "sent", channelMessageId: decoded.channel_message_id } : decoded
  )

const { offer_id, price, currency } = ChannelOfferEvent.fields
// Invalid times must not fail the call, because the guest already has the offer.
const UncheckedTime = Schema.optionalKey(Schema.Unknown)
const decodeCreatedOfferBody = makeDecoder(
  Schema.Struct({ offer_id, price, currency, created_at: UncheckedTime, expires_at: UncheckedTime })
)
const toTimeText = (value: unknown) => (typeof value === "string" ? value : "")
const decodeCreatedOffer = (body: unknown) =>
  Effect.map(
    decodeCreatedOfferBody(body),
    (decoded): CreatedOffer => ({
      offerId: decoded.offer_id,
      price: decoded.price,
      currency: decoded.currency,
      createdAt: toTimeText(decoded.created_at),
      expiresAt: toTimeText(decoded.expires_at)
    })
  )

const toMessagePayload = ({ threadId, messageId, text, imageUrl, again }: OutboundMessage) => ({
  thread_id: threadId,
  message_id: messageId,
  text,
  image_url: imageUrl,
  again
})

const toOfferPayload = ({ threadId, reference, price, currency, ...offer }: OutboundOffer) => ({
  thread_id: threadId,
  reference,
  offer_type: offer.offerType,
  listing_id: offer.listingId,
  rate_plan_id: offer.ratePlanId,
  check_in_date: offer.checkInDate,
  check_out_date: offer.checkOutDate,
  number_of_adults: offer.numberOfAdults,
  number_of_children: offer.numberOfChildren,
  number_of_infants: offer.numberOfInfants,
  number_of_pets: offer.numberOfPets,
  price,
  currency
})

const toReviewPayload = ({ review, reply, ...order }: OutboundReview) => ({
  ...toOrderPayload(order),
  review:
    review === null ? null : { score: review.score, content: review.content, category_ratings: review.categoryRatings },
  reply
})

const toOrderPayload = ({ reservationCode, channelId }: RemoteOrder) => ({
  reservation_code: reservationCode,
  channel_id: channelId
})

const toListingPayload = ({ listingId }: RemoteListing) => ({ listing_id: listingId })

export const makeHttpConnector = (send: SendProtocolMessage): Connector => ({
  approve: (account, order) =>
    send(account, { type: "approve", payload: toOrderPayload(order), decodeResponse: decodeEmptyResponse }),
  decline: (account, order) =>
    send(account, { type: "decline", payload: toOrderPayload(order), decodeResponse: decodeEmptyResponse }),
  answered: (account, order) =>
    send(account, { type: "answered", payload: toOrderPayload(order), decodeResponse: decodeRequestStatus }),
  pushPrices: (account, { prices, ...listing }) =>
    send(account, {
      type: "push_prices",
      payload: { ...toListingPayload(listing), prices },
      decodeResponse: decodeEmptyResponse
    }),
  pushInventories: (account, { inventories, ...listing }) =>
    send(account, {
      type: "push_inventories",
      payload: { ...toListingPayload(listing), inventories },
      decodeResponse: decodeEmptyResponse
    }),
  pushRestrictions: (account, { restrictions, ...listing }) =>
    send(account, {
      type: "push_restrictions",
      payload: { ...toListingPayload(listing), restrictions },
      decodeResponse: decodeEmptyResponse
    }),
  readCalendar: (account, { start, end, ...listing }) =>
    send(account, {
      type: "read_calendar",
      payload: { ...toListingPayload(listing), start_date: start, end_date: end },
      decodeResponse: decodeCalendarBetween(start, end)
    }),
  readAirbnbPriceAndRules: (account, listing) =>
    send(account, {
      type: "read_airbnb_price_and_rules",
      payload: toListingPayload(listing),
      decodeResponse: decodePriceAndRules
    }),
  writeAirbnbPriceAndRules: (account, { settings, ...listing }) =>
    send(account, {
      type: "write_airbnb_price_and_rules",
      payload: { ...toListingPayload(listing), settings },
      decodeResponse: decodeEmptyResponse
    }),
  writeVrboPriceAndRules: (account, { settings, ...listing }) =>
    send(account, {
      type: "write_vrbo_price_and_rules",
      payload: { ...toListingPayload(listing), settings },
      decodeResponse: decodeEmptyResponse
    }),
  sendMessage: (account, message) =>
    send(account, { type: "send_message", payload: toMessagePayload(message), decodeResponse: decodeSendResult }),
  sendOffer: (account, offer) =>
    send(account, { type: "send_offer", payload: toOfferPayload(offer), decodeResponse: decodeCreatedOffer }),
  withdrawOffer: (account, { threadId, offerId }) =>
    send(account, {
      type: "withdraw_offer",
      payload: { thread_id: threadId, offer_id: offerId },
      decodeResponse: decodeEmptyResponse
    }),
  writeReview: (account, review) =>
    send(account, { type: "write_review", payload: toReviewPayload(review), decodeResponse: decodeEmptyResponse })
})
