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

// What a channel says by itself, in the one form in which all connectors bring it to `Ingest` (connectors/ingest/Ingest.ts). Every
// kind has the channel's own id of what it is about; what changes has the channel's own version too, a number that rises
// with each change: an older one that arrives late is not looked at, and the same one twice is one.

const Version = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }))
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: GUESTS_MAX }))
const Amount = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: AMOUNT_MAX }))
const GuestName = textUpTo(GUEST_NAME_LENGTH)
const OptionalNullable = <A extends Schema.Top>(field: A) => Schema.optionalKey(Schema.NullOr(field))

export const AuthStatus = Schema.Literals(["active", "connecting", "disconnected", "exception"])
export type AuthStatus = typeof AuthStatus.Type

export const ShelfStatus = Schema.Literals(["on", "off", "deleted", "unknown"])
export type ShelfStatus = typeof ShelfStatus.Type

/** How the account that speaks stands. */
export const ChannelAccountEvent = Schema.Struct({
  type: Schema.Literal("account"),
  version: Version,
  username: GuestName,
  auth_status: AuthStatus
})
export type ChannelAccountEvent = typeof ChannelAccountEvent.Type

/** A listing of the account, whole. */
export const ChannelListingEvent = Schema.Struct({
  type: Schema.Literal("listing"),
  version: Version,
  listing_id: RecordCode,
  title: textUpTo(LISTING_TEXT_LENGTH),
  cover: OptionalNullable(textUpTo(CHANNEL_TEXT_LENGTH)),
  url: OptionalNullable(textUpTo(CHANNEL_TEXT_LENGTH)),
  currency: Currency,
  /** How many of it there are. */
  inventory: Count,
  shelf_status: ShelfStatus,
  /** Whatever the channel keeps of it, passed through. */
  metadata: OptionalNullable(Schema.Record(Schema.String, Schema.Json)),
  /** The settings of a channel that cannot be asked for them (`vrbo`). */
  price_and_rules: OptionalNullable(Schema.Record(Schema.String, Schema.Json))
})
export type ChannelListingEvent = typeof ChannelListingEvent.Type

const ChannelGuest = Schema.Struct({
  name: GuestName,
  phone: OptionalNullable(textUpTo(GUEST_PHONE_LENGTH)),
  email: OptionalNullable(textUpTo(CHANNEL_TEXT_LENGTH))
})

