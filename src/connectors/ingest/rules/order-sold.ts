import { NewOrder } from "../../../domain/bookings/orders/order.ts"
import { instantSaid } from "../../../domain/channels/port/heard.ts"
import type { OrderSaid } from "../../../domain/channels/port/said.ts"
import { ANSWER_WITHIN_MS, PAYMENT_WITHIN_MS } from "../../../platform/limits.ts"
import type { Speaker } from "../heard.ts"
import type { StaysSaid } from "./stays-said.ts"

const WITHIN_MS = { wait_accept: ANSWER_WITHIN_MS, wait_pay: PAYMENT_WITHIN_MS } as const

/** When what came in at `at` times out: as its channel says, else as the service gives it; null of what does not wait. */
export const expiryOf = (said: Pick<OrderSaid, "status" | "expires_at">, at: Date): Date | null => {
  if (said.status !== "wait_accept" && said.status !== "wait_pay") return null
  return said.expires_at === undefined || said.expires_at === null
    ? new Date(at.getTime() + WITHIN_MS[said.status])
    : instantSaid(said.expires_at)
}

/** What a new order is called, the conversation with its guest, and when it came in. */
interface Entering {
  readonly code: string
  readonly conversation_id: string | null
  readonly at: Date
}

/** An order that is new to the service, as it came in at `at`. */
export const orderSold = (
  speaker: Speaker,
  said: OrderSaid,
  stays: StaysSaid,
  { code, conversation_id, at }: Entering
): NewOrder =>
  NewOrder.make({
    reservation_code: code,
    channel_type: speaker.channelType,
    channel_id: said.channel_id,
    status: said.status,
    currency: said.currency,
    booked_at: instantSaid(said.booked_at),
    creator: "System",
    cancellation_policy_category: said.cancellation_policy_category ?? null,
    channel_account_id: speaker.accountId,
    channel_version: said.version,
    channel_synced_at: at,
    expires_at: expiryOf(said, at),
    conversation_id,
    stays
  })
