import { BadRequest, Conflict } from "../../../contract/errors.ts"
import { EVENT_NAMES, type EventName } from "../../../jobs/events/event-statements.ts"
import { formatFeedCursor, parseFeedCursor } from "./cursor.ts"

const splitNames = (text: string): ReadonlyArray<string> => text.split(",").map((name) => name.trim())

export const parseEventNames = (text: string): ReadonlyArray<EventName> => {
  const names = splitNames(text)
  return EVENT_NAMES.filter((name) => names.includes(name))
}

export const findUnknownEventName = (text: string): string | undefined =>
  splitNames(text).find((name) => !EVENT_NAMES.some((known) => known === name))

export interface FeedScan<Event> {
  readonly deletedUpTo: number
  /** Position before the first scanned event. */
  readonly start: number
  /** Last position that a filtered scan has read. Null without a filter. */
  readonly reachedPosition: number | null
  readonly hasMore: boolean
  /** Up to one event more than the limit. */
  readonly events: ReadonlyArray<Event>
}

export interface FeedPage<Event> {
  readonly events: ReadonlyArray<Event>
  readonly nextPosition: number
  readonly hasMore: boolean
}

export const toFeedPage = <Event extends { readonly position: number }>(
  scan: FeedScan<Event>,
  limit: number
): FeedPage<Event> => {
  const events = scan.events.slice(0, limit)
  const last = events.at(-1)?.position ?? scan.start
  return scan.events.length > limit
    ? { events, nextPosition: last, hasMore: true }
    : { events, nextPosition: scan.reachedPosition ?? last, hasMore: scan.hasMore }
}

/** The empty text stands for the beginning of the feed and returns undefined. */
export const parseCursorPosition = (
  field: string,
  cursor: string,
  operatorId: number
): number | BadRequest | undefined => {
  if (cursor === "") return undefined
  const parsed = parseFeedCursor(cursor)
  return parsed?.operatorId === operatorId
    ? parsed.position
    : new BadRequest({ message: `${field}: must be a cursor that this account received.` })
}

export const toUnknownEventError = (operatorId: number, deletedUpTo: number): Conflict =>
  new Conflict({
    message: `after: the event no longer exists; the oldest cursor is ${formatFeedCursor({ operatorId, position: deletedUpTo })}.`
  })

export const cursorExpiredError = (field: string, operatorId: number, deletedUpTo: number): Conflict =>
  new Conflict({
    message: `${field}: events after this cursor were deleted; the oldest cursor is ${formatFeedCursor({ operatorId, position: deletedUpTo })}.`
  })
