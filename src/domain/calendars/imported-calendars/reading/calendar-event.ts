import { decodeTextValue, type EventTexts } from "./booking-texts.ts"
import {
  type CalendarClocks,
  type CalendarTime,
  makeTimeReader,
  toAllDayDate,
  wallAtProperty,
  wallOnClock
} from "./calendar-time.ts"
import type { CalendarComponent } from "./component-tree.ts"
import { type ContentLine, parseParameters } from "./content-lines.ts"
import { parseDurationSeconds } from "./date-time-values.ts"
import { DAY_SECONDS } from "./event-nights.ts"
import { parseRecurrenceRule, type RecurrenceRule } from "./recurrence-rule.ts"
import type { ReportUnreadablePart } from "./unreadable-part-report.ts"
import { UTC_CLOCK } from "./zone-clocks.ts"

// An unreadable property is reported and never makes a day available.

/** `seconds` is undefined if the occurrence lasts as long as the event. */
interface RdateOccurrence {
  readonly time: CalendarTime
  readonly seconds: number | undefined
}

export interface CalendarEvent {
  readonly lineNumber: number
  readonly uid: string | undefined
  /** Undefined if unreadable. */
  readonly sequence: number | undefined
  readonly start: CalendarTime
  /** Length in local time of the event's time zone. */
  readonly seconds: number
  /** Whether the event means dates, whatever the time zone. */
  readonly isAllDay: boolean
  readonly isBusy: boolean
  /** If false, the event must not replace another event or an occurrence. */
  readonly isFullyReadable: boolean
  readonly rules: ReadonlyArray<RecurrenceRule>
  readonly dates: ReadonlyArray<RdateOccurrence>
  readonly exceptions: ReadonlyArray<CalendarTime>
  /** From RECURRENCE-ID. */
  readonly replaces: { readonly time: CalendarTime; readonly andLater: boolean } | undefined
  /** Whether this is an all-day event "Not available" that neither repeats nor replaces an occurrence. */
  readonly isUnavailable: boolean
  readonly texts: EventTexts
}

/**
 * Airbnb's summary for blocked days. `CLOSED - Not available` is Booking.com's summary for bookings and must not match.
 */
const UNAVAILABLE_SUMMARY_PATTERN = /^(?:airbnb )?\(?not available\)?$/i

class EventPropertyReader {
  isFullyReadable: boolean
  readonly #component: CalendarComponent
  readonly #clocks: CalendarClocks
  readonly #report: ReportUnreadablePart

  constructor(component: CalendarComponent, clocks: CalendarClocks, report: ReportUnreadablePart) {
    this.isFullyReadable = component.isFullyReadable
    this.#component = component
    this.#clocks = clocks
    this.#report = report
  }

  reportFault(clause: string): undefined {
    this.isFullyReadable = false
    this.#report(clause)
  }

  linesOf(name: string): ReadonlyArray<ContentLine> {
    return this.#component.properties.get(name) ?? []
  }

  readAll<A>(name: string, read: (line: ContentLine) => ReadonlyArray<A | undefined>): ReadonlyArray<A> {
    return this.linesOf(name).flatMap((line) => {
      const values = read(line)
      const readable = values.filter((value) => value !== undefined)
      if (readable.length < values.length) this.reportFault(`${name} in line ${line.lineNumber} is unreadable`)
      return readable
    })
  }

  /** Lines with different values are reported, because one of them must be wrong. */
  readSingle<A>(name: string, read: (line: ContentLine) => A | undefined): ReadonlyArray<A> {
    const lines = this.linesOf(name)
    const different = new Set(lines.map(({ parameters, value }) => `${parameters}:${value.trim()}`))
    if (different.size > 1) this.reportFault(`${name} in line ${lines[1]?.lineNumber} appears twice`)
    return this.readAll(name, (line) => [read(line)])
  }

