import { type RecordedEvent, toEventId, toEventMessage } from "../../../jobs/events/event-message.ts"

/** The body of a delivery: what the feed shows of the event. */
export const renderDeliveryBody = (event: RecordedEvent): string => JSON.stringify(toEventMessage(event))

/**
 * What a delivery is known by outside: the `webhook-id` of all its tries, and the argument of a replay. It begins with the
 * `event_id` of the feed, so that a receiver goes on there where its deliveries broke off.
 */
export interface DeliveryKey {
  readonly event_id: number
  readonly subscription_id: number
}

export const formatWebhookId = ({ event_id, subscription_id }: DeliveryKey): string =>
  `${toEventId(event_id)}_${subscription_id}`

const WEBHOOK_ID_PATTERN = /^evt_([1-9]\d{0,15})_([1-9]\d{0,15})$/

/** Undefined: the text is no `webhook-id` of this service. */
export const parseWebhookId = (webhookId: string): DeliveryKey | undefined => {
  const [, eventId, subscriptionId] = WEBHOOK_ID_PATTERN.exec(webhookId) ?? []
  return eventId === undefined || subscriptionId === undefined
    ? undefined
    : { event_id: Number(eventId), subscription_id: Number(subscriptionId) }
}
