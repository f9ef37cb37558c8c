import { Result } from "effect"
import { Conflict, NotFound, ValidationFailed } from "../../contract/errors.ts"
import { decimalText } from "../../contract/money.ts"
import { instantText } from "../../contract/time.ts"
import type { OrderSaid } from "../../domain/channels/port/said.ts"
import { majorOf } from "./amounts.ts"
import type { Found } from "./changing.ts"
import { totalOf } from "./order.ts"
import type { Order } from "./rows.ts"
import type { Refusal } from "./scene.ts"

// What rules of guests' acts answer: the order as it is then, or why not.

export type Judged<A> = Result.Result<A, Refusal>

/** An order as whoever moves it is told. */
export interface OrderSeen {
  readonly order_id: string
  readonly operator_id: number
  readonly account_id: number
  readonly channel_type: string
  readonly status: Order["status"]
  readonly version: number
  readonly currency: string
  readonly guest_name: string
  readonly total: number
  readonly paid: number
  readonly expires_at: string | null
  readonly rooms: OrderSaid["rooms"]
}

export const orderSeen = ({ scene: { account } }: Found, order: Order, paid: bigint): OrderSeen => ({
  order_id: order.order_id,
  operator_id: account.operator_id,
  account_id: account.account_id,
  channel_type: account.channel_type,
  status: order.status,
  version: order.version,
  currency: order.said.currency,
  guest_name: order.said.booker.name,
  total: majorOf(totalOf(order), order.said.currency),
  paid: Number(decimalText(paid < 0n ? 0n : paid, order.said.currency)),
  expires_at: order.expires_at === null ? null : instantText(order.expires_at),
  rooms: order.said.rooms
})

export const conflict = (message: string) => Result.fail(new Conflict({ message }))
export const invalid = (message: string) => Result.fail(new ValidationFailed({ message }))

export const orderOf = ({ order }: Found): Judged<Order> =>
  order === undefined ? Result.fail(new NotFound({ message: "order_id: no such order." })) : Result.succeed(order)