const ChannelRoom = Schema.Struct({
  /** The channel's own id of the room within the order, by which it is known again. */
  room_id: RecordCode,
  listing_id: RecordCode,
  check_in_date: CalendarDate,
  check_out_date: CalendarDate,
  number_of_adults: Count,
  number_of_children: Schema.optionalKey(Count),
  number_of_infants: Schema.optionalKey(Count),
  number_of_pets: Schema.optionalKey(Count),
  /** Including the commission; major units. */
  rate: Amount,
  commission: Amount,
  /** The part of the rate that is for the nights. */
  accommodation: Amount,
  /** What the rate is made of, where the channel itemizes it. */
  details: Schema.optionalKey(
    Schema.Array(Schema.Struct({ type: RecordCode, description: textUpTo(LISTING_TEXT_LENGTH), amount: Amount })).check(
      Schema.isMaxLength(CHANNEL_RATE_DETAILS_MAX)
    )
  ),
  /** Who sleeps there, where the channel says more than the booker. */
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

/** An order of the account, whole, as it is in that version: new, changed or over. */
export const ChannelOrderEvent = Schema.Struct({
  type: Schema.Literal("order"),
  version: Version,
  /** The channel's own id of the order. */
  channel_id: RecordCode,
  status: ChannelOrderStatus,
  booked_at: InstantText,
  /** Of an order that waits: when it times out; unless said, what the service gives (limits.ts). */
  expires_at: OptionalNullable(InstantText),
  currency: Currency,
  booker: ChannelGuest,
  remarks: Schema.optionalKey(textUpTo(CHANNEL_TEXT_LENGTH)),
  /** The channel's own value, passed through. */
  cancellation_policy_category: OptionalNullable(RecordCode),
  /** The channel's own id of the thread with its guest; unless said, what was said before stays. */
  thread_id: OptionalNullable(RecordCode),
  rooms: Schema.NonEmptyArray(ChannelRoom).check(Schema.isMaxLength(CHANNEL_ROOMS_MAX))
})
export type ChannelOrderEvent = typeof ChannelOrderEvent.Type
export type ChannelRoom = typeof ChannelRoom.Type

const moneyFields = {
  /** The channel's own id of it: one entry, however often it is told. */
  payment_id: RecordCode,
  /** The channel's own id of the order; one that is not known yet is waited for. */
  channel_id: RecordCode,
  /** Major units. */
  amount: Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(AMOUNT_MAX)),
  currency: Currency,
  paid_at: InstantText
}

/** The guest paid, by the channel. */
export const ChannelPaymentEvent = Schema.Struct({ type: Schema.Literal("payment"), ...moneyFields })
/** The guest got money back. */
export const ChannelRefundEvent = Schema.Struct({ type: Schema.Literal("refund"), ...moneyFields })
export type ChannelMoneyEvent = typeof ChannelPaymentEvent.Type | typeof ChannelRefundEvent.Type

const guestCountFields = {
  number_of_adults: Count,
  number_of_children: Schema.optionalKey(Count),
  number_of_infants: Schema.optionalKey(Count),
  number_of_pets: Schema.optionalKey(Count)
}
const stayDateFields = { check_in_date: CalendarDate, check_out_date: CalendarDate }

/** A thread of the account with a guest, whole, from the first question on. Its orders say it themselves. */
export const ChannelThreadEvent = Schema.Struct({
  type: Schema.Literal("thread"),
  version: Version,
  thread_id: RecordCode,
  guest: ChannelGuest,
  /** What the guest asks about, while it is asked. */
  inquiry: OptionalNullable(Schema.Struct({ listing_id: RecordCode, ...stayDateFields, ...guestCountFields }))
})
export type ChannelThreadEvent = typeof ChannelThreadEvent.Type

/** What a message is shown as (contract facts 0.4). */
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

/** A message in a thread, whoever wrote it. It has no versions: what was said stays said. */
export const ChannelMessageEvent = Schema.Struct({
  type: Schema.Literal("message"),
  /** The channel's own id of it. */
  message_id: RecordCode,
  /** One that is not known yet is a new thread, of a guest without a name until one is said. */
  thread_id: RecordCode,
  sender: Schema.Literals(["guest", "host"]),
  /** What the service called it when it sent it, of channels that keep that. */
  sent_as: OptionalNullable(RecordCode),
  /** `Text`, or `FileAttachment` of one with an attachment, unless said. */
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

/** An offer to a guest, whole. One that was accepted is an order besides, which the channel says as any other. */
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
  /** Of the whole stay, major units. */
  price: Amount,
  currency: Currency,
  created_at: InstantText,
  expires_at: InstantText
})
export type ChannelOfferEvent = typeof ChannelOfferEvent.Type

const SubScores = Schema.Array(
  Schema.Struct({
    category: RecordCode,
    /** 1 to 5, or 1 to 10: as the channel counts. */
    rating: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10 })),
    review_category_tags: OptionalNullable(Schema.Array(RecordCode).check(Schema.isMaxLength(REVIEW_TAGS_MAX)))
  })
).check(Schema.isMaxLength(REVIEW_CATEGORIES_MAX))

const ReviewSide = Schema.Struct({
  /** 0 to 5, whatever the channel counts in. */
  score: OptionalNullable(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 5 }))),
  sub_score: OptionalNullable(SubScores),
  content: textUpTo(REVIEW_TEXT_LENGTH),
  created_at: InstantText
})

/** The reviews of an order, whole: what the guest and the host have said by now. */
export const ChannelReviewEvent = Schema.Struct({
  type: Schema.Literal("review"),
  version: Version,
  /** The channel's own id of the order, which is known already. */
  channel_id: RecordCode,
  guest_review: OptionalNullable(ReviewSide),
  host_review: OptionalNullable(ReviewSide),
  host_reply: OptionalNullable(Schema.Struct({ content: textUpTo(REVIEW_TEXT_LENGTH), created_at: InstantText }))
})
export type ChannelReviewEvent = typeof ChannelReviewEvent.Type

/** Everything a channel can say. A kind with a family of its own is one more of these. */
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
