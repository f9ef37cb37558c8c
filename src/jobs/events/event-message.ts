import type { Schema } from "effect"
import { formatUtcInstant, truncateToSecond } from "../../contract/time.ts"

/** An event as it was recorded with the change. */
export interface RecordedEvent {
  readonly event: string
  /** The event's own fields. */
  readonly payload: { readonly [field: string]: Schema.Json }
  readonly queued_at: Date
}

/** When an event was queued, as it is shown. */
export const formatQueuedAt = (queuedAt: Date): string => formatUtcInstant(truncateToSecond(queuedAt.getTime()))

/**
 * What is told of an event, by a delivery and by the feed: flat, the event's own fields between its name and the time it
 * was queued (specification, Events). The only field that may be absent, `sub_event`, is left out when it is null.
 */
export const toEventMessage = ({
  event,
  payload,
  queued_at
}: RecordedEvent): { readonly [field: string]: Schema.Json } => {
  const { sub_event, ...fields } = payload
  return {
    event,
    ...(sub_event === undefined || sub_event === null ? {} : { sub_event }),
    ...fields,
    timestamp: formatQueuedAt(queued_at)
  }
}

/** What an event is known by outside. */
export const toEventId = (id: number): string => `evt_${id}`

const EVENT_ID = /^evt_([1-9]\d{0,15})$/

/** Undefined: the text is no `event_id` of this service. */
export const parseEventId = (eventId: string): number | undefined => {
  const id = EVENT_ID.exec(eventId)?.[1]
  return id === undefined ? undefined : Number(id)
}
