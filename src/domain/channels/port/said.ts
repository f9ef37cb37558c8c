import { Schema } from "effect"
import { CalendarDate, Code, Currency, InstantText, textUpTo } from "../../../contract/fields.ts"
import {
  AMOUNT_MAX,
  CHANNEL_RATE_DETAILS,
  CHANNEL_ROOMS,
  CHANNEL_TEXT,
  GUEST_NAME,
  GUEST_PHONE,
  GUESTS_MAX,
  LISTING_TEXT,
  MESSAGE_TEXT,
  REVIEW_CATEGORIES,
  REVIEW_TAGS,
  REVIEW_TEXT
} from "../../../platform/limits.ts"

// What a channel says by itself, in the one form in which all connectors bring it to `Ingest` (connectors/ingest/Ingest.ts). Every
// kind has the channel's own id of what it is about; what changes has the channel's own version too, a number that rises
// with each change: an older one that arrives late is not looked at, and the same one twice is one.

const Version = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }))
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: GUESTS_MAX }))
const Amount = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: AMOUNT_MAX }))
const Name = textUpTo(GUEST_NAME)
const OrNull = <A extends Schema.Top>(field: A) => Schema.optionalKey(Schema.NullOr(field))

export const AuthStatus = Schema.Literals(["active", "connecting", "disconnected", "exception"])
export type AuthStatus = typeof AuthStatus.Type

export const ShelfStatus = Schema.Literals(["on", "off", "deleted", "unknown"])
export type ShelfStatus = typeof ShelfStatus.Type

/** How the account that speaks stands. */
export const AccountSaid = Schema.Struct({
  type: Schema.Literal("account"),
  version: Version,
  username: Name,
  auth_status: AuthStatus
})
export type AccountSaid = typeof AccountSaid.Type

/** A listing of the account, whole. */
export const ListingSaid = Schema.Struct({
  type: Schema.Literal("listing"),
  version: Version,
  listing_id: Code,
  title: textUpTo(LISTING_TEXT),
  cover: OrNull(textUpTo(CHANNEL_TEXT)),
  url: OrNull(textUpTo(CHANNEL_TEXT)),
  currency: Currency,
  /** How many of it there are. */
  inventory: Count,
  shelf_status: ShelfStatus,
  /** Whatever the channel keeps of it, passed through. */
  metadata: OrNull(Schema.Record(Schema.String, Schema.Json)),
  /** The settings of a channel that cannot be asked for them (`vrbo`). */
  price_and_rules: OrNull(Schema.Record(Schema.String, Schema.Json))
})
export type ListingSaid = typeof ListingSaid.Type

const GuestSaid = Schema.Struct({
  name: Name,
  phone: OrNull(textUpTo(GUEST_PHONE)),
  email: OrNull(textUpTo(CHANNEL_TEXT))
})

const RoomSaid = Schema.Struct({
  /** The channel's own id of the room within the order, by which it is known again. */
  room_id: Code,
  listing_id: Code,
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
    Schema.Array(Schema.Struct({ type: Code, description: textUpTo(LISTING_TEXT), amount: Amount })).check(
      Schema.isMaxLength(CHANNEL_RATE_DETAILS)
    )
  ),
  /** Who sleeps there, where the channel says more than the booker. */
  guests: Schema.optionalKey(Schema.Array(GuestSaid).check(Schema.isMaxLength(GUESTS_MAX)))
})

export const OrderStatusSaid = Schema.Literals([
  "wait_accept",
  "wait_pay",
  "accepted",
  "cancelled",
  "denied",
  "timeout"
])

/** An order of the account, whole, as it is in that version: new, changed or over. */
export const OrderSaid = Schema.Struct({
  type: Schema.Literal("order"),
  version: Version,
  /** The channel's own id of the order. */
  channel_id: Code,
  status: OrderStatusSaid,
  booked_at: InstantText,
  /** Of an order that waits: when it times out; unless said, what the service gives (limits.ts). */
  expires_at: OrNull(InstantText),
  currency: Currency,
  booker: GuestSaid,
  remarks: Schema.optionalKey(textUpTo(CHANNEL_TEXT)),
  /** The channel's own value, passed through. */
  cancellation_policy_category: OrNull(Code),
  /** The channel's own id of the thread with its guest; unless said, what was said before stays. */
  thread_id: OrNull(Code),
  rooms: Schema.NonEmptyArray(RoomSaid).check(Schema.isMaxLength(CHANNEL_ROOMS))
})
export type OrderSaid = typeof OrderSaid.Type
export type RoomSaid = typeof RoomSaid.Type

