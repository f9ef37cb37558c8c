import * as Result from "effect/Result"
import { CALENDAR_FEED_OCCURRENCES_MAX, CALENDAR_FEED_ZONES_MAX } from "../../../../platform/limits.ts"
import { decodeTextValue, type FeedOrigin, findFeedOrigin } from "./booking-texts.ts"
import { parseEvent } from "./calendar-event.ts"
import { type CalendarComponent, parseComponents } from "./component-tree.ts"
import { decodeFeedText } from "./content-lines.ts"
import { daysInSpans, type NightSpan } from "./event-nights.ts"
import { type FeedBookings, type FeedEvent, toFeedBookings, toFeedEvent } from "./feed-bookings.ts"
import { parseBusyTimes } from "./freebusy.ts"
import { nightsOfEvent, REPEATS_TOO_OFTEN_REASON, type ReadContext } from "./occurrences.ts"
import { groupReplacementsByUid, keepLatestRevisions, reportLostSeries, resolveReplacedDates } from "./revisions.ts"
import { makeUnreadablePartReport, type ReportUnreadablePart } from "./unreadable-part-report.ts"
import { findClock, makeClockLookup, UTC_CLOCK, type ZoneClock } from "./zone-clocks.ts"

// Only `bookings` contains guest data. See docs/adr/0001-read-imported-calendars-by-line.md.

/** Days since 1970, both inclusive. */
export interface FeedReadOptions {
  readonly zone: string
  readonly first: number
  readonly last: number
  /** Host of this service, which is in the UIDs of its own feeds. */
  readonly ownHost?: string
}

export interface ParsedFeed {
  /** Sorted. Includes the readable days of partly readable events. */
  readonly days: ReadonlyArray<number>
  readonly events: number
  /** Texts for the host, such as `DTEND in line 8 is unreadable`. */
  readonly unreadable: ReadonlyArray<string>
  /** The all-day event "Not available", if it ends later than every other event of the feed. */
  readonly lastUnavailable: NightSpan | undefined
  readonly daysWithoutLastUnavailable: ReadonlyArray<number>
  readonly bookings: FeedBookings
}

/** `reason` is a clause such as `it is empty`. */
export type FeedReadResult =
  | ({ readonly outcome: "read" } & ParsedFeed)
  | { readonly outcome: "broken"; readonly reason: string }

interface BusySpan extends NightSpan {
  readonly isUnavailable: boolean
}

interface FeedAccumulator {
  readonly spans: Array<BusySpan>
  readonly events: Array<FeedEvent>
  origin: FeedOrigin | undefined
  eventCount: number
  readableEventCount: number
}

interface ReadHorizon extends Pick<ReadContext, "first" | "last" | "remaining"> {
  readonly propertyClock: ZoneClock
}

const findOrigin = (calendar: CalendarComponent): FeedOrigin | undefined =>
  findFeedOrigin((calendar.properties.get("PRODID") ?? []).map(({ value }) => decodeTextValue(value)).join(" "))

const contextOf = (
  calendar: CalendarComponent,
  { propertyClock, ...horizon }: ReadHorizon,
  report: ReportUnreadablePart
): ReadContext => {
  const timezones = calendar.components.filter(({ name }) => name === "VTIMEZONE")
  return { ...horizon, clocks: { propertyClock, findByName: makeClockLookup(timezones, propertyClock, report) } }
}

