import { fromDayNumber, toDayNumber } from "../../../contract/time.ts"
import { CALENDAR_ERROR_LENGTH, CALENDAR_UNREADABLE_REASONS_MAX } from "../../../platform/limits.ts"
import { findChannelOfHost } from "../calendar-stays/stay-channel.ts"
import type { StayNights } from "../calendar-stays/stay-link.ts"
import type {
  BookingWindow,
  CalendarBookings,
  CalendarUpdate,
  ClaimedCalendar,
  ImportHorizon
} from "./imported-calendar.ts"
import type { NightSpan } from "./reading/event-nights.ts"
import type { ParsedFeed } from "./reading/feed.ts"

/** `parts` is the length of a list. Above the limit, the last item of this list only counts the further parts. */
const formatPartCount = (parts: number): string => {
  if (parts > CALENDAR_UNREADABLE_REASONS_MAX) return `More than ${CALENDAR_UNREADABLE_REASONS_MAX} parts`
  return parts === 1 ? "1 part" : `${parts} parts`
}

export const describeUnreadableParts = (parts: ReadonlyArray<string>): string | null => {
  if (parts.length === 0) return null
  const text = `${formatPartCount(parts.length)} of the calendar could not be read, so no dates became available: ${parts.join("; ")}`
  const shortened = text.length > CALENDAR_ERROR_LENGTH ? `${text.slice(0, CALENDAR_ERROR_LENGTH - 1)}…` : text
  return shortened.toWellFormed().replaceAll("\0", "\uFFFD")
}

/**
 * Follows the end of the "Not available" event across fetches. Starts again if this may be another event: it ends
 * earlier, or begins after the previous end.
 */
export const trackBookingWindow = (
  previousWindow: BookingWindow | undefined,
  block: ParsedFeed["lastUnavailable"],
  last: string
): BookingWindow | undefined => {
  if (block === undefined || block.before > toDayNumber(last)) return undefined
  const before = fromDayNumber(block.before)
  const isSameBlock = previousWindow !== undefined && fromDayNumber(block.from) < previousWindow.before
  if (!isSameBlock || before < previousWindow.before) return { before, hasMoved: false }
  return { before, hasMoved: previousWindow.hasMoved || before > previousWindow.before }
}

const bookingWindowOf = ({ unavailable_before, unavailable_moved }: ClaimedCalendar): BookingWindow | undefined =>
  unavailable_before === null ? undefined : { before: unavailable_before, hasMoved: unavailable_moved }

const CHANNELS_OF_ORIGINS = {
  airbnb: "airbnb",
  "booking.com": "booking.com",
  vrbo: "vrbo",
  smoobu: undefined,
  latchkey: undefined
} as const

const NO_BOOKING = { guestName: undefined, confirmationCode: undefined, phoneDigits: undefined }

const toStayNights = ({ from, before }: NightSpan): StayNights => ({
  check_in_date: fromDayNumber(from),
  check_out_date: fromDayNumber(before)
})

export const toCalendarBookings = (
  { channel_type, host }: Pick<ClaimedCalendar, "channel_type" | "host">,
  { bookings: { events, duplicates, hasMore, origin }, unreadable }: Pick<ParsedFeed, "bookings" | "unreadable">
): CalendarBookings => ({
  events: events.map(({ uidDigest, booking, ...span }) => ({
    ...(booking ?? NO_BOOKING),
    uid_digest: uidDigest,
    isBooking: booking !== undefined,
    ...toStayNights(span)
  })),
  duplicates: duplicates.map(toStayNights),
  hasMore,
  channelType:
    channel_type ?? findChannelOfHost(host) ?? (origin === undefined ? undefined : CHANNELS_OF_ORIGINS[origin]),
  isComplete: unreadable.length === 0
})

export const toCalendarUpdate = (
  calendar: ClaimedCalendar,
  parsedFeed: ParsedFeed,
  horizon: ImportHorizon,
  feed: Pick<CalendarUpdate, "etag" | "last_modified" | "digest">
): CalendarUpdate => {
  const { etag, last_modified, digest } = feed
  const unreadable = describeUnreadableParts(parsedFeed.unreadable)
  const previousWindow = bookingWindowOf(calendar)
  // An unreadable part may be a later event, so the previous window is kept.
  const bookingWindow =
    unreadable === null ? trackBookingWindow(previousWindow, parsedFeed.lastUnavailable, horizon.last) : previousWindow
  const skipsLastBlock = unreadable === null && calendar.skip_unavailable && bookingWindow?.hasMoved === true
  const isAccepted = unreadable !== null && digest === calendar.accepted_digest && unreadable === calendar.unreadable
  return {
    first: horizon.first,
    last: horizon.last,
    bookings: calendar.events === "stay" ? toCalendarBookings(calendar, parsedFeed) : undefined,
    days: (skipsLastBlock ? parsedFeed.daysWithoutLastUnavailable : parsedFeed.days).map(fromDayNumber),
    unblocksDays: unreadable === null || isAccepted,
    unreadable,
    accepted_digest: isAccepted ? digest : null,
    bookingWindow,
    etag,
    last_modified,
    digest
  }
}