const money = {
  /** The channel's own id of it: one entry, however often it is told. */
  payment_id: Code,
  /** The channel's own id of the order; one that is not known yet is waited for. */
  channel_id: Code,
  /** Major units. */
  amount: Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(AMOUNT_MAX)),
  currency: Currency,
  paid_at: InstantText
}

/** The guest paid, by the channel. */
export const PaymentSaid = Schema.Struct({ type: Schema.Literal("payment"), ...money })
/** The guest got money back. */
export const RefundSaid = Schema.Struct({ type: Schema.Literal("refund"), ...money })
export type MoneySaid = typeof PaymentSaid.Type | typeof RefundSaid.Type

const guests = {
  number_of_adults: Count,
  number_of_children: Schema.optionalKey(Count),
  number_of_infants: Schema.optionalKey(Count),
  number_of_pets: Schema.optionalKey(Count)
}
const dates = { check_in_date: CalendarDate, check_out_date: CalendarDate }

/** A thread of the account with a guest, whole, from the first question on. Its orders say it themselves. */
export const ThreadSaid = Schema.Struct({
  type: Schema.Literal("thread"),
  version: Version,
  thread_id: Code,
  guest: GuestSaid,
  /** What the guest asks about, while it is asked. */
  inquiry: OrNull(Schema.Struct({ listing_id: Code, ...dates, ...guests }))
})
export type ThreadSaid = typeof ThreadSaid.Type

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
export const MessageSaid = Schema.Struct({
  type: Schema.Literal("message"),
  /** The channel's own id of it. */
  message_id: Code,
  /** One that is not known yet is a new thread, of a guest without a name until one is said. */
  thread_id: Code,
  sender: Schema.Literals(["guest", "host"]),
  /** What the service called it when it sent it, of channels that keep that. */
  sent_as: OrNull(Code),
  /** `Text`, or `FileAttachment` of one with an attachment, unless said. */
  display_type: Schema.optionalKey(DisplayType),
  text: textUpTo(MESSAGE_TEXT),
  attachment_url: OrNull(textUpTo(CHANNEL_TEXT)),
  sent_at: InstantText
})
export type MessageSaid = typeof MessageSaid.Type

export const OfferType = Schema.Literals(["special_offer", "preapproval"])
export type OfferType = typeof OfferType.Type

export const OfferStatus = Schema.Literals(["active", "accepted", "declined", "expired", "withdrawn"])
export type OfferStatus = typeof OfferStatus.Type

/** An offer to a guest, whole. One that was accepted is an order besides, which the channel says as any other. */
export const OfferSaid = Schema.Struct({
  type: Schema.Literal("offer"),
  version: Version,
  offer_id: Code,
  thread_id: Code,
  offer_type: OfferType,
  status: OfferStatus,
  listing_id: Code,
  rate_plan_id: OrNull(Code),
  ...dates,
  ...guests,
  /** Of the whole stay, major units. */
  price: Amount,
  currency: Currency,
  created_at: InstantText,
  expires_at: InstantText
})
export type OfferSaid = typeof OfferSaid.Type

const SubScores = Schema.Array(
  Schema.Struct({
    category: Code,
    /** 1 to 5, or 1 to 10: as the channel counts. */
    rating: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10 })),
    review_category_tags: OrNull(Schema.Array(Code).check(Schema.isMaxLength(REVIEW_TAGS)))
  })
).check(Schema.isMaxLength(REVIEW_CATEGORIES))

const OneSide = Schema.Struct({
  /** 0 to 5, whatever the channel counts in. */
  score: OrNull(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 5 }))),
  sub_score: OrNull(SubScores),
  content: textUpTo(REVIEW_TEXT),
  created_at: InstantText
})

/** The reviews of an order, whole: what the guest and the host have said by now. */
export const ReviewSaid = Schema.Struct({
  type: Schema.Literal("review"),
  version: Version,
  /** The channel's own id of the order, which is known already. */
  channel_id: Code,
  guest_review: OrNull(OneSide),
  host_review: OrNull(OneSide),
  host_reply: OrNull(Schema.Struct({ content: textUpTo(REVIEW_TEXT), created_at: InstantText }))
})
export type ReviewSaid = typeof ReviewSaid.Type

/** Everything a channel can say. A kind with a family of its own is one more of these. */
export const Said = Schema.Union([
  AccountSaid,
  ListingSaid,
  OrderSaid,
  PaymentSaid,
  RefundSaid,
  ThreadSaid,
  MessageSaid,
  OfferSaid,
  ReviewSaid
])
export type Said = typeof Said.Type
