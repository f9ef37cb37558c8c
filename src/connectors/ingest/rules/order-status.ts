import type { OrderState, OrderStatus } from "../../../domain/bookings/orders/order.ts"

const STATUS_RANK: Readonly<Record<OrderStatus, number>> = {
  wait_accept: 0,
  wait_pay: 1,
  accepted: 2,
  cancelled: 3,
  denied: 3,
  timeout: 3
}

/** The status never goes back, except that a cancelled, denied or timed-out order can become accepted. */
export const computeNextStatus = (current: OrderStatus, reported: OrderStatus): OrderStatus =>
  reported === "accepted" || STATUS_RANK[reported] >= STATUS_RANK[current] ? reported : current

/** Date of release 3.13.0 of the specification, which introduced `channel_details`. */
const CHANNEL_DETAILS_SINCE = "2026-09-11"
const CHANNEL_DETAILS_SINCE_MS = Date.parse(`${CHANNEL_DETAILS_SINCE}T00:00:00Z`)

/**
 * Returns whether the order ended, and its last channel event arrived, before `channel_details` existed. Such orders
 * never get them.
 */
export const predatesChannelDetails = (
  order: Pick<OrderState, "status" | "channel_synced_at" | "created_at"> & {
    readonly stays: ReadonlyArray<{ readonly check_out_date: string }>
  }
): boolean =>
  (order.channel_synced_at ?? order.created_at).getTime() < CHANNEL_DETAILS_SINCE_MS &&
  (STATUS_RANK[order.status] === STATUS_RANK.cancelled ||
    order.stays.every(({ check_out_date }) => check_out_date < CHANNEL_DETAILS_SINCE))
