import { type RecordedEvent, toEventId, toEventMessage } from "../../../jobs/events/event-message.ts"

export const renderDeliveryBody = (event: RecordedEvent): string => JSON.stringify(toEventMessage(event))

/**
 * All attempts of a delivery have the same `webhook-id`. It begins with the `event_id` of the feed, so a receiver can
 * continue with the feed.
 */
export interface DeliveryKey {
  readonly event_id: number
  readonly subscription_id: number
}

export const formatWebhookId = ({ event_id, subscription_id }: DeliveryKey): string =>
  `${toEventId(event_id)}_${subscription_id}`

const WEBHOOK_ID_PATTERN = /^evt_([1-9]\d{0,15})_([1-9]\d{0,15})$/

export const parseWebhookId = (webhookId: string): DeliveryKey | undefined => {
  const [, eventId, subscriptionId] = WEBHOOK_ID_PATTERN.exec(webhookId) ?? []
  return eventId === undefined || subscriptionId === undefined
    ? undefined
    : { event_id: Number(eventId), subscription_id: Number(subscriptionId) }
}
