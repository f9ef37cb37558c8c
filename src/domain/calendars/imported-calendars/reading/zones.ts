import windowsZones from "cldr-core/supplemental/windowsZones.json" with { type: "json" }
import * as Result from "effect/Result"
import ICAL from "ical.js"
import { DAY_SECONDS } from "./nights.ts"
import type { Component } from "./outline.ts"
import type { Report } from "./report.ts"
import { ruleOf } from "./rule.ts"
import { basicOf, offsetOf, timeOf } from "./values.ts"

// Finds time zones by name: in the runtime, in the table of Windows names, and in the calendar itself.

/** The clock of a zone. Walls are seconds since 1970 as it shows them, instants are seconds since 1970. */
export interface Clock {
  readonly instantOf: (wall: number) => number
  readonly wallOf: (instant: number) => number
  /** False for an unknown zone: the clock of the property stands in for it. */
  readonly isKnown: boolean
}

export const UTC: Clock = { instantOf: (wall) => wall, wallOf: (instant) => instant, isKnown: true }

/** Quarters of an hour whose offset is remembered, for each zone. Offsets change only at the beginning of a quarter. */
const REMEMBERED = 20_000
const QUARTER_SECONDS = 900

const FIELDS = {
  calendar: "iso8601",
  numberingSystem: "latn",
  hourCycle: "h23",
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  second: "numeric"
} as const

/** Returns a function that computes how many seconds the clock of a zone is ahead of UTC at an instant. */
const offsetsBy =
  (format: Intl.DateTimeFormat) =>
  (at: number): number => {
    const parts = new Map(format.formatToParts(at * 1000).map(({ type, value }) => [type, Number(value)]))
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
    const wall = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"))
    return wall / 1000 - at
  }

const clockBy = (computeOffset: (at: number) => number): Clock => {
  const offsets = new Map<number, number>()
  const offsetAt = (at: number): number => {
    const quarter = Math.floor(at / QUARTER_SECONDS) * QUARTER_SECONDS
    const remembered = offsets.get(quarter)
    if (remembered !== undefined) return remembered
    if (offsets.size >= REMEMBERED) offsets.clear()
    const seconds = computeOffset(quarter)
    offsets.set(quarter, seconds)
    return seconds
  }
  return {
    // A wall that the clock shows twice is the first one, and one that it skips counts by the offset before the gap (RFC 5545,
    // 3.3.5).
    instantOf: (wall) => {
      const before = offsetAt(wall - DAY_SECONDS)
      if (offsetAt(wall - before) === before) return wall - before
      const after = offsetAt(wall + DAY_SECONDS)
      return wall - (offsetAt(wall - after) === after ? after : before)
    },
    wallOf: (instant) => instant + offsetAt(instant),
    isKnown: true
  }
}

const clocks = new Map<string, Clock>()
/** Clocks that are remembered. There are about six hundred zones, and names may differ in their case. */
const NAMES = 1_000

/** Names of UTC itself. Other zones without an offset, such as Africa/Abidjan, are places. */
const UTC_NAME = /^(?:Etc\/)?(?:UTC|UCT|GMT|GMT[+-]?0|Greenwich|Universal|Zulu)$/i

const ianaClock = (name: string): Clock | undefined => {
  if (UTC_NAME.test(name)) return UTC
  const remembered = clocks.get(name)
  if (remembered !== undefined) return remembered
  const format = Result.try(() => new Intl.DateTimeFormat("en-US", { ...FIELDS, timeZone: name }))
  if (Result.isFailure(format)) return undefined
  const clock = clockBy(offsetsBy(format.success))
  if (clocks.size >= NAMES) clocks.clear()
  clocks.set(name, clock)
  return clock
}

/** IANA names by Windows names in lower case, for the territory `001`: the whole world (Unicode CLDR). */
const IANA_OF_WINDOWS: ReadonlyMap<string, string> = new Map(
  windowsZones.supplemental.windowsZones.mapTimezones.flatMap(({ mapZone }) =>
    mapZone._territory === "001" ? [[mapZone._other.toLowerCase(), mapZone._type]] : []
  )
)

/** Returns the names that a TZID may contain: some programs write `/example.com/20270101/Europe/Berlin`. */
const namesIn = (name: string): ReadonlyArray<string> => {
  if (!name.startsWith("/")) return [name]
  const parts = name.split("/")
  return [3, 2, 1].map((count) => parts.slice(-count).join("/"))
}

