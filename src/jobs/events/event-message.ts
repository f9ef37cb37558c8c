import type { Schema } from "effect"
import { formatUtcInstant, truncateToSecond } from "../../contract/time.ts"

/** An event as it was recorded with the change. */
export interface RecordedEvent {
  readonly event: string
  /** The event's own fields. */
  readonly payload: { readonly [field: string]: Schema.Json }
  readonly queued_at: Date
}

/** Formats the time at which an event was queued, to the second. */
export const formatQueuedAt = (queuedAt: Date): string => formatUtcInstant(truncateToSecond(queuedAt.getTime()))

/**
 * Returns an event as deliveries and the feed send it: flat, with the event's own fields between its name and the time at which it was
 * queued (specification, Events). `sub_event` is left out if it is null.
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

/** Returns the public id of an event. */
export const toEventId = (id: number): string => `evt_${id}`

const EVENT_ID = /^evt_([1-9]\d{0,15})$/

/** Parses a public id. Returns undefined if the text is no `event_id` of this service. */
export const parseEventId = (eventId: string): number | undefined => {
  const id = EVENT_ID.exec(eventId)?.[1]
  return id === undefined ? undefined : Number(id)
}
