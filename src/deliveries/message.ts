import type { Schema } from "effect"
import { instantText, wholeSecond } from "../contract/time.ts"

/** An event as it was recorded with the change. */
export interface RecordedEvent {
  readonly event: string
  /** The event's own fields. */
  readonly payload: { readonly [field: string]: Schema.Json }
  readonly queued_at: Date
}

/**
 * The body of a delivery: flat, the event's own fields between its name and the time it was queued (specification,
 * Events). The only field that may be absent, `sub_event`, is left out when it is null.
 */
export const bodyOf = ({ event, payload, queued_at }: RecordedEvent): string => {
  const { sub_event, ...fields } = payload
  return JSON.stringify({
    event,
    ...(sub_event === undefined || sub_event === null ? {} : { sub_event }),
    ...fields,
    timestamp: instantText(wholeSecond(queued_at.getTime()))
  })
}

/** What a delivery is known by outside: the `webhook-id` of all its tries, and the argument of a replay. */
export interface DeliveryKey {
  readonly event_id: number
  readonly subscription_id: number
}

export const webhookIdOf = ({ event_id, subscription_id }: DeliveryKey): string => `evt_${event_id}_${subscription_id}`

const WEBHOOK_ID = /^evt_([1-9]\d{0,15})_([1-9]\d{0,15})$/

/** Undefined: the text is no `webhook-id` of this service. */
export const deliveryKeyOf = (webhookId: string): DeliveryKey | undefined => {
  const [, eventId, subscriptionId] = WEBHOOK_ID.exec(webhookId) ?? []
  return eventId === undefined || subscriptionId === undefined
    ? undefined
    : { event_id: Number(eventId), subscription_id: Number(subscriptionId) }
}
