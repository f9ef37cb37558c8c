import windowsZones from "cldr-core/supplemental/windowsZones.json" with { type: "json" }
import * as Result from "effect/Result"
import ICAL from "ical.js"
import type { CalendarComponent } from "./component-tree.ts"
import { formatBasicTime, parseTime, parseUtcOffset } from "./date-time-values.ts"
import { DAY_SECONDS } from "./event-nights.ts"
import { parseRecurrenceRule } from "./recurrence-rule.ts"
import type { ReportUnreadablePart } from "./unreadable-part-report.ts"

/** `wall` is a local time and `instant` is UTC, both in seconds since 1970. */
export interface ZoneClock {
  readonly instantOf: (wall: number) => number
  readonly wallOf: (instant: number) => number
  /** False if the zone is unknown and this is the property's clock. */
  readonly isKnown: boolean
}

export const UTC_CLOCK: ZoneClock = { instantOf: (wall) => wall, wallOf: (instant) => instant, isKnown: true }

/**
 * Cached offsets per zone. Each is valid for a quarter of an hour, because offsets change only at the beginning of a
 * quarter.
 */
const OFFSET_CACHE_SIZE = 20_000
const QUARTER_SECONDS = 900

const DATE_TIME_FIELDS = {
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

const makeComputeOffset =
  (format: Intl.DateTimeFormat) =>
  (at: number): number => {
    const parts = new Map(format.formatToParts(at * 1000).map(({ type, value }) => [type, Number(value)]))
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
    const wall = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"))
    return wall / 1000 - at
  }

const makeClock = (computeOffset: (at: number) => number): ZoneClock => {
  const offsets = new Map<number, number>()
  const offsetAt = (at: number): number => {
    const quarter = Math.floor(at / QUARTER_SECONDS) * QUARTER_SECONDS
    const cached = offsets.get(quarter)
    if (cached !== undefined) return cached
    if (offsets.size >= OFFSET_CACHE_SIZE) offsets.clear()
    const seconds = computeOffset(quarter)
    offsets.set(quarter, seconds)
    return seconds
  }
  return {
    // RFC 5545, 3.3.5: a local time that occurs twice means the first one, and a skipped one uses the offset before the
    // gap.
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

const clockCache = new Map<string, ZoneClock>()
/** There are about 600 zones, and the cache may have several spellings of a name. */
const CLOCK_CACHE_SIZE = 1_000

/** Names of UTC itself. Other zones without an offset, such as Africa/Abidjan, are local times. */
const UTC_NAME = /^(?:Etc\/)?(?:UTC|UCT|GMT|GMT[+-]?0|Greenwich|Universal|Zulu)$/i

const findIanaClock = (name: string): ZoneClock | undefined => {
  if (UTC_NAME.test(name)) return UTC_CLOCK
  const cached = clockCache.get(name)
  if (cached !== undefined) return cached
  const format = Result.try(() => new Intl.DateTimeFormat("en-US", { ...DATE_TIME_FIELDS, timeZone: name }))
  if (Result.isFailure(format)) return undefined
  const clock = makeClock(makeComputeOffset(format.success))
  if (clockCache.size >= CLOCK_CACHE_SIZE) clockCache.clear()
  clockCache.set(name, clock)
  return clock
}

/** Keyed by lower-case Windows name. In Unicode CLDR, the territory `001` is the whole world. */
const IANA_NAME_BY_WINDOWS_NAME: ReadonlyMap<string, string> = new Map(
  windowsZones.supplemental.windowsZones.mapTimezones.flatMap(({ mapZone }) =>
    mapZone._territory === "001" ? [[mapZone._other.toLowerCase(), mapZone._type]] : []
  )
)

/** Some programs write a prefix: `/example.com/20270101/Europe/Berlin`. */
const listCandidateNames = (name: string): ReadonlyArray<string> => {
  if (!name.startsWith("/")) return [name]
  const parts = name.split("/")
  return [3, 2, 1].map((count) => parts.slice(-count).join("/"))
}

export const findClock = (name: string): ZoneClock | undefined => {
  for (const each of listCandidateNames(name)) {
    const clock = findIanaClock(IANA_NAME_BY_WINDOWS_NAME.get(each.toLowerCase()) ?? each)
    if (clock !== undefined) return clock
  }
  return undefined
}

const readPropertyText = (component: CalendarComponent, name: string): string =>
  component.properties.get(name)?.[0]?.value.trim() ?? ""

const formatObservance = (component: CalendarComponent): ReadonlyArray<string> | undefined => {
  const start = parseTime(readPropertyText(component, "DTSTART"))
  const [from, to] = [readPropertyText(component, "TZOFFSETFROM"), readPropertyText(component, "TZOFFSETTO")]
  const isReadable = start !== undefined && parseUtcOffset(from) !== undefined && parseUtcOffset(to) !== undefined
  if (!component.isFullyReadable || !isReadable) return undefined
  const rules = component.properties.get("RRULE")?.map(({ value }) => parseRecurrenceRule(value)) ?? []
  const dates = component.properties.get("RDATE")?.flatMap(({ value }) => value.split(",").map(parseTime)) ?? []
  const lines: Array<string> = []
  for (const rule of rules) {
    if (rule === undefined) return undefined
    const count = rule.count === undefined ? "" : `;COUNT=${rule.count}`
    lines.push(`RRULE:${rule.text}${count}${rule.until === undefined ? "" : `;UNTIL=${formatBasicTime(rule.until)}`}`)
  }
  for (const date of dates) {
    if (date === undefined) return undefined
    lines.push(`RDATE${date.isDate ? ";VALUE=DATE" : ""}:${formatBasicTime(date)}`)
  }
  const header = [`DTSTART:${formatBasicTime({ ...start, isDate: false })}`, `TZOFFSETFROM:${from}`, `TZOFFSETTO:${to}`]
  return [`BEGIN:${component.name}`, ...header, ...lines, `END:${component.name}`]
}

const toLibraryTime = (wall: number): ICAL.Time => {
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

const parseTimezoneClock = (component: CalendarComponent): ZoneClock | undefined => {
  const observances = component.components.map(formatObservance)
  if (!component.isFullyReadable || observances.length === 0 || observances.includes(undefined)) return undefined
  const lines = ["BEGIN:VTIMEZONE", "TZID:described", ...observances.flatMap((each) => each ?? []), "END:VTIMEZONE"]
  const timezone = Result.try(() => new ICAL.Timezone({ component: lines.join("\r\n"), tzid: "described" }))
  if (Result.isFailure(timezone)) return undefined
  const offsetAtWall = (wall: number): number => timezone.success.utcOffset(toLibraryTime(wall))
  // The library expands the rules at the first call, which may throw.
  if (Result.isFailure(Result.try(() => offsetAtWall(0)))) return undefined
  return makeClock((at) => {
    const [before, after] = [offsetAtWall(at - DAY_SECONDS), offsetAtWall(at + DAY_SECONDS)]
    // The library expects a local time. At a change of the offset, the new offset applies from the earlier of the two
    // local times.
    return before === after ? before : offsetAtWall(at + Math.min(before, after))
  })
}

const toPrintableName = (name: string): string => name.replace(/[^\x20-\x7e]/g, "?").slice(0, 40)

/**
 * Searches the IANA and Windows names, then the VTIMEZONEs. Reports an unknown zone once and uses the property's clock
 * for it.
 */
export const makeClockLookup = (
  timezones: ReadonlyArray<CalendarComponent>,
  propertyClock: ZoneClock,
  report: ReportUnreadablePart
): ((name: string) => ZoneClock) => {
  const componentsByName = new Map(timezones.map((component) => [readPropertyText(component, "TZID"), component]))
  const clocksByName = new Map<string, ZoneClock>()
  const resolve = (name: string): ZoneClock => {
    const standardClock = findClock(name)
    if (standardClock !== undefined) return standardClock
    const component = componentsByName.get(name)
    if (component !== undefined) {
      const clock = parseTimezoneClock(component) ?? findClock(readPropertyText(component, "X-LIC-LOCATION"))
      if (clock !== undefined) return clock
    }
    report(`the time zone ${toPrintableName(name)} is unknown`)
    return { ...propertyClock, isKnown: false }
  }
  return (name) => {
    const clock = clocksByName.get(name) ?? resolve(name)
    clocksByName.set(name, clock)
    return clock
  }
}
