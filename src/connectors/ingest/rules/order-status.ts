import type { OrderState, OrderStatus } from "../../../domain/bookings/orders/order.ts"

// How an order of a channel stands after the channel said something newer of it.

/** How far an order has come; what is over has come to its end. */
const STATUS_RANK: Readonly<Record<OrderStatus, number>> = {
  wait_accept: 0,
  wait_pay: 1,
  accepted: 2,
  cancelled: 3,
  denied: 3,
  timeout: 3
}

/**
 * Its status. It never goes back: what is accepted waits no more, whatever is said, and what is over does not wait again; but
 * what is over may be said to be sold all the same.
 */
export const computeNextStatus = (current: OrderStatus, reported: OrderStatus): OrderStatus =>
  reported === "accepted" || STATUS_RANK[reported] >= STATUS_RANK[current] ? reported : current

/** The release that began to keep what `channel_details` shows (specification, 3.13.0). */
const CHANNEL_DETAILS_SINCE = "2026-09-11"
const CHANNEL_DETAILS_SINCE_MS = Date.parse(`${CHANNEL_DETAILS_SINCE}T00:00:00Z`)

/**
 * Whether its channel had stopped talking of it when the service began to keep what `channel_details` shows: it was over, or
 * everybody had left, and its last word came before. Such an order is never filled.
 */
export const predatesChannelDetails = (
  order: Pick<OrderState, "status" | "channel_synced_at" | "created_at"> & {
    readonly stays: ReadonlyArray<{ readonly check_out_date: string }>
  }
): boolean =>
  (order.channel_synced_at ?? order.created_at).getTime() < CHANNEL_DETAILS_SINCE_MS &&
  (STATUS_RANK[order.status] === STATUS_RANK.cancelled ||
    order.stays.every(({ check_out_date }) => check_out_date < CHANNEL_DETAILS_SINCE))
