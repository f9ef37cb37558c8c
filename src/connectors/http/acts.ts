import { Effect, Schema } from "effect"
import { decoderOf } from "../../contract/decode.ts"
import { type BadRequest, ValidationFailed } from "../../contract/errors.ts"
import { Code } from "../../contract/fields.ts"
import { addDays, daysInRange } from "../../contract/time.ts"
import type {
  AccountThere,
  Connector,
  ListingThere,
  MessageTaken,
  MessageThere,
  OfferMade,
  OfferThere,
  OrderThere,
  ReviewThere
} from "../../domain/channels/port/connector.ts"
import { ListingDay, Restrictions } from "../../domain/channels/port/days.ts"
import type { ConnectorError } from "../../domain/channels/port/errors.ts"
import { AirbnbPriceAndRules } from "../../domain/channels/port/price-and-rules.ts"
import { OfferSaid } from "../../domain/channels/port/said.ts"
import { ELIGIBLE_POLICIES } from "../../platform/limits.ts"

// The protocol outward (docs/channels.md, "A connector over HTTP"): each act is a message of a type, and what is answered is
// read before it is believed.

/** What a connector is asked, and how its answer is read. */
export interface Message<A> {
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly read: (answer: unknown) => Effect.Effect<A, BadRequest | ValidationFailed>
}

/** Sends a message about an account and answers what came of it. */
export type Ask = <A>(account: AccountThere, message: Message<A>) => Effect.Effect<A, ConnectorError>

const readDone = decoderOf(Schema.Record(Schema.String, Schema.Unknown))
const done = (answer: unknown) => Effect.asVoid(readDone(answer))

const readAnswered = decoderOf(
  Schema.Struct({ answer: Schema.Literals(["pending", "approved", "declined", "unknown"]) })
)
const answered = (answer: unknown) => Effect.map(readAnswered(answer), ({ answer }) => answer)

/** A day as the port has it; the only texts in it are short, however long an answer may be. */
const DayAnswered = Schema.Struct({
  ...ListingDay.fields,
  restrictions: Schema.optionalKey(
    Schema.Struct({
      ...Restrictions.fields,
      min_advance_reservation: Schema.optionalKey(Code),
      max_advance_reservation: Schema.optionalKey(Code)
    })
  )
})

const readDays = decoderOf(Schema.Struct({ days: Schema.Array(DayAnswered) }))

/** Exactly the days that were asked for, in order: whoever reads them is told nothing else. */
const daysBetween = (start: string, end: string) => (answer: unknown) =>
  Effect.flatMap(readDays(answer), ({ days }) =>
    days.length === daysInRange(start, end) && days.every(({ date }, at) => date === addDays(start, at))
      ? Effect.succeed(days)
      : Effect.fail(new ValidationFailed({ message: "days: must be the requested days, in order." }))
  )

const rules = decoderOf(
  Schema.Struct({
    settings: AirbnbPriceAndRules,
    eligible_cancellation_policies: Schema.Array(Code).check(
      Schema.isMaxLength(ELIGIBLE_POLICIES, { expected: `a list of at most ${ELIGIBLE_POLICIES}` })
    )
  })
)

const readTaken = decoderOf(
  Schema.Union([
    Schema.Struct({ outcome: Schema.Literal("sent"), channel_message_id: Schema.NullOr(Code) }),
    Schema.Struct({ outcome: Schema.Literal("unknown") })
  ])
)
const taken = (answer: unknown) =>
  Effect.map(
    readTaken(answer),
    (read): MessageTaken =>
      read.outcome === "sent" ? { outcome: "sent", channelMessageId: read.channel_message_id } : read
  )

const { offer_id, price, currency } = OfferSaid.fields
// The guest has the offer, whatever is said of its times.
const Time = Schema.optionalKey(Schema.Unknown)
const readMade = decoderOf(Schema.Struct({ offer_id, price, currency, created_at: Time, expires_at: Time }))
const timeIn = (said: unknown) => (typeof said === "string" ? said : "")
const made = (answer: unknown) =>
  Effect.map(
    readMade(answer),
    (read): OfferMade => ({
      offerId: read.offer_id,
      price: read.price,
      currency: read.currency,
      createdAt: timeIn(read.created_at),
      expiresAt: timeIn(read.expires_at)
    })
  )

const messageNamed = ({ threadId, messageId, text, imageUrl, again }: MessageThere) => ({
  thread_id: threadId,
  message_id: messageId,
  text,
  image_url: imageUrl,
  again
})

const offerNamed = ({ threadId, reference, price, currency, ...offer }: OfferThere) => ({
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

const reviewNamed = ({ review, reply, ...order }: ReviewThere) => ({
  ...orderNamed(order),
  review:
    review === null ? null : { score: review.score, content: review.content, category_ratings: review.categoryRatings },
  reply
})

const orderNamed = ({ reservationCode, channelId }: OrderThere) => ({
  reservation_code: reservationCode,
  channel_id: channelId
})

const listingNamed = ({ listingId }: ListingThere) => ({ listing_id: listingId })

/** A connector that is asked by messages. */
export const askedBy = (ask: Ask): Connector => ({
  approve: (account, order) => ask(account, { type: "approve", payload: orderNamed(order), read: done }),
  decline: (account, order) => ask(account, { type: "decline", payload: orderNamed(order), read: done }),
  answered: (account, order) => ask(account, { type: "answered", payload: orderNamed(order), read: answered }),
  pushPrices: (account, { prices, ...listing }) =>
    ask(account, { type: "push_prices", payload: { ...listingNamed(listing), prices }, read: done }),
  pushInventories: (account, { inventories, ...listing }) =>
    ask(account, { type: "push_inventories", payload: { ...listingNamed(listing), inventories }, read: done }),
  pushRestrictions: (account, { restrictions, ...listing }) =>
    ask(account, { type: "push_restrictions", payload: { ...listingNamed(listing), restrictions }, read: done }),
  readCalendar: (account, { start, end, ...listing }) =>
    ask(account, {
      type: "read_calendar",
      payload: { ...listingNamed(listing), start_date: start, end_date: end },
      read: daysBetween(start, end)
    }),
  readAirbnbPriceAndRules: (account, listing) =>
    ask(account, { type: "read_airbnb_price_and_rules", payload: listingNamed(listing), read: rules }),
  writeAirbnbPriceAndRules: (account, { settings, ...listing }) =>
    ask(account, {
      type: "write_airbnb_price_and_rules",
      payload: { ...listingNamed(listing), settings },
      read: done
    }),
  writeVrboPriceAndRules: (account, { settings, ...listing }) =>
    ask(account, { type: "write_vrbo_price_and_rules", payload: { ...listingNamed(listing), settings }, read: done }),
  sendMessage: (account, message) =>
    ask(account, { type: "send_message", payload: messageNamed(message), read: taken }),
  sendOffer: (account, offer) => ask(account, { type: "send_offer", payload: offerNamed(offer), read: made }),
  withdrawOffer: (account, { threadId, offerId }) =>
    ask(account, { type: "withdraw_offer", payload: { thread_id: threadId, offer_id: offerId }, read: done }),
  writeReview: (account, review) => ask(account, { type: "write_review", payload: reviewNamed(review), read: done })
})