const addEvents = (
  calendar: CalendarComponent,
  context: ReadContext,
  into: FeedAccumulator,
  { report, ownHost }: { readonly report: ReportUnreadablePart; readonly ownHost: string | undefined }
): string | undefined => {
  const origin = findOrigin(calendar)
  into.origin ??= origin
  const components = calendar.components.filter(({ name }) => name === "VEVENT")
  const readable = components.flatMap((component) => parseEvent(component, context.clocks, report) ?? [])
  into.eventCount += components.length
  into.readableEventCount += readable.length
  reportLostSeries(readable, report)
  const events = keepLatestRevisions(readable)
  const replacements = groupReplacementsByUid(events)
  for (const event of events) {
    const overrides = event.replaces === undefined ? (replacements.get(event.uid ?? "") ?? []) : []
    const replacementEvents = event.isAllDay ? resolveReplacedDates(overrides, context.clocks, report) : overrides
    const spans = nightsOfEvent(event, replacementEvents, context)
    if (spans === undefined) return REPEATS_TOO_OFTEN_REASON
    const isUnavailable = event.isUnavailable && event.isFullyReadable
    for (const span of spans) into.spans.push({ ...span, isUnavailable })
    const feedEvent =
      overrides.length === 0 ? toFeedEvent(event, spans, { origin, ownHost, last: context.last }) : undefined
    if (feedEvent !== undefined) into.events.push(feedEvent)
  }
  return undefined
}

const addBusyTimes = (
  calendar: CalendarComponent,
  context: ReadContext,
  into: FeedAccumulator,
  report: ReportUnreadablePart
): string | undefined => {
  const components = calendar.components.filter(({ name }) => name === "VFREEBUSY")
  const times = parseBusyTimes(components, context, report)
  if (Result.isFailure(times)) return times.failure
  into.eventCount += times.success.periodCount
  into.readableEventCount += times.success.readablePeriodCount
  for (const span of times.success.spans) into.spans.push({ ...span, isUnavailable: false })
  return undefined
}

const lastUnavailableOf = (spans: ReadonlyArray<BusySpan>): BusySpan | undefined => {
  const end = spans.reduce((latest, { before }) => Math.max(latest, before), Number.NEGATIVE_INFINITY)
  const [block, another] = spans.filter(({ before }) => before === end)
  return another === undefined && block?.isUnavailable === true ? block : undefined
}

const toBrokenFeed = (reason: string): FeedReadResult => ({ outcome: "broken", reason })

export const readFeed = (bytes: Uint8Array, { zone, first, last, ownHost }: FeedReadOptions): FeedReadResult => {
  const { report, listParts } = makeUnreadablePartReport()
  const calendars = parseComponents(decodeFeedText(bytes), report)
  if (Result.isFailure(calendars)) return toBrokenFeed(calendars.failure)
  const horizon = {
    propertyClock: findClock(zone) ?? UTC_CLOCK,
    first,
    last,
    remaining: { occurrences: CALENDAR_FEED_OCCURRENCES_MAX }
  }
  const contents: FeedAccumulator = { spans: [], events: [], origin: undefined, eventCount: 0, readableEventCount: 0 }
  const allComponents = calendars.success.flatMap(({ components }) => components)
  if (allComponents.filter(({ name }) => name === "VTIMEZONE").length > CALENDAR_FEED_ZONES_MAX)
    return toBrokenFeed(`it describes more than ${CALENDAR_FEED_ZONES_MAX} time zones`)
  for (const calendar of calendars.success) {
    // VFREEBUSY mostly repeats the events. Reading both can only block more days.
    const context = contextOf(calendar, horizon, report)
    const why =
      addEvents(calendar, context, contents, { report, ownHost }) ?? addBusyTimes(calendar, context, contents, report)
    if (why !== undefined) return toBrokenFeed(why)
  }
  const { spans, eventCount, readableEventCount } = contents
  if (eventCount > 0 && readableEventCount === 0) return toBrokenFeed(`none of its ${eventCount} events can be read`)
  const block = lastUnavailableOf(spans)
  return {
    outcome: "read",
    days: daysInSpans(spans, first, last),
    events: eventCount,
    unreadable: listParts(),
    lastUnavailable: block === undefined ? undefined : { from: block.from, before: block.before },
    daysWithoutLastUnavailable: daysInSpans(
      spans.filter((span) => span !== block),
      first,
      last
    ),
    bookings: toFeedBookings(contents.events, contents.origin)
  }
}
