import { Schema } from "effect"
import { CalendarDate, Code, Currency, InstantText, textUpTo } from "../contract/fields.ts"
import {
  AMOUNT_MAX,
  CHANNEL_RATE_DETAILS,
  CHANNEL_ROOMS,
  CHANNEL_TEXT,
  GUEST_NAME,
  GUEST_PHONE,
  GUESTS_MAX,
  LISTING_TEXT
} from "../limits.ts"

// What a channel says by itself, in the one form in which all connectors bring it to `Ingest` (ingest/Ingest.ts). Every
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

/** Everything a channel can say. A kind with a family of its own (messages, offers, reviews) is one more of these. */
export const Said = Schema.Union([AccountSaid, ListingSaid, OrderSaid, PaymentSaid, RefundSaid])
export type Said = typeof Said.Type
