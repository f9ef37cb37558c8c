import windowsZones from "cldr-core/supplemental/windowsZones.json" with { type: "json" }
import * as Result from "effect/Result"
import ICAL from "ical.js"
import type { Component } from "./outline.ts"
import type { Report } from "./report.ts"
import { ruleOf } from "./rule.ts"
import { basicOf, offsetOf, timeOf } from "./values.ts"

// Time zones by their names, as the runtime, the table of Windows names or the calendar itself knows them.

/** The clock of a zone. Walls are seconds since 1970 as it shows them, instants are seconds since 1970. */
export interface Clock {
  readonly instantOf: (wall: number) => number
  readonly wallOf: (instant: number) => number
  /** False for a zone that nobody knows: the clock of the property stands in for it. */
  readonly isKnown: boolean
}

export const UTC: Clock = { instantOf: (wall) => wall, wallOf: (instant) => instant, isKnown: true }

/** Beginnings of quarters of an hour that are remembered of a zone: rules of zones change at none but these. */
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

const clockBy = (format: Intl.DateTimeFormat): Clock => {
  const known = new Map<number, number>()
  const reckon = (at: number): number => {
    const parts = new Map(format.formatToParts(at * 1000).map(({ type, value }) => [type, Number(value)]))
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
    const wall = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"))
    return wall / 1000 - at
  }
  const ahead = (at: number): number => {
    const quarter = Math.floor(at / QUARTER_SECONDS) * QUARTER_SECONDS
    const remembered = known.get(quarter)
    if (remembered !== undefined) return remembered
    if (known.size >= REMEMBERED) known.clear()
    const seconds = reckon(quarter)
    known.set(quarter, seconds)
    return seconds
  }
  return {
    // The second answer is for the instant that is meant, also beside a change of the clocks.
    instantOf: (wall) => wall - ahead(wall - ahead(wall)),
    wallOf: (instant) => instant + ahead(instant),
    isKnown: true
  }
}

const clocks = new Map<string, Clock>()
/** Clocks that are remembered: there are some six hundred zones, and names differ in their case. */
const NAMES = 1_000

const ianaClock = (name: string): Clock | undefined => {
  const remembered = clocks.get(name)
  if (remembered !== undefined) return remembered
  const format = Result.try(() => new Intl.DateTimeFormat("en-US", { ...FIELDS, timeZone: name }))
  if (Result.isFailure(format)) return undefined
  const clock = clockBy(format.success)
  if (clocks.size >= NAMES) clocks.clear()
  clocks.set(name, clock)
  return clock
}

/** The zone of each Windows name where its territory does not matter (Unicode CLDR). */
const IANA_OF_WINDOWS: ReadonlyMap<string, string> = new Map(
  windowsZones.supplemental.windowsZones.mapTimezones.flatMap(({ mapZone }) =>
    mapZone._territory === "001" ? [[mapZone._other.toLowerCase(), mapZone._type]] : []
  )
)

/** The names that a name may stand for: some programs write `/example.com/20270101/Europe/Berlin`. */
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

/** Writes STANDARD or DAYLIGHT anew, with nothing but readable values; undefined if one of them is unreadable. */
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

/** Returns the clock that a VTIMEZONE describes; undefined if any part of it is unreadable, or it describes none. */
const clockDescribed = (component: Component): Clock | undefined => {
  const observances = component.components.map(observanceOf)
  if (!component.isWhole || observances.length === 0 || observances.includes(undefined)) return undefined
  const lines = ["BEGIN:VTIMEZONE", "TZID:described", ...observances.flatMap((each) => each ?? []), "END:VTIMEZONE"]
  const parsed = Result.try(() => new ICAL.Timezone({ component: lines.join("\r\n"), tzid: "described" }))
  if (Result.isFailure(parsed)) return undefined
  const ahead = (wall: number): number => {
    const at = new Date(wall * 1000)
    return parsed.success.utcOffset(
      ICAL.Time.fromData({
        year: at.getUTCFullYear(),
        month: at.getUTCMonth() + 1,
        day: at.getUTCDate(),
        hour: at.getUTCHours(),
        minute: at.getUTCMinutes(),
        second: at.getUTCSeconds()
      })
    )
  }
  // The library expands rules when it is first asked, and may find then that it cannot.
  if (Result.isFailure(Result.try(() => ahead(0)))) return undefined
  return {
    instantOf: (wall) => wall - ahead(wall),
    wallOf: (instant) => instant + ahead(instant + ahead(instant)),
    isKnown: true
  }
}

/** A name for a report: of zones that nobody knows, and so of any text. */
const shown = (name: string): string => name.replace(/[^\x20-\x7e]/g, "?").slice(0, 40)

/**
 * Returns how a calendar names clocks. A name that the runtime or the table of Windows names knows is that zone. Any other is
 * what the calendar describes in a VTIMEZONE. An unknown zone is reported, and its times are read on the property's clock.
 */
export const clocksOf = (
  timezones: ReadonlyArray<Component>,
  property: Clock,
  report: Report
): ((name: string) => Clock) => {
  const described = new Map(timezones.map((component) => [textIn(component, "TZID"), component]))
  const resolved = new Map<string, Clock>()
  const resolve = (name: string): Clock => {
    const known = clockNamed(name)
    if (known !== undefined) return known
    const component = described.get(name)
    if (component !== undefined) {
      const clock = clockDescribed(component) ?? clockNamed(textIn(component, "X-LIC-LOCATION"))
      if (clock !== undefined) return clock
    }
    report(`the time zone ${shown(name)} is unknown`)
    return { ...property, isKnown: false }
  }
  return (name) => {
    const clock = resolved.get(name) ?? resolve(name)
    resolved.set(name, clock)
    return clock
  }
}
