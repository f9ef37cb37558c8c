import type { Schema } from "effect"
import { formatUtcInstant, truncateToSecond } from "../../contract/time.ts"

export interface RecordedEvent {
  readonly event: string
  readonly payload: { readonly [field: string]: Schema.Json }
  readonly queued_at: Date
}

export const formatQueuedAt = (queuedAt: Date): string => formatUtcInstant(truncateToSecond(queuedAt.getTime()))

/** Returns an event as deliveries and the feed send it (specification, Events). */
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

export const toEventId = (id: number): string => `evt_${id}`

const EVENT_ID = /^evt_([1-9]\d{0,15})$/

export const parseEventId = (eventId: string): number | undefined => {
  const id = EVENT_ID.exec(eventId)?.[1]
  return id === undefined ? undefined : Number(id)
}
