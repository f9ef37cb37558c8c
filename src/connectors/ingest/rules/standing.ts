import type { OrderState, Status } from "../../../domain/bookings/orders/order.ts"

// How an order of a channel stands after the channel said something newer of it.

/** How far an order has come; what is over has come to its end. */
const COME: Readonly<Record<Status, number>> = {
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
export const statusAfter = (known: Status, said: Status): Status =>
  said === "accepted" || COME[said] >= COME[known] ? said : known

/** The release that began to keep what `channel_details` shows (specification, 3.13.0). */
const KEPT_FROM = "2026-09-11"
const KEPT_FROM_MS = Date.parse(`${KEPT_FROM}T00:00:00Z`)

/**
 * Whether its channel had stopped talking of it when the service began to keep what `channel_details` shows: it was over, or
 * everybody had left, and its last word came before. Such an order is never filled.
 */
export const hadStopped = (
  order: Pick<OrderState, "status" | "channel_synced_at" | "created_at"> & {
    readonly stays: ReadonlyArray<{ readonly check_out_date: string }>
  }
): boolean =>
  (order.channel_synced_at ?? order.created_at).getTime() < KEPT_FROM_MS &&
  (COME[order.status] === COME.cancelled || order.stays.every(({ check_out_date }) => check_out_date < KEPT_FROM))
