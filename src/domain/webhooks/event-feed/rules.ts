import { BadRequest, Conflict } from "../../../contract/errors.ts"
import { EVENT_NAMES, type EventName } from "../../../jobs/events/events.ts"
import { cursorOf, placeOf } from "./cursor.ts"

const namesIn = (text: string): ReadonlyArray<string> => text.split(",").map((name) => name.trim())

/** The events that a comma-separated text names. */
export const eventsNamed = (text: string): ReadonlyArray<EventName> => {
  const names = namesIn(text)
  return EVENT_NAMES.filter((name) => names.includes(name))
}

/** The first name in such a text that no event has. */
export const unknownEventIn = (text: string): string | undefined =>
  namesIn(text).find((name) => !EVENT_NAMES.some((known) => known === name))

/** A part of the feed that was read in one go. */
export interface Read<Event> {
  /** Up to which position events were removed. */
  readonly forgotten: number
  /** Where the reading began. */
  readonly start: number
  /** Where a reading that is narrowed ended: it has looked at everything up to there. */
  readonly reached: number | null
  /** Whether there is more behind that. */
  readonly beyond: boolean
  /** In order; one more than fit on the page, if there are so many. */
  readonly events: ReadonlyArray<Event>
}

/** What of it is shown, and where the next page begins. */
export interface Shown<Event> {
  readonly events: ReadonlyArray<Event>
  readonly next: number
  readonly more: boolean
}

/** The page of a reading. A page that is full ends at its last event, another where the reading got to. */
export const pageOf = <Event extends { readonly position: number }>(read: Read<Event>, limit: number): Shown<Event> => {
  const events = read.events.slice(0, limit)
  const last = events.at(-1)?.position ?? read.start
  return read.events.length > limit
    ? { events, next: last, more: true }
    : { events, next: read.reached ?? last, more: read.beyond }
}

/** The position a cursor of the operator stands for; the empty text is no cursor and stands for the beginning. */
export const positionOf = (field: string, cursor: string, operatorId: number): number | BadRequest | undefined => {
  if (cursor === "") return undefined
  const place = placeOf(cursor)
  return place?.operatorId === operatorId
    ? place.position
    : new BadRequest({ message: `${field}: must be a cursor that this account received.` })
}

/** 409 for an event that is not kept any more, or never was one of the operator's. */
export const noSuchEvent = (operatorId: number, forgotten: number): Conflict =>
  new Conflict({
    message: `after: the event no longer exists; the oldest cursor is ${cursorOf({ operatorId, position: forgotten })}.`
  })

/** 409 for a cursor with removed events behind it. */
export const tooOld = (field: string, operatorId: number, forgotten: number): Conflict =>
  new Conflict({
    message: `${field}: events after this cursor were deleted; the oldest cursor is ${cursorOf({ operatorId, position: forgotten })}.`
  })
