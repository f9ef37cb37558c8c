import { Schema } from "effect"
import { CalendarDate, Currency, InstantText, RecordCode, textUpTo } from "../../../contract/fields.ts"
import {
  AMOUNT_MAX,
  CHANNEL_RATE_DETAILS_MAX,
  CHANNEL_ROOMS_MAX,
  CHANNEL_TEXT_LENGTH,
  GUEST_NAME_LENGTH,
  GUEST_PHONE_LENGTH,
  GUESTS_MAX,
  LISTING_TEXT_LENGTH,
  MESSAGE_LENGTH,
  REVIEW_CATEGORIES_MAX,
  REVIEW_TAGS_MAX,
  REVIEW_TEXT_LENGTH
} from "../../../platform/limits.ts"

// Connectors pass these events to `Ingest` (connectors/ingest/Ingest.ts). An event contains the complete record. Events
// with an older or repeated `version` are ignored.

const Version = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }))
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: GUESTS_MAX }))
const Amount = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: AMOUNT_MAX }))
const GuestName = textUpTo(GUEST_NAME_LENGTH)
const OptionalNullable = <A extends Schema.Top>(field: A) => Schema.optionalKey(Schema.NullOr(field))

export const AuthStatus = Schema.Literals(["active", "connecting", "disconnected", "exception"])
export type AuthStatus = typeof AuthStatus.Type

export const ShelfStatus = Schema.Literals(["on", "off", "deleted", "unknown"])
export type ShelfStatus = typeof ShelfStatus.Type

export const ChannelAccountEvent = Schema.Struct({
  type: Schema.Literal("account"),
  version: Version,
  username: GuestName,
  auth_status: AuthStatus
})
export type ChannelAccountEvent = typeof ChannelAccountEvent.Type

export const ChannelListingEvent = Schema.Struct({
  type: Schema.Literal("listing"),
  version: Version,
  listing_id: RecordCode,
  title: textUpTo(LISTING_TEXT_LENGTH),
  cover: OptionalNullable(textUpTo(CHANNEL_TEXT_LENGTH)),
  url: OptionalNullable(textUpTo(CHANNEL_TEXT_LENGTH)),
  currency: Currency,
  inventory: Count,
  shelf_status: ShelfStatus,
  /** Stored as sent. */
  metadata: OptionalNullable(Schema.Record(Schema.String, Schema.Json)),
  /** Only from a channel that has no call to read its settings (`vrbo`). */
  price_and_rules: OptionalNullable(Schema.Record(Schema.String, Schema.Json))
})
export type ChannelListingEvent = typeof ChannelListingEvent.Type

const ChannelGuest = Schema.Struct({
  name: GuestName,
  phone: OptionalNullable(textUpTo(GUEST_PHONE_LENGTH)),
  email: OptionalNullable(textUpTo(CHANNEL_TEXT_LENGTH))
})

const ChannelRoom = Schema.Struct({
  /** Identifies the room in later versions. */
  room_id: RecordCode,
  listing_id: RecordCode,
  check_in_date: CalendarDate,
  check_out_date: CalendarDate,
  number_of_adults: Count,
  number_of_children: Schema.optionalKey(Count),
  number_of_infants: Schema.optionalKey(Count),
  number_of_pets: Schema.optionalKey(Count),
  /** Includes the commission, in major units. */
  rate: Amount,
  commission: Amount,
  /** The part of the rate for the nights. */
  accommodation: Amount,
  details: Schema.optionalKey(
    Schema.Array(Schema.Struct({ type: RecordCode, description: textUpTo(LISTING_TEXT_LENGTH), amount: Amount })).check(
      Schema.isMaxLength(CHANNEL_RATE_DETAILS_MAX)
    )
  ),
  guests: Schema.optionalKey(Schema.Array(ChannelGuest).check(Schema.isMaxLength(GUESTS_MAX)))
})

export const ChannelOrderStatus = Schema.Literals([
  "wait_accept",
  "wait_pay",
  "accepted",
  "cancelled",
  "denied",
  "timeout"
])

export const ChannelOrderEvent = Schema.Struct({
  type: Schema.Literal("order"),
  version: Version,
  channel_id: RecordCode,
  status: ChannelOrderStatus,
  booked_at: InstantText,
  /** Time at which a pending order times out. limits.ts has the default. */
  expires_at: OptionalNullable(InstantText),
  currency: Currency,
  booker: ChannelGuest,
  remarks: Schema.optionalKey(textUpTo(CHANNEL_TEXT_LENGTH)),
  cancellation_policy_category: OptionalNullable(RecordCode),
  /** If omitted or null, the previous value stays. */
  thread_id: OptionalNullable(RecordCode),
  rooms: Schema.NonEmptyArray(ChannelRoom).check(Schema.isMaxLength(CHANNEL_ROOMS_MAX))
})
export type ChannelOrderEvent = typeof ChannelOrderEvent.Type
export type ChannelRoom = typeof ChannelRoom.Type

