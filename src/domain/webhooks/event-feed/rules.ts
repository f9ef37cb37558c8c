import { BadRequest, Conflict } from "../../../contract/errors.ts"
import { EVENT_NAMES, type EventName } from "../../../jobs/events/event-statements.ts"
import { formatFeedCursor, parseFeedCursor } from "./cursor.ts"

const splitNames = (text: string): ReadonlyArray<string> => text.split(",").map((name) => name.trim())

/** The events that a comma-separated text names. */
export const parseEventNames = (text: string): ReadonlyArray<EventName> => {
  const names = splitNames(text)
  return EVENT_NAMES.filter((name) => names.includes(name))
}

/** The first name in such a text that no event has. */
export const findUnknownEventName = (text: string): string | undefined =>
  splitNames(text).find((name) => !EVENT_NAMES.some((known) => known === name))

/** A part of the feed that was read in one go. */
export interface FeedScan<Event> {
  /** Up to which position events were removed. */
  readonly deletedUpTo: number
  /** Where the reading began. */
  readonly start: number
  /** Where a reading that is narrowed ended: it has looked at everything up to there. */
  readonly reachedPosition: number | null
  /** Whether there is more behind that. */
  readonly hasMore: boolean
  /** In order; one more than fit on the page, if there are so many. */
  readonly events: ReadonlyArray<Event>
}

/** What of it is shown, and where the next page begins. */
export interface FeedPage<Event> {
  readonly events: ReadonlyArray<Event>
  readonly nextPosition: number
  readonly hasMore: boolean
}

/** The page of a reading. A page that is full ends at its last event, another where the reading got to. */
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

/** The position a cursor of the operator stands for; the empty text is no cursor and stands for the beginning. */
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

/** 409 for an event that is not kept any more, or never was one of the operator's. */
export const toUnknownEventError = (operatorId: number, deletedUpTo: number): Conflict =>
  new Conflict({
    message: `after: the event no longer exists; the oldest cursor is ${formatFeedCursor({ operatorId, position: deletedUpTo })}.`
  })

/** 409 for a cursor with removed events behind it. */
export const cursorExpiredError = (field: string, operatorId: number, deletedUpTo: number): Conflict =>
  new Conflict({
    message: `${field}: events after this cursor were deleted; the oldest cursor is ${formatFeedCursor({ operatorId, position: deletedUpTo })}.`
  })
