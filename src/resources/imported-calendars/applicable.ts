import { dateOfNumber, dayNumber } from "../../contract/time.ts"
import { CALENDAR_ERROR } from "../../limits.ts"
import type { Applicable, BookingWindow, Reach, TakenCalendar } from "./calendar.ts"
import type { ReadFeed } from "./reading/feed.ts"

// Which days of a reading are applied. A feed never opens a day because of something that could not be read.

/** The reader names so many unreadable parts; a further clause says how many more there are. */
const UNREADABLE_PARTS = 5

const countOf = (parts: number): string => {
  if (parts > UNREADABLE_PARTS) return `More than ${UNREADABLE_PARTS} parts`
  return parts === 1 ? "1 part" : `${parts} parts`
}

/** Returns the parts that could not be read as one text of at most {@link CALENDAR_ERROR} characters, null if there are none. */
export const describeUnreadable = (parts: ReadonlyArray<string>): string | null => {
  if (parts.length === 0) return null
  const text = `${countOf(parts.length)} of the calendar could not be read, so no day was opened: ${parts.join("; ")}`
  const shortened = text.length > CALENDAR_ERROR ? `${text.slice(0, CALENDAR_ERROR - 1)}…` : text
  return shortened.toWellFormed().replaceAll("\0", "\uFFFD")
}

/**
 * Returns where the last "Not available" block ends now, and whether that end has moved forward since an earlier fetch.
 * A block whose end moves back, or that is not there, starts anew. One that reaches beyond the days that are read is none:
 * its real end is not known.
 */
export const trackBookingWindow = (
  seen: BookingWindow | undefined,
  block: ReadFeed["lastUnavailable"],
  last: string
): BookingWindow | undefined => {
  if (block === undefined || block.before > dayNumber(last)) return undefined
  const before = dateOfNumber(block.before)
  if (seen === undefined || before < seen.before) return { before, hasMoved: false }
  return { before, hasMoved: seen.hasMoved || before > seen.before }
}

const bookingWindowOf = ({ unavailable_before, unavailable_moved }: TakenCalendar): BookingWindow | undefined =>
  unavailable_before === null ? undefined : { before: unavailable_before, hasMoved: unavailable_moved }

/** Returns what becomes of a calendar whose feed was read. `feed` tells which feed that was. */
export const toApplicable = (
  calendar: TakenCalendar,
  reading: ReadFeed,
  reach: Reach,
  feed: Pick<Applicable, "etag" | "last_modified" | "digest">
): Applicable => {
  const { etag, last_modified, digest } = feed
  const unreadable = describeUnreadable(reading.unreadable)
  const seen = bookingWindowOf(calendar)
  // A feed that is not read whole does not tell which block is its last.
  const bookingWindow = unreadable === null ? trackBookingWindow(seen, reading.lastUnavailable, reach.last) : seen
  const skipsLast = unreadable === null && calendar.skip_unavailable && bookingWindow?.hasMoved === true
  const isAccepted = unreadable !== null && digest === calendar.accepted_digest && unreadable === calendar.unreadable
  return {
    first: reach.first,
    last: reach.last,
    days: (skipsLast ? reading.daysWithoutLastUnavailable : reading.days).map(dateOfNumber),
    opensDays: unreadable === null || isAccepted,
    unreadable,
    accepted_digest: isAccepted ? digest : null,
    bookingWindow,
    etag,
    last_modified,
    digest
  }
}
