import * as Result from "effect/Result"
import { CALENDAR_FEED_OCCURRENCES, CALENDAR_FEED_ZONES } from "../../../../platform/limits.ts"
import { feedText } from "./content-lines.ts"
import { eventOf } from "./event.ts"
import { busyTimesOf } from "./freebusy.ts"
import { daysIn, type Span } from "./nights.ts"
import { REPEATS_TOO_OFTEN, type ReadContext, spansOf } from "./occurrences.ts"
import { type Component, outlineOf } from "./outline.ts"
import { makeReport, type Report } from "./report.ts"
import { latestRevisions, replacementsByUid, replacementsOfDates, reportLostSeries } from "./revisions.ts"
import { type Clock, clockNamed, clocksOf, UTC } from "./zones.ts"

// The busy days of a calendar (docs/adr/0001-read-imported-calendars-by-line.md). The result has days, numbers, and clauses
// that name lines: nothing about guests.

/** The limits of reading: the property's zone, and the first and last day that matter, as days since 1970. */
export interface Wanted {
  readonly zone: string
  readonly first: number
  readonly last: number
}

export interface ReadFeed {
  /** Busy days since 1970, in order. An event that is unreadable in part blocks what is readable of it. */
  readonly days: ReadonlyArray<number>
  readonly events: number
  /** Unreadable parts: a few short clauses, and how many more there were. Empty if everything was read. */
  readonly unreadable: ReadonlyArray<string>
  /**
   * The all-day block "Not available" that reaches the end of the feed, if there is one: the end of a marketplace's booking
   * window. Days since 1970; `before` is the day after the last busy day of the feed.
   */
  readonly lastUnavailable: Span | undefined
  /** `days` without those that only that block covers; equal to `days` if there is none. */
  readonly daysWithoutLastUnavailable: ReadonlyArray<number>
}

/** The result of reading; `why` is a whole clause: "it is no iCalendar". */
export type Reading = ({ readonly outcome: "read" } & ReadFeed) | { readonly outcome: "broken"; readonly why: string }

interface BusySpan extends Span {
  readonly isUnavailable: boolean
}

/** What was read of all calendars of a feed. */
interface Contents {
  readonly spans: Array<BusySpan>
  events: number
  readable: number
}

interface Horizon extends Pick<ReadContext, "first" | "last" | "left"> {
  readonly property: Clock
}

const contextOf = (calendar: Component, { property, ...horizon }: Horizon, report: Report): ReadContext => {
  const timezones = calendar.components.filter(({ name }) => name === "VTIMEZONE")
  return { ...horizon, clocks: { property, named: clocksOf(timezones, property, report) } }
}

/** Adds the events of one calendar; returns why the feed cannot be read, if so. */
const addEvents = (calendar: Component, context: ReadContext, into: Contents, report: Report): string | undefined => {
  const components = calendar.components.filter(({ name }) => name === "VEVENT")
  const readable = components.flatMap((component) => eventOf(component, context.clocks, report) ?? [])
  into.events += components.length
  into.readable += readable.length
  reportLostSeries(readable, report)
  const events = latestRevisions(readable)
  const replacements = replacementsByUid(events)
  for (const event of events) {
    const overrides = event.replaces === undefined ? (replacements.get(event.uid ?? "") ?? []) : []
    const others = event.isAllDay ? replacementsOfDates(overrides, context.clocks, report) : overrides
    const spans = spansOf(event, others, context)
    if (spans === undefined) return REPEATS_TOO_OFTEN
    const isUnavailable = event.isUnavailable && event.isWhole
    for (const span of spans) into.spans.push({ ...span, isUnavailable })
  }
  return undefined
}

/** Adds the busy times of one calendar; returns why the feed cannot be read, if so. */
const addBusyTimes = (
  calendar: Component,
  context: ReadContext,
  into: Contents,
  report: Report
): string | undefined => {
  const components = calendar.components.filter(({ name }) => name === "VFREEBUSY")
  const times = busyTimesOf(components, context, report)
  if (Result.isFailure(times)) return times.failure
  into.events += times.success.periods
  into.readable += times.success.readable
  for (const span of times.success.spans) into.spans.push({ ...span, isUnavailable: false })
  return undefined
}

/** Returns the one block that reaches the end of a feed, if a marketplace calls it not available. */
const lastUnavailableOf = (spans: ReadonlyArray<BusySpan>): BusySpan | undefined => {
  const end = spans.reduce((latest, { before }) => Math.max(latest, before), Number.NEGATIVE_INFINITY)
  const [block, another] = spans.filter(({ before }) => before === end)
  return another === undefined && block?.isUnavailable === true ? block : undefined
}

const broken = (why: string): Reading => ({ outcome: "broken", why })

/** Returns the busy days of a calendar, or why nothing of it can be read: it is cut off, no calendar, or beyond a bound. */
export const readFeed = (bytes: Uint8Array, { zone, first, last }: Wanted): Reading => {
  const { report, clauses } = makeReport()
  const calendars = outlineOf(feedText(bytes), report)
  if (Result.isFailure(calendars)) return broken(calendars.failure)
  const horizon = { property: clockNamed(zone) ?? UTC, first, last, left: { occurrences: CALENDAR_FEED_OCCURRENCES } }
  const contents: Contents = { spans: [], events: 0, readable: 0 }
  const all = calendars.success.flatMap(({ components }) => components)
  if (all.filter(({ name }) => name === "VTIMEZONE").length > CALENDAR_FEED_ZONES)
    return broken(`it describes more than ${CALENDAR_FEED_ZONES} time zones`)
  for (const calendar of calendars.success) {
    // Busy times beside events mostly repeat them. Reading both can only block more days.
    const context = contextOf(calendar, horizon, report)
    const why = addEvents(calendar, context, contents, report) ?? addBusyTimes(calendar, context, contents, report)
    if (why !== undefined) return broken(why)
  }
  const { spans, events, readable } = contents
  if (events > 0 && readable === 0) return broken(`none of its ${events} events can be read`)
  const block = lastUnavailableOf(spans)
  return {
    outcome: "read",
    days: daysIn(spans, first, last),
    events,
    unreadable: clauses(),
    lastUnavailable: block === undefined ? undefined : { from: block.from, before: block.before },
    daysWithoutLastUnavailable: daysIn(
      spans.filter((span) => span !== block),
      first,
      last
    )
  }
}
