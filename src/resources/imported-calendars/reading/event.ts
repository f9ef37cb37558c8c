import { type ContentLine, parametersOf } from "./content-lines.ts"
import { DAY_SECONDS } from "./nights.ts"
import type { Component } from "./outline.ts"
import type { Report } from "./report.ts"
import { type Rule, ruleOf } from "./rule.ts"
import { atProperty, type Clocks, onClock, readerOf, type Time } from "./time.ts"
import { durationOf } from "./values.ts"
import { UTC } from "./zones.ts"

// What a VEVENT says of days. Only its start has to be readable: every other unreadable property is reported, and opens nothing.

/** An occurrence that a calendar names by itself, with a length of its own if it has one. */
export interface NamedOccurrence {
  readonly time: Time
  readonly seconds: number | undefined
}

export interface CalendarEvent {
  /** Where it begins in the file. */
  readonly line: number
  readonly uid: string | undefined
  /** Undefined if it is unreadable. */
  readonly sequence: number | undefined
  readonly start: Time
  /** How long it lasts on its own clock. */
  readonly seconds: number
  /** Whether it means days, whatever the zone of the property. */
  readonly isAllDay: boolean
  readonly isBusy: boolean
  /** Whether all of it was read: only then it may take the place of another event, or of an occurrence. */
  readonly isWhole: boolean
  readonly rules: ReadonlyArray<Rule>
  readonly dates: ReadonlyArray<NamedOccurrence>
  readonly exceptions: ReadonlyArray<Time>
  /** The occurrence of another event that this one stands for, and whether for all later ones too. */
  readonly replaces: { readonly time: Time; readonly andLater: boolean } | undefined
  /** Whether it is an all-day block that a marketplace calls not available, and neither repeats nor moves. */
  readonly isUnavailable: boolean
}

/** What Airbnb calls days that it does not sell. Booking.com calls bookings `CLOSED - Not available`: that is not one. */
const UNAVAILABLE = /^(?:airbnb )?\(?not available\)?$/i

/** Reads the properties of one component, and remembers whether all of them were readable. */
class Properties {
  isWhole: boolean
  readonly #component: Component
  readonly #clocks: Clocks
  readonly #report: Report

  constructor(component: Component, clocks: Clocks, report: Report) {
    this.isWhole = component.isWhole
    this.#component = component
    this.#clocks = clocks
    this.#report = report
  }

  fault(clause: string): undefined {
    this.isWhole = false
    this.#report(clause)
  }

  lines(name: string): ReadonlyArray<ContentLine> {
    return this.#component.properties.get(name) ?? []
  }

  /** Returns the readable values of a property, and reports lines with an unreadable one. */
  values<A>(name: string, read: (line: ContentLine) => ReadonlyArray<A | undefined>): ReadonlyArray<A> {
    return this.lines(name).flatMap((line) => {
      const values = read(line)
      const readable = values.filter((value) => value !== undefined)
      if (readable.length < values.length) this.fault(`${name} in line ${line.line} is unreadable`)
      return readable
    })
  }

  /** Returns the readable values of a property that an event may have once. Different ones are reported: one of them is wrong. */
  once<A>(name: string, read: (line: ContentLine) => A | undefined): ReadonlyArray<A> {
    const lines = this.lines(name)
    const different = new Set(lines.map(({ parameters, value }) => `${parameters}:${value.trim()}`))
    if (different.size > 1) this.fault(`${name} in line ${lines[1]?.line} is there twice`)
    return this.values(name, (line) => [read(line)])
  }

