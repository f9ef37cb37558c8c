import { hash } from "node:crypto"
import { CALENDAR_BOOKINGS_MAX, CALENDAR_STAY_PROBLEMS_MAX } from "../../../../platform/limits.ts"
import type { BookingDetails } from "../../calendar-stays/stay-link.ts"
import { type FeedOrigin, recognizeBooking } from "./booking-texts.ts"
import type { CalendarEvent } from "./calendar-event.ts"
import type { NightSpan } from "./event-nights.ts"

/** An event that neither recurs nor replaces an occurrence of another event. */
export interface FeedEvent extends NightSpan {
  /** The UID itself may be long, or contain the name of a guest. */
  readonly uidDigest: string
  /** Undefined for a block. */
  readonly booking: BookingDetails | undefined
}

export interface FeedBookings {
  readonly events: ReadonlyArray<FeedEvent>
  /** Bookings with the UID of an earlier booking but other nights. At most {@link CALENDAR_STAY_PROBLEMS_MAX}. */
  readonly duplicates: ReadonlyArray<FeedEvent>
  /** Whether the feed has more such events than the limit. */
  readonly hasMore: boolean
  /** The program that wrote the feed, if known. */
  readonly origin: FeedOrigin | undefined
}

/** Shorter events are check-ins, check-outs and cleanings. */
const MIN_BOOKING_SECONDS = 12 * 3600

const DIGEST_LENGTH = 32

/** Digest of the UID. Without a UID, the nights identify the event. */
const digestOf = ({ uid }: CalendarEvent, { from, before }: NightSpan): string =>
  hash("sha256", uid === undefined ? `nights ${from} ${before}` : `uid ${uid}`, "base64url").slice(0, DIGEST_LENGTH)

/** The UIDs of our own feeds are a hash and the host of the service. */
const isOwnUid = (uid: string | undefined, ownHost: string | undefined): boolean => {
  const [name = "", host] = (uid ?? "").split("@")
  return /^[0-9a-f]{32}$/.test(name) && host !== undefined && host === ownHost
}

interface FeedContext {
  readonly origin: FeedOrigin | undefined
  readonly ownHost: string | undefined
  /** Last day of the horizon, in days since 1970. */
  readonly last: number
}

/** Returns undefined for an event that recurs, has no night, or begins after the horizon. */
export const toFeedEvent = (
  event: CalendarEvent,
  spans: ReadonlyArray<NightSpan>,
  { origin, ownHost, last }: FeedContext
): FeedEvent | undefined => {
  const [span, another] = spans
  const isSingle = event.rules.length === 0 && event.dates.length === 0 && event.replaces === undefined
  if (span === undefined || another !== undefined || !isSingle || span.before <= span.from || span.from > last)
    return undefined
  const mayBeBooking =
    event.isFullyReadable &&
    event.seconds >= MIN_BOOKING_SECONDS &&
    origin !== "latchkey" &&
    !isOwnUid(event.uid, ownHost)
  const { from, before } = span
  return {
    uidDigest: digestOf(event, span),
    from,
    before,
    booking: mayBeBooking ? recognizeBooking(event.texts, origin === "smoobu") : undefined
  }
}

const compareEvents = (one: FeedEvent, other: FeedEvent): number =>
  Number(one.booking === undefined) - Number(other.booking === undefined) ||
  one.from - other.from ||
  one.before - other.before ||
  (one.uidDigest < other.uidDigest ? -1 : 1)

/** Bookings come first. Of several events with one UID, only one is kept: the earliest booking, if there is one. */
export const toFeedBookings = (all: ReadonlyArray<FeedEvent>, origin: FeedOrigin | undefined): FeedBookings => {
  const events = new Map<string, FeedEvent>()
  const duplicates: Array<FeedEvent> = []
  for (const event of all.toSorted(compareEvents)) {
    const first = events.get(event.uidDigest)
    if (first === undefined) events.set(event.uidDigest, event)
    else if (event.booking !== undefined && (event.from !== first.from || event.before !== first.before))
      duplicates.push(event)
  }
  const distinctEvents = Array.from(events.values())
  return {
    events: distinctEvents.slice(0, CALENDAR_BOOKINGS_MAX),
    duplicates: duplicates.slice(0, CALENDAR_STAY_PROBLEMS_MAX),
    hasMore: distinctEvents.length > CALENDAR_BOOKINGS_MAX,
    origin: origin === "latchkey" ? undefined : origin
  }
}
