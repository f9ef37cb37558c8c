import * as Result from "effect/Result"
import ICAL from "ical.js"
import {
  CALENDAR_FEED_DEPTH,
  CALENDAR_FEED_EVENTS,
  CALENDAR_FEED_OCCURRENCES,
  CALENDAR_FEED_ZONES
} from "../../../limits.ts"
import { daysIn, type Span } from "./nights.ts"
import { REPEATS_TOO_OFTEN, type Reach, spansOf, type Told, told } from "./occurrences.ts"
import { zoneNamed } from "./zones.ts"

// What a calendar says is busy. What it says of guests is looked at nowhere: days come out, and numbers.

/** What a feed is read for: the property's zone, and the first and last day that matter, as days since 1970. */
export interface Wanted {
  readonly zone: string
  readonly first: number
  readonly last: number
}

export interface ReadFeed {
  /** Days since 1970, in order. */
  readonly days: ReadonlyArray<number>
  readonly events: number
  /** Of them those that cannot be read, and so close nothing. */
  readonly unreadable: number
}

/** What became of it; `broken` is a whole clause about it: "it is no iCalendar". */
export type Reading = ({ readonly outcome: "read" } & ReadFeed) | { readonly outcome: "broken"; readonly why: string }

// Forgiving: a date without VALUE=DATE is a date.
ICAL.design.strict = false

/**
 * Bytes as text. A line may be folded in the middle of a character, and nothing that matters here is beyond ASCII: so each
 * byte is a character of its own. Any kind of line end is one.
 */
const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString("latin1")
    .replace(/^\u00ef\u00bb\u00bf/, "")
    .replaceAll("\0", "")
    .replace(/\r\n?/g, "\n")
    .trim()

/** What of its outline alone says that it cannot be read. */
const faultOf = (text: string): string | undefined => {
  if (text === "") return "it is empty"
  if (!/^BEGIN:VCALENDAR[ \t]*\n/i.test(text)) return "it is no iCalendar"
  if (!/\nEND:VCALENDAR[ \t]*$/i.test(text)) return "it ends in the middle: END:VCALENDAR is missing"
  let depth = 0
  let events = 0
  for (const [, edge = "", name = ""] of text.matchAll(/^(BEGIN|END):[ \t]*(\w*)/gim)) {
    depth += edge.toUpperCase() === "BEGIN" ? 1 : -1
    if (depth > CALENDAR_FEED_DEPTH) return `its components are nested more than ${CALENDAR_FEED_DEPTH} deep`
    if (edge.toUpperCase() === "BEGIN" && name.toUpperCase() === "VEVENT") events += 1
    if (events > CALENDAR_FEED_EVENTS) return `it has more than ${CALENDAR_FEED_EVENTS} events`
  }
  return depth === 0 ? undefined : "a component of it begins and does not end"
}

const isListOfLists = (parsed: unknown): parsed is ReadonlyArray<Array<unknown>> =>
  Array.isArray(parsed) && Array.isArray(parsed[0])

/** The calendars of a text, mostly one. */
const calendarsIn = (text: string): Result.Result<ReadonlyArray<ICAL.Component>, string> =>
  Result.try({
    try: () => {
      const parsed: unknown = ICAL.parse(text)
      const all = isListOfLists(parsed) ? parsed : [parsed]
      return all.flatMap((each) => (Array.isArray(each) ? [new ICAL.Component(each)] : []))
    },
    // What the library says has the line in it.
    catch: () => "a line of it is not of an iCalendar"
  })

/** Leaves out zones without a name, which nothing can mean; false where there are too many of them. */
const zonesFit = (calendar: ICAL.Component): boolean => {
  const zones = calendar.getAllSubcomponents("vtimezone")
  if (zones.length > CALENDAR_FEED_ZONES) return false
  for (const zone of zones) if (!zone.hasProperty("tzid")) calendar.removeSubcomponent(zone)
  return true
}

const byUid = (events: ReadonlyArray<Told>): ReadonlyMap<string, ReadonlyArray<Told>> => {
  const instead = new Map<string, Array<Told>>()
  for (const event of events) {
    if (event.uid === undefined || event.insteadOf === undefined) continue
    const known = instead.get(event.uid)
    if (known === undefined) instead.set(event.uid, [event])
    else known.push(event)
  }
  return instead
}

interface Spans {
  readonly spans: Array<Span>
  events: number
  unreadable: number
}

/** Adds what one calendar says; answers why it cannot be read, if so. */
const addSpans = (calendar: ICAL.Component, reach: Reach, into: Spans): string | undefined => {
  if (!zonesFit(calendar)) return `it describes more than ${CALENDAR_FEED_ZONES} time zones`
  const components = calendar.getAllSubcomponents("vevent")
  const events = components.flatMap((component) =>
    Result.match(told(component, reach.ahead), { onFailure: () => [], onSuccess: (event) => [event] })
  )
  into.events += components.length
  into.unreadable += components.length - events.length
  const instead = byUid(events)
  for (const event of events) {
    const spans = spansOf(event, instead.get(event.uid ?? "") ?? [], reach)
    if (Result.isFailure(spans)) {
      if (spans.failure === REPEATS_TOO_OFTEN) return REPEATS_TOO_OFTEN
      into.unreadable += 1
    } else for (const span of spans.success) into.spans.push(span)
  }
  return undefined
}

const broken = (why: string): Reading => ({ outcome: "broken", why })

/** Reads a calendar: never a part of one that is cut off or no calendar at all. */
export const readFeed = (bytes: Uint8Array, { zone, first, last }: Wanted): Reading => {
  const text = textOf(bytes)
  const fault = faultOf(text)
  if (fault !== undefined) return broken(fault)
  const calendars = calendarsIn(text)
  if (Result.isFailure(calendars)) return broken(calendars.failure)
  const reach = { ahead: zoneNamed(zone) ?? (() => 0), first, last, left: { occurrences: CALENDAR_FEED_OCCURRENCES } }
  const found: Spans = { spans: [], events: 0, unreadable: 0 }
  for (const calendar of calendars.success) {
    const why = addSpans(calendar, reach, found)
    if (why !== undefined) return broken(why)
  }
  const { events, unreadable } = found
  if (events > 0 && unreadable === events) return broken(`none of its ${events} events can be read`)
  return { outcome: "read", days: daysIn(found.spans, first, last), events, unreadable }
}
