import { NewOrder } from "../../../domain/bookings/orders/order.ts"
import type { ChannelOrderEvent } from "../../../domain/channels/port/channel-events.ts"
import { parseChannelInstant } from "../../../domain/channels/port/event-handling.ts"
import { HOST_RESPONSE_DEADLINE_MS, PAYMENT_DEADLINE_MS } from "../../../platform/limits.ts"
import type { SourceAccount } from "../ingest-result.ts"
import type { ChannelStays } from "./channel-stays.ts"

const DEFAULT_EXPIRY_MS = { wait_accept: HOST_RESPONSE_DEADLINE_MS, wait_pay: PAYMENT_DEADLINE_MS } as const

export const computeExpiry = (
  event: Pick<ChannelOrderEvent, "status" | "expires_at">,
  receivedAt: Date
): Date | null => {
  if (event.status !== "wait_accept" && event.status !== "wait_pay") return null
  return event.expires_at === undefined || event.expires_at === null
    ? new Date(receivedAt.getTime() + DEFAULT_EXPIRY_MS[event.status])
    : parseChannelInstant(event.expires_at)
}

interface NewOrderDetails {
  readonly code: string
  readonly conversation_id: string | null
  readonly receivedAt: Date
}

export const toNewOrder = (
  account: SourceAccount,
  event: ChannelOrderEvent,
  stays: ChannelStays,
  { code, conversation_id, receivedAt }: NewOrderDetails
): NewOrder =>
  NewOrder.make({
    reservation_code: code,
    channel_type: account.channelType,
    channel_id: event.channel_id,
    status: event.status,
    currency: event.currency,
    booked_at: parseChannelInstant(event.booked_at),
    creator: "System",
    cancellation_policy_category: event.cancellation_policy_category ?? null,
    channel_account_id: account.accountId,
    channel_version: event.version,
    channel_synced_at: receivedAt,
    expires_at: computeExpiry(event, receivedAt),
    conversation_id,
    stays
  })
