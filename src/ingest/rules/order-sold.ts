import type { OrderSaid } from "../../channels/said.ts"
import { instantOf } from "../../contract/time.ts"
import { ANSWER_WITHIN_MS, PAYMENT_WITHIN_MS } from "../../limits.ts"
import { NewOrder } from "../../resources/orders/order.ts"
import type { Speaker } from "../heard.ts"
import type { StaysSaid } from "./stays-said.ts"

/** Instants of channels that name no offset are UTC: a channel does not know the host's clock. */
const CHANNELS_CLOCK = "UTC"

const WITHIN_MS = { wait_accept: ANSWER_WITHIN_MS, wait_pay: PAYMENT_WITHIN_MS } as const

/** When what came in at `at` times out: as its channel says, else as the service gives it; null of what does not wait. */
export const expiryOf = (said: Pick<OrderSaid, "status" | "expires_at">, at: Date): Date | null => {
  if (said.status !== "wait_accept" && said.status !== "wait_pay") return null
  return said.expires_at === undefined || said.expires_at === null
    ? new Date(at.getTime() + WITHIN_MS[said.status])
    : instantOf(said.expires_at, CHANNELS_CLOCK)
}

/** An order that is new to the service, as it came in at `at`. */
export const orderSold = (
  speaker: Speaker,
  said: OrderSaid,
  stays: StaysSaid,
  { code, at }: { readonly code: string; readonly at: Date }
): NewOrder =>
  NewOrder.make({
    reservation_code: code,
    channel_type: speaker.channelType,
    channel_id: said.channel_id,
    status: said.status,
    currency: said.currency,
    booked_at: instantOf(said.booked_at, CHANNELS_CLOCK),
    creator: "System",
    cancellation_policy_category: said.cancellation_policy_category ?? null,
    channel_account_id: speaker.accountId,
    channel_version: said.version,
    channel_synced_at: at,
    expires_at: expiryOf(said, at),
    stays
  })
