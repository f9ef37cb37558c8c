import { Effect, Schema, Struct } from "effect"
import { NotFound } from "../../../contract/errors.ts"
import { Id } from "../../../contract/fields.ts"
import { column, columnWithDefault } from "../../../platform/database/columns.ts"
import { ExistingStay, NewStay } from "../stays/stay.ts"

// An order: what its stays share. Every column of it stands here once, as those of a stay do in stays/stay.ts. Both
// reservations and the entries of money on them are above it (docs/decisions.md).

export const OrderStatus = Schema.Literals(["wait_accept", "wait_pay", "accepted", "cancelled", "denied", "timeout"])
export type OrderStatus = typeof OrderStatus.Type

/** What changes are worked out from, and may change (reservations/rules). */
export const OrderTerms = Schema.Struct({
  status: column("text", OrderStatus),
  cancelled_at: column("timestamptz", Schema.NullOr(Schema.Date)),
  currency: column("text", Schema.String),
  /** Account name of who entered it; `System` for orders of channels. */
  creator: column("text", Schema.String),
  custom_channel_id: columnWithDefault("bigint", Schema.NullOr(Schema.Int), null),
  /** The channel's own value; null until the channel says one. */
  cancellation_policy_category: columnWithDefault("text", Schema.NullOr(Schema.String), null),
  /** The account it was sold under; null of an order made by hand, or that came before accounts were known. */
  channel_account_id: columnWithDefault("bigint", Schema.NullOr(Schema.Int), null),
  /** Of an order of a channel: the latest of the channel's versions of it that was taken; null: none ever was. */
  channel_version: columnWithDefault("bigint", Schema.NullOr(Schema.Int), null),
  /** When the channel last said something of it; the last word of before, once it had stopped (connectors/ingest/rules/order-status.ts). */
  channel_synced_at: columnWithDefault("timestamptz", Schema.NullOr(Schema.Date), null),
  /** When it times out, if nothing happens until then; null: never. */
  expires_at: columnWithDefault("timestamptz", Schema.NullOr(Schema.Date), null),
  /** The conversation with its guest, once its channel names a thread. */
  conversation_id: columnWithDefault("text", Schema.NullOr(Schema.String), null)
})

/** What whoever sold it says once and for all. */
const ImmutableOrderColumns = Schema.Struct({
  /** `5-…` for orders made by hand only. Stays are called after it. */
  reservation_code: column("text", Schema.String),
  channel_type: column("text", Schema.String),
  /** The channel's id of the order; one order a channel and id, for ever. */
  channel_id: column("text", Schema.String),
  booked_at: column("timestamptz", Schema.Date)
})

/** The columns a new order fills. */
export const NewOrderColumns = Schema.Struct({ ...ImmutableOrderColumns.fields, ...OrderTerms.fields })
export type NewOrderColumns = typeof NewOrderColumns.Type

/** The columns of a row. */
export const OrderRow = Schema.Struct({
  ...NewOrderColumns.fields,
  /** When it first came into the service. */
  created_at: column("timestamptz", Schema.Date)
})

/** What is known of an order that comes into the service, made by hand or sold by a channel. */
export const NewOrder = Schema.Struct({
  ...Struct.omit(NewOrderColumns.fields, ["cancelled_at"]),
  stays: Schema.NonEmptyArray(NewStay),
  /** Money that came with the order, recorded as a paid income entry of it. */
  received: Schema.NullOr(
    Schema.Struct({ amount: Schema.String, item_id: Schema.Int, payment_method_id: Schema.Int })
  ).pipe(Schema.withConstructorDefault(Effect.succeed(null)))
})
export type NewOrder = typeof NewOrder.Type

/** The columns that rules see. */
export const OrderHead = Schema.Struct({
  id: column("bigint", Id),
  version: column("bigint", Schema.Int),
  ...Struct.pick(OrderRow.fields, ["reservation_code", "channel_type", "channel_id", "created_at"]),
  ...OrderTerms.fields
})
export type OrderHead = typeof OrderHead.Type

/**
 * An order as rules see it. A change is worked out as the state there should be; what that means for nights, splits and
 * events follows from the difference (reservations/rules/order-diff.ts).
 */
export const OrderState = Schema.Struct({
  ...OrderHead.fields,
  stays: Schema.Array(ExistingStay),
  /** The highest number that a stay had which it has no more; 0: it has all it ever had. */
  last_room: Schema.Int,
  /** The income and expense entries of the order, which are split over its stays. */
  entries: Schema.Array(Schema.Struct({ id: Id, amount: Schema.String }))
})
export type OrderState = typeof OrderState.Type

export const orderNotFoundError = new NotFound({ message: "reservation_code: no such order." })

/** Made by hand, not by a channel: its dates and its price are the host's. */
export const isManualOrder = (order: Pick<OrderState, "channel_type">): boolean => order.channel_type === "direct"

/** Ended, one way or another: it holds nothing and never will. */
export const hasOrderEnded = (order: Pick<OrderState, "status">): boolean =>
  order.status === "cancelled" || order.status === "denied" || order.status === "timeout"

/** It waits, for the host's answer or for its payment. */
export const isOrderPending = ({ status }: Pick<OrderState, "status">): boolean =>
  status === "wait_accept" || status === "wait_pay"

/** It waits, and its time is over. */
export const isOrderExpired = (order: Pick<OrderState, "status" | "expires_at">, now: Date): boolean =>
  isOrderPending(order) && order.expires_at !== null && order.expires_at <= now
