import * as Result from "effect/Result"
import { CALENDAR_FEED_OCCURRENCES_MAX, CALENDAR_FEED_ZONES_MAX } from "../../../../platform/limits.ts"
import { parseEvent } from "./calendar-event.ts"
import { type CalendarComponent, parseComponents } from "./component-tree.ts"
import { decodeFeedText } from "./content-lines.ts"
import { daysInSpans, type NightSpan } from "./event-nights.ts"
import { parseBusyTimes } from "./freebusy.ts"
import { nightsOfEvent, REPEATS_TOO_OFTEN_REASON, type ReadContext } from "./occurrences.ts"
import { groupReplacementsByUid, keepLatestRevisions, reportLostSeries, resolveReplacedDates } from "./revisions.ts"
import { makeUnreadablePartReport, type ReportUnreadablePart } from "./unreadable-part-report.ts"
import { findClock, makeClockLookup, UTC_CLOCK, type ZoneClock } from "./zone-clocks.ts"

// The busy days of a calendar (docs/adr/0001-read-imported-calendars-by-line.md). The result has days, numbers, and clauses
// that name lines: nothing about guests.

/** The limits of reading: the property's zone, and the first and last day that matter, as days since 1970. */
export interface FeedReadOptions {
  readonly zone: string
  readonly first: number
  readonly last: number
}

export interface ParsedFeed {
  /** Busy days since 1970, in order. An event that is unreadable in part blocks what is readable of it. */
  readonly days: ReadonlyArray<number>
  readonly events: number
  /** Unreadable parts: a few short clauses, and how many more there were. Empty if everything was read. */
  readonly unreadable: ReadonlyArray<string>
  /**
   * The all-day block "Not available" that reaches the end of the feed, if there is one: the end of a marketplace's booking
   * window. Days since 1970; `before` is the day after the last busy day of the feed.
   */
  readonly lastUnavailable: NightSpan | undefined
  /** `days` without those that only that block covers; equal to `days` if there is none. */
  readonly daysWithoutLastUnavailable: ReadonlyArray<number>
}

/** The result of reading; `why` is a whole clause: "it is no iCalendar". */
export type FeedReadResult =
  | ({ readonly outcome: "read" } & ParsedFeed)
  | { readonly outcome: "broken"; readonly reason: string }

interface BusySpan extends NightSpan {
  readonly isUnavailable: boolean
}

/** What was read of all calendars of a feed. */
interface FeedAccumulator {
  readonly spans: Array<BusySpan>
  eventCount: number
  readableEventCount: number
}

interface ReadHorizon extends Pick<ReadContext, "first" | "last" | "remaining"> {
  readonly propertyClock: ZoneClock
}

const contextOf = (
  calendar: CalendarComponent,
  { propertyClock, ...horizon }: ReadHorizon,
  report: ReportUnreadablePart
): ReadContext => {
  const timezones = calendar.components.filter(({ name }) => name === "VTIMEZONE")
  return { ...horizon, clocks: { propertyClock, findByName: makeClockLookup(timezones, propertyClock, report) } }
}

/** Adds the events of one calendar; returns why the feed cannot be read, if so. */
const addEvents = (
  calendar: CalendarComponent,
  context: ReadContext,
  into: FeedAccumulator,
  report: ReportUnreadablePart
): string | undefined => {
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
  }
  return undefined
}

/** Adds the busy times of one calendar; returns why the feed cannot be read, if so. */
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

/** Returns the one block that reaches the end of a feed, if a marketplace calls it not available. */
const lastUnavailableOf = (spans: ReadonlyArray<BusySpan>): BusySpan | undefined => {
  const end = spans.reduce((latest, { before }) => Math.max(latest, before), Number.NEGATIVE_INFINITY)
  const [block, another] = spans.filter(({ before }) => before === end)
  return another === undefined && block?.isUnavailable === true ? block : undefined
}

const toBrokenFeed = (reason: string): FeedReadResult => ({ outcome: "broken", reason })

/** Returns the busy days of a calendar, or why nothing of it can be read: it is cut off, no calendar, or beyond a bound. */
export const readFeed = (bytes: Uint8Array, { zone, first, last }: FeedReadOptions): FeedReadResult => {
  const { report, listParts } = makeUnreadablePartReport()
  const calendars = parseComponents(decodeFeedText(bytes), report)
  if (Result.isFailure(calendars)) return toBrokenFeed(calendars.failure)
  const horizon = {
    propertyClock: findClock(zone) ?? UTC_CLOCK,
    first,
    last,
    remaining: { occurrences: CALENDAR_FEED_OCCURRENCES_MAX }
  }
  const contents: FeedAccumulator = { spans: [], eventCount: 0, readableEventCount: 0 }
  const allComponents = calendars.success.flatMap(({ components }) => components)
  if (allComponents.filter(({ name }) => name === "VTIMEZONE").length > CALENDAR_FEED_ZONES_MAX)
    return toBrokenFeed(`it describes more than ${CALENDAR_FEED_ZONES_MAX} time zones`)
  for (const calendar of calendars.success) {
    // Busy times beside events mostly repeat them. Reading both can only block more days.
    const context = contextOf(calendar, horizon, report)
    const why = addEvents(calendar, context, contents, report) ?? addBusyTimes(calendar, context, contents, report)
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
    )
  }
}