  time(line: ContentLine): Time | undefined {
    return readerOf(line, this.#clocks)?.(line.value)
  }

  times(name: string): ReadonlyArray<Time> {
    return this.values(name, (line) => {
      const read = readerOf(line, this.#clocks)
      return line.value.split(",").map((text) => read?.(text))
    })
  }

  /** Returns dates and periods. A period whose end is unreadable lasts as long as its event. */
  occurrences(name: string): ReadonlyArray<NamedOccurrence> {
    return this.values(name, (line) => {
      const read = readerOf(line, this.#clocks)
      return line.value.split(",").map((text): NamedOccurrence | undefined => {
        const [start = "", end] = text.split("/")
        const time = read?.(start)
        if (read === undefined || time === undefined) return undefined
        if (end === undefined) return { time, seconds: undefined }
        const seconds = periodSeconds(time, end, read, this.#clocks)
        if (seconds === undefined) this.fault(`${name} in line ${line.line} is unreadable`)
        return { time, seconds }
      })
    })
  }

  /** Returns whether the property is present and each of its lines has this value. */
  has(name: string, value: string): boolean {
    const lines = this.lines(name)
    return lines.length > 0 && lines.every((line) => line.value.trimEnd().toUpperCase() === value)
  }
}

/** Returns how long a period lasts whose end is a time or a duration; undefined if that is unreadable. */
export const periodSeconds = (
  start: Time,
  text: string,
  read: (text: string) => Time | undefined,
  clocks: Clocks
): number | undefined => {
  const end = read(text)
  return end === undefined ? durationOf(text) : secondsBetween(start, end, clocks)
}

/** Returns how much later one time is than another on the clock of the first, and never less than nothing. */
const secondsBetween = (start: Time, end: Time, clocks: Clocks): number => {
  const areDays = (start.isDate && end.isMidnight) || (start.isMidnight && end.isDate)
  const isFloating = start.clock !== undefined && end.clock === undefined
  const at = isFloating ? { ...end, clock: clocks.property } : end
  const wall = areDays ? end.day * DAY_SECONDS : onClock(at, start.clock, clocks)
  return Math.max(0, (wall ?? end.wall) - start.wall)
}

/**
 * Returns a start without its clock if it begins whole days: programs without all-day events write them from midnight to
 * midnight in UTC, whatever the zone of the property.
 */
export const withoutClockOfDays = (start: Time, seconds: number): Time => {
  const isWholeDays =
    start.clock === UTC && start.wall % DAY_SECONDS === 0 && seconds > 0 && seconds % DAY_SECONDS === 0
  return isWholeDays ? { ...start, clock: undefined } : start
}

const replacementIn = (properties: Properties): CalendarEvent["replaces"] => {
  const [replaced] = properties.once("RECURRENCE-ID", (line) => {
    const range = parametersOf(line)?.get("RANGE")?.toUpperCase()
    const time = properties.time(line)
    if (time === undefined || (range !== undefined && range !== "THISANDFUTURE")) return undefined
    return { time, andLater: range !== undefined }
  })
  return replaced
}

/** Returns the SEQUENCE, 0 without one; undefined if it is unreadable, or may be the line with an unknown name. */
const sequenceIn = (properties: Properties, hasUnknownName: boolean): number | undefined => {
  const [line, another] = properties.lines("SEQUENCE")
  if (line === undefined) return hasUnknownName ? undefined : 0
  const value = line.value.trim()
  if (another === undefined && /^\d{1,10}$/.test(value)) return Number(value)
  return properties.fault(`SEQUENCE in line ${line.line} is unreadable`)
}

/** Reads a VEVENT; undefined if its start is unreadable. */
export const eventOf = (component: Component, clocks: Clocks, report: Report): CalendarEvent | undefined => {
  const properties = new Properties(component, clocks, report)
  const starts = properties.once("DTSTART", (line) => properties.time(line))
  const written = starts.toSorted((one, other) => atProperty(one, clocks) - atProperty(other, clocks))[0]
  if (written === undefined) {
    if (properties.lines("DTSTART").length === 0) report(`VEVENT in line ${component.line} has no DTSTART`)
    return undefined
  }
  const lengths = [
    ...properties.once("DTEND", (line) => properties.time(line)).map((end) => secondsBetween(written, end, clocks)),
    ...properties.once("DURATION", (line) => durationOf(line.value))
  ]
  const seconds = Math.max(0, ...lengths)
  const start = withoutClockOfDays(written, seconds)
  const isAllDay = start.isDate || start !== written
  const rules = properties.values("RRULE", (line) => [ruleOf(line.value)])
  const [dates, exceptions] = [properties.occurrences("RDATE"), properties.times("EXDATE")]
  const replaces = replacementIn(properties)
  const isBusy = !properties.has("STATUS", "CANCELLED") && !properties.has("TRANSP", "TRANSPARENT")
  const sequence = sequenceIn(properties, component.hasUnknownName)
  // An event that stands for an unknown occurrence belongs to no series.
  const isLost = replaces === undefined && properties.lines("RECURRENCE-ID").length > 0
  const uid = isLost ? "" : properties.lines("UID")[0]?.value.trim()
  const isSingle = rules.length === 0 && dates.length === 0 && replaces === undefined
  const summaries = properties.lines("SUMMARY")
  return {
    line: component.line,
    uid: uid === "" ? undefined : uid,
    sequence,
    start,
    seconds,
    isAllDay,
    isBusy,
    isWhole: properties.isWhole,
    rules,
    dates,
    exceptions,
    replaces,
    isUnavailable:
      isAllDay && isSingle && summaries.length === 1 && summaries.every(({ value }) => UNAVAILABLE.test(value.trim()))
  }
}