  readTime(line: ContentLine): CalendarTime | undefined {
    return makeTimeReader(line, this.#clocks)?.(line.value)
  }

  readExceptions(isAllDay: boolean): ReadonlyArray<CalendarTime> {
    return this.readAll("EXDATE", (line) => {
      const read = makeTimeReader(line, this.#clocks)
      return line.value.split(",").map((text) => {
        const time = read?.(text)
        return time !== undefined && isAllDay ? toAllDayDate(time, this.#clocks) : time
      })
    })
  }

  /** A period with an unreadable end gets the length of the event. */
  readOccurrences(name: string): ReadonlyArray<RdateOccurrence> {
    return this.readAll(name, (line) => {
      const read = makeTimeReader(line, this.#clocks)
      return line.value.split(",").map((text): RdateOccurrence | undefined => {
        const [start = "", end] = text.split("/")
        const time = read?.(start)
        if (read === undefined || time === undefined) return undefined
        if (end === undefined) return { time, seconds: undefined }
        const seconds = parsePeriodSeconds(time, end, read, this.#clocks)
        if (seconds === undefined) this.reportFault(`${name} in line ${line.lineNumber} is unreadable`)
        return { time, seconds }
      })
    })
  }

  hasOnly(name: string, value: string): boolean {
    const lines = this.linesOf(name)
    return lines.length > 0 && lines.every((line) => line.value.trimEnd().toUpperCase() === value)
  }
}

/** `text` is a time or a duration. Returns undefined if it is unreadable or before the start. */
export const parsePeriodSeconds = (
  start: CalendarTime,
  text: string,
  read: (text: string) => CalendarTime | undefined,
  clocks: CalendarClocks
): number | undefined => {
  const end = read(text)
  return end === undefined ? parseDurationSeconds(text) : secondsBetween(start, end, clocks)
}

/** In local time of the start. Returns undefined for an earlier end. */
const secondsBetween = (start: CalendarTime, end: CalendarTime, clocks: CalendarClocks): number | undefined => {
  const areDays = (start.isDate && end.isMidnight) || (start.isMidnight && end.isDate)
  if (areDays) return end.day < start.day ? undefined : (end.day - start.day) * DAY_SECONDS
  const isFloating = start.clock !== undefined && end.clock === undefined
  const zonedEnd = isFloating ? { ...end, clock: clocks.propertyClock } : end
  const seconds = (wallOnClock(zonedEnd, start.clock, clocks) ?? end.wall) - start.wall
  return seconds < 0 ? undefined : seconds
}

/** Some programs write whole days from midnight to midnight in UTC, whatever the time zone of the property. */
export const withoutClockIfWholeDays = (start: CalendarTime, seconds: number): CalendarTime => {
  const isWholeDays =
    start.clock === UTC_CLOCK && start.wall % DAY_SECONDS === 0 && seconds > 0 && seconds % DAY_SECONDS === 0
  return isWholeDays ? { ...start, clock: undefined } : start
}

const readReplacement = (properties: EventPropertyReader): CalendarEvent["replaces"] => {
  const [replacement] = properties.readSingle("RECURRENCE-ID", (line) => {
    const range = parseParameters(line)?.get("RANGE")?.toUpperCase()
    const time = properties.readTime(line)
    if (time === undefined || (range !== undefined && range !== "THISANDFUTURE")) return undefined
    return { time, andLater: range !== undefined }
  })
  return replacement
}

/** Returns undefined if SEQUENCE is unreadable or may be misspelt. */
const readSequence = (properties: EventPropertyReader, mayHideSequence: boolean): number | undefined => {
  const [line, another] = properties.linesOf("SEQUENCE")
  if (line === undefined) return mayHideSequence ? undefined : 0
  const value = line.value.trim()
  if (another === undefined && /^\d{1,10}$/.test(value)) return Number(value)
  return properties.reportFault(`SEQUENCE in line ${line.lineNumber} is unreadable`)
}

const readText = (properties: EventPropertyReader, name: "SUMMARY" | "DESCRIPTION"): string =>
  properties
    .linesOf(name)
    .map(({ value }) => decodeTextValue(value))
    .join("\n")

export const parseEvent = (
  component: CalendarComponent,
  clocks: CalendarClocks,
  report: ReportUnreadablePart
): CalendarEvent | undefined => {
  const properties = new EventPropertyReader(component, clocks, report)
  const starts = properties.readSingle("DTSTART", (line) => properties.readTime(line))
  const writtenStart = starts.toSorted((one, other) => wallAtProperty(one, clocks) - wallAtProperty(other, clocks))[0]
  if (writtenStart === undefined) {
    if (properties.linesOf("DTSTART").length === 0) report(`VEVENT in line ${component.lineNumber} has no DTSTART`)
    return undefined
  }
  const lengths = [
    ...properties.readSingle("DTEND", (line) => {
      const end = properties.readTime(line)
      return end === undefined ? undefined : secondsBetween(writtenStart, end, clocks)
    }),
    ...properties.readSingle("DURATION", (line) => parseDurationSeconds(line.value))
  ]
  const seconds = Math.max(0, ...lengths)
  const start = withoutClockIfWholeDays(writtenStart, seconds)
  const isAllDay = start.isDate || start !== writtenStart
  const rules = properties.readAll("RRULE", (line) => [parseRecurrenceRule(line.value)])
  const [dates, exceptions] = [properties.readOccurrences("RDATE"), properties.readExceptions(isAllDay)]
  const replaces = readReplacement(properties)
  const isBusy = !properties.hasOnly("STATUS", "CANCELLED") && !properties.hasOnly("TRANSP", "TRANSPARENT")
  const sequence = readSequence(properties, component.mayHideSequence)
  // Without a readable RECURRENCE-ID, the event belongs to no series.
  const isOrphaned = replaces === undefined && properties.linesOf("RECURRENCE-ID").length > 0
  const uid = isOrphaned ? "" : properties.linesOf("UID")[0]?.value.trim()
  const isSingle = rules.length === 0 && dates.length === 0 && replaces === undefined
  const summaries = properties.linesOf("SUMMARY")
  return {
    lineNumber: component.lineNumber,
    uid: uid === "" ? undefined : uid,
    sequence,
    start,
    seconds,
    isAllDay,
    isBusy,
    isFullyReadable: properties.isFullyReadable,
    rules,
    dates,
    exceptions,
    replaces,
    isUnavailable:
      isAllDay &&
      isSingle &&
      summaries.length === 1 &&
      summaries.every(({ value }) => UNAVAILABLE_SUMMARY_PATTERN.test(value.trim())),
    texts: { summary: readText(properties, "SUMMARY"), description: readText(properties, "DESCRIPTION") }
  }
}