/** Returns the clock of a zone by its IANA or Windows name; undefined if the name is neither. */
export const clockNamed = (name: string): Clock | undefined => {
  for (const each of namesIn(name)) {
    const clock = ianaClock(IANA_OF_WINDOWS.get(each.toLowerCase()) ?? each)
    if (clock !== undefined) return clock
  }
  return undefined
}

const textIn = (component: Component, name: string): string => component.properties.get(name)?.[0]?.value.trim() ?? ""

/** Returns the lines of STANDARD or DAYLIGHT with checked values; undefined if a value is unreadable. */
const observanceOf = (component: Component): ReadonlyArray<string> | undefined => {
  const start = timeOf(textIn(component, "DTSTART"))
  const [from, to] = [textIn(component, "TZOFFSETFROM"), textIn(component, "TZOFFSETTO")]
  const isReadable = start !== undefined && offsetOf(from) !== undefined && offsetOf(to) !== undefined
  if (!component.isWhole || !isReadable) return undefined
  const rules = component.properties.get("RRULE")?.map(({ value }) => ruleOf(value)) ?? []
  const dates = component.properties.get("RDATE")?.flatMap(({ value }) => value.split(",").map(timeOf)) ?? []
  const lines: Array<string> = []
  for (const rule of rules) {
    if (rule === undefined) return undefined
    const count = rule.count === undefined ? "" : `;COUNT=${rule.count}`
    lines.push(`RRULE:${rule.text}${count}${rule.until === undefined ? "" : `;UNTIL=${basicOf(rule.until)}`}`)
  }
  for (const date of dates) {
    if (date === undefined) return undefined
    lines.push(`RDATE${date.isDate ? ";VALUE=DATE" : ""}:${basicOf(date)}`)
  }
  const own = [`DTSTART:${basicOf({ ...start, isDate: false })}`, `TZOFFSETFROM:${from}`, `TZOFFSETTO:${to}`]
  return [`BEGIN:${component.name}`, ...own, ...lines, `END:${component.name}`]
}

/** Returns a time of `ical.js` that shows the same date and hour, without a zone. */
const libraryTime = (wall: number): ICAL.Time => {
  const at = new Date(wall * 1000)
  return ICAL.Time.fromData({
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
    isDate: false
  })
}

/** Returns the clock that a VTIMEZONE describes; undefined if it is empty, or unreadable in part. */
const clockDescribed = (component: Component): Clock | undefined => {
  const observances = component.components.map(observanceOf)
  if (!component.isWhole || observances.length === 0 || observances.includes(undefined)) return undefined
  const lines = ["BEGIN:VTIMEZONE", "TZID:described", ...observances.flatMap((each) => each ?? []), "END:VTIMEZONE"]
  const timezone = Result.try(() => new ICAL.Timezone({ component: lines.join("\r\n"), tzid: "described" }))
  if (Result.isFailure(timezone)) return undefined
  const offsetAtWall = (wall: number): number => timezone.success.utcOffset(libraryTime(wall))
  // The library expands the rules at the first call, and may fail then.
  if (Result.isFailure(Result.try(() => offsetAtWall(0)))) return undefined
  return clockBy((at) => {
    const [before, after] = [offsetAtWall(at - DAY_SECONDS), offsetAtWall(at + DAY_SECONDS)]
    // The library takes walls, and changes the offset at the earlier one of the two walls of a change.
    return before === after ? before : offsetAtWall(at + Math.min(before, after))
  })
}

/** Returns the name of an unknown zone for a report: printable ASCII, at most 40 characters, since it may be any text. */
const printableName = (name: string): string => name.replace(/[^\x20-\x7e]/g, "?").slice(0, 40)

/**
 * Returns a function that finds the clock of a TZID. It looks in the runtime and in the table of Windows names first, then in
 * the VTIMEZONEs of the calendar. It reports an unknown zone once, and returns the property's clock for it.
 */
export const clocksOf = (
  timezones: ReadonlyArray<Component>,
  property: Clock,
  report: Report
): ((name: string) => Clock) => {
  const componentsByName = new Map(timezones.map((component) => [textIn(component, "TZID"), component]))
  const clocksByName = new Map<string, Clock>()
  const resolve = (name: string): Clock => {
    const known = clockNamed(name)
    if (known !== undefined) return known
    const component = componentsByName.get(name)
    if (component !== undefined) {
      const clock = clockDescribed(component) ?? clockNamed(textIn(component, "X-LIC-LOCATION"))
      if (clock !== undefined) return clock
    }
    report(`the time zone ${printableName(name)} is unknown`)
    return { ...property, isKnown: false }
  }
  return (name) => {
    const clock = clocksByName.get(name) ?? resolve(name)
    clocksByName.set(name, clock)
    return clock
  }
}
