import { Effect, Schema, Struct } from "effect"
import { NotFound } from "../../../contract/errors.ts"
import { Id } from "../../../contract/fields.ts"
import { column, columnWithDefault } from "../../../platform/database/columns.ts"
import { ExistingStay, NewStay } from "../stays/stay.ts"

export const OrderStatus = Schema.Literals(["wait_accept", "wait_pay", "accepted", "cancelled", "denied", "timeout"])
export type OrderStatus = typeof OrderStatus.Type

/** The columns that an order change may write. */
export const OrderTerms = Schema.Struct({
  status: column("text", OrderStatus),
  cancelled_at: column("timestamptz", Schema.NullOr(Schema.Date)),
  currency: column("text", Schema.String),
  creator: column("text", Schema.String),
  custom_channel_id: columnWithDefault("bigint", Schema.NullOr(Schema.Int), null),
  cancellation_policy_category: columnWithDefault("text", Schema.NullOr(Schema.String), null),
  /** Null for manual orders, and for orders whose channel account is unknown. */
  channel_account_id: columnWithDefault("bigint", Schema.NullOr(Schema.Int), null),
  /** Highest applied version of a channel order. */
  channel_version: columnWithDefault("bigint", Schema.NullOr(Schema.Int), null),
  /**
   * Time of the latest channel update. Updates leave it unchanged for orders that ended before the service stored
   * `channel_details`.
   */
  channel_synced_at: columnWithDefault("timestamptz", Schema.NullOr(Schema.Date), null),
  /** Time at which a pending order times out. Null if it never does. */
  expires_at: columnWithDefault("timestamptz", Schema.NullOr(Schema.Date), null),
  conversation_id: columnWithDefault("text", Schema.NullOr(Schema.String), null)
})

const ImmutableOrderColumns = Schema.Struct({
  /** `5-…` for manual orders. */
  reservation_code: column("text", Schema.String),
  channel_type: column("text", Schema.String),
  /** Unique together with `channel_type`. */
  channel_id: column("text", Schema.String),
  booked_at: column("timestamptz", Schema.Date)
})

export const NewOrderColumns = Schema.Struct({ ...ImmutableOrderColumns.fields, ...OrderTerms.fields })
export type NewOrderColumns = typeof NewOrderColumns.Type

export const OrderRow = Schema.Struct({
  ...NewOrderColumns.fields,
  created_at: column("timestamptz", Schema.Date)
})

export const NewOrder = Schema.Struct({
  ...Struct.omit(NewOrderColumns.fields, ["cancelled_at"]),
  stays: Schema.NonEmptyArray(NewStay),
  /** Recorded as a paid income of the order. */
  received: Schema.NullOr(
    Schema.Struct({ amount: Schema.String, item_id: Schema.Int, payment_method_id: Schema.Int })
  ).pipe(Schema.withConstructorDefault(Effect.succeed(null)))
})
export type NewOrder = typeof NewOrder.Type

export const OrderHead = Schema.Struct({
  id: column("bigint", Id),
  version: column("bigint", Schema.Int),
  ...Struct.pick(OrderRow.fields, ["reservation_code", "channel_type", "channel_id", "created_at"]),
  ...OrderTerms.fields
})
export type OrderHead = typeof OrderHead.Type

export const OrderState = Schema.Struct({
  ...OrderHead.fields,
  stays: Schema.Array(ExistingStay),
  /** Highest room number of the removed stays, or 0. The codes of removed stays are not used again. */
  last_room: Schema.Int,
  entries: Schema.Array(Schema.Struct({ id: Id, amount: Schema.String }))
})
export type OrderState = typeof OrderState.Type

export const orderNotFoundError = new NotFound({ message: "reservation_code: no such order." })

export const isManualOrder = (order: Pick<OrderState, "channel_type">): boolean => order.channel_type === "direct"

export const hasOrderEnded = (order: Pick<OrderState, "status">): boolean =>
  order.status === "cancelled" || order.status === "denied" || order.status === "timeout"

export const isOrderPending = ({ status }: Pick<OrderState, "status">): boolean =>
  status === "wait_accept" || status === "wait_pay"

export const isOrderExpired = (order: Pick<OrderState, "status" | "expires_at">, now: Date): boolean =>
  isOrderPending(order) && order.expires_at !== null && order.expires_at <= now