const moneyFields = {
  /** A second event with this id is not recorded again. */
  payment_id: RecordCode,
  /** If the order is unknown, the payment waits for it. */
  channel_id: RecordCode,
  amount: Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(AMOUNT_MAX)),
  currency: Currency,
  paid_at: InstantText
}

export const ChannelPaymentEvent = Schema.Struct({ type: Schema.Literal("payment"), ...moneyFields })
export const ChannelRefundEvent = Schema.Struct({ type: Schema.Literal("refund"), ...moneyFields })
export type ChannelMoneyEvent = typeof ChannelPaymentEvent.Type | typeof ChannelRefundEvent.Type

const guestCountFields = {
  number_of_adults: Count,
  number_of_children: Schema.optionalKey(Count),
  number_of_infants: Schema.optionalKey(Count),
  number_of_pets: Schema.optionalKey(Count)
}
const stayDateFields = { check_in_date: CalendarDate, check_out_date: CalendarDate }

export const ChannelThreadEvent = Schema.Struct({
  type: Schema.Literal("thread"),
  version: Version,
  thread_id: RecordCode,
  guest: ChannelGuest,
  inquiry: OptionalNullable(Schema.Struct({ listing_id: RecordCode, ...stayDateFields, ...guestCountFields }))
})
export type ChannelThreadEvent = typeof ChannelThreadEvent.Type

/** Contract facts 0.4. */
export const DisplayType = Schema.Literals([
  "Text",
  "Box",
  "FileAttachment",
  "RequestToBook",
  "BsRequestBook",
  "SpecialOffer",
  "ReservationAlteration",
  "HouseLinkCard"
])
export type DisplayType = typeof DisplayType.Type

/** A message never changes, so it has no version. */
export const ChannelMessageEvent = Schema.Struct({
  type: Schema.Literal("message"),
  message_id: RecordCode,
  /** An unknown id creates a conversation whose guest has no name yet. */
  thread_id: RecordCode,
  sender: Schema.Literals(["guest", "host"]),
  /** The id that this service gave to the message, if the channel stores it. */
  sent_as: OptionalNullable(RecordCode),
  /** Default: `FileAttachment` with an attachment, otherwise `Text`. */
  display_type: Schema.optionalKey(DisplayType),
  text: textUpTo(MESSAGE_LENGTH),
  attachment_url: OptionalNullable(textUpTo(CHANNEL_TEXT_LENGTH)),
  sent_at: InstantText
})
export type ChannelMessageEvent = typeof ChannelMessageEvent.Type

export const OfferType = Schema.Literals(["special_offer", "preapproval"])
export type OfferType = typeof OfferType.Type

export const OfferStatus = Schema.Literals(["active", "accepted", "declined", "expired", "withdrawn"])
export type OfferStatus = typeof OfferStatus.Type

/** An accepted offer also produces an order event. */
export const ChannelOfferEvent = Schema.Struct({
  type: Schema.Literal("offer"),
  version: Version,
  offer_id: RecordCode,
  thread_id: RecordCode,
  offer_type: OfferType,
  status: OfferStatus,
  listing_id: RecordCode,
  rate_plan_id: OptionalNullable(RecordCode),
  ...stayDateFields,
  ...guestCountFields,
  /** Price of the whole stay, in major units. */
  price: Amount,
  currency: Currency,
  created_at: InstantText,
  expires_at: InstantText
})
export type ChannelOfferEvent = typeof ChannelOfferEvent.Type

const SubScores = Schema.Array(
  Schema.Struct({
    category: RecordCode,
    /** On a scale to 5 or 10, depending on the channel. */
    rating: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10 })),
    review_category_tags: OptionalNullable(Schema.Array(RecordCode).check(Schema.isMaxLength(REVIEW_TAGS_MAX)))
  })
).check(Schema.isMaxLength(REVIEW_CATEGORIES_MAX))

const ReviewSide = Schema.Struct({
  /** On a scale to 5 for every channel. */
  score: OptionalNullable(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 5 }))),
  sub_score: OptionalNullable(SubScores),
  content: textUpTo(REVIEW_TEXT_LENGTH),
  created_at: InstantText
})

export const ChannelReviewEvent = Schema.Struct({
  type: Schema.Literal("review"),
  version: Version,
  /** The order must be known. */
  channel_id: RecordCode,
  guest_review: OptionalNullable(ReviewSide),
  host_review: OptionalNullable(ReviewSide),
  host_reply: OptionalNullable(Schema.Struct({ content: textUpTo(REVIEW_TEXT_LENGTH), created_at: InstantText }))
})
export type ChannelReviewEvent = typeof ChannelReviewEvent.Type

export const ChannelEvent = Schema.Union([
  ChannelAccountEvent,
  ChannelListingEvent,
  ChannelOrderEvent,
  ChannelPaymentEvent,
  ChannelRefundEvent,
  ChannelThreadEvent,
  ChannelMessageEvent,
  ChannelOfferEvent,
  ChannelReviewEvent
])
export type ChannelEvent = typeof ChannelEvent.Type
