import * as Result from "effect/Result"
import ICAL from "ical.js"
import { dayStart, timeOf, type WrittenTime } from "./values.ts"

// Rules of repetition (RFC 5545, 3.3.10). The library expands them; whether one can be read is checked here, since the library
// takes garbage in many parts of a rule for another rule.

export interface Rule {
  /** The rule without its end. */
  readonly text: string
  readonly count: number | undefined
  readonly until: WrittenTime | undefined
}

const numberListOf = (pattern: string): RegExp => new RegExp(`^(?:${pattern})(?:,(?:${pattern}))*$`)
const WEEKDAY = "(?:SU|MO|TU|WE|TH|FR|SA)"

const PARTS: Readonly<Record<string, RegExp>> = {
  FREQ: /^(?:SECONDLY|MINUTELY|HOURLY|DAILY|WEEKLY|MONTHLY|YEARLY)$/,
  INTERVAL: /^0*[1-9]\d{0,5}$/,
  BYSECOND: numberListOf("[0-5]?\\d|60"),
  BYMINUTE: numberListOf("[0-5]?\\d"),
  BYHOUR: numberListOf("[01]?\\d|2[0-3]"),
  BYDAY: numberListOf(`(?:[+-]?(?:0?[1-9]|[1-4]\\d|5[0-3]))?${WEEKDAY}`),
  BYMONTHDAY: numberListOf("[+-]?(?:0?[1-9]|[12]\\d|3[01])"),
  BYYEARDAY: numberListOf("[+-]?0*(?:[1-9]|[1-9]\\d|[12]\\d\\d|3[0-5]\\d|36[0-6])"),
  BYWEEKNO: numberListOf("[+-]?(?:0?[1-9]|[1-4]\\d|5[0-3])"),
  BYMONTH: numberListOf("0?[1-9]|1[0-2]"),
  BYSETPOS: numberListOf("[+-]?0*(?:[1-9]|[1-9]\\d|[12]\\d\\d|3[0-5]\\d|36[0-6])"),
  WKST: new RegExp(`^${WEEKDAY}$`)
}

/** Reads a rule; undefined if any part of it is unreadable, or of another standard. */
export const ruleOf = (value: string): Rule | undefined => {
  const parts = new Map<string, string>()
  for (const part of value.trim().split(";")) {
    if (part.trim() === "") continue
    const [, name = "", text = ""] = /^[ \t]*([A-Za-z]+)[ \t]*=([^=]*)$/.exec(part) ?? []
    if (parts.has(name.toUpperCase())) return undefined
    parts.set(name.toUpperCase(), text)
  }
  const [count, until] = [parts.get("COUNT"), parts.get("UNTIL")]
  parts.delete("COUNT")
  parts.delete("UNTIL")
  const last = until === undefined ? undefined : timeOf(until)
  if (until !== undefined && last === undefined) return undefined
  if (count !== undefined && !/^0*[1-9]\d{0,8}$/.test(count)) return undefined
  const isReadable = Array.from(parts).every(([name, text]) => PARTS[name]?.test(text.toUpperCase()) === true)
  if (!isReadable || !parts.has("FREQ")) return undefined
  const text = Array.from(parts, (part) => part.join("=").toUpperCase()).join(";")
  return { text, count: count === undefined ? undefined : Number(count), until: last }
}

/** The bounds of an expansion, as seconds since 1970 on the clock of the series. */
export interface Search {
  readonly soonest: number
  readonly latest: number
  readonly isAfterEnd: (wall: number) => boolean
  /** How many more occurrences may be looked at. */
  readonly left: { occurrences: number }
}

export interface SeriesStart {
  readonly isDate: boolean
  readonly wall: number
}

/** Returns seconds since 1970 as the clock of a time shows them. */
const wallOf = (time: ICAL.Time): number =>
  dayStart(time.year, time.month, time.day) + (time.isDate ? 0 : time.hour * 3600 + time.minute * 60 + time.second)

/** Returns a time of `ical.js` that shows the same date and hour, without a zone. */
export const libraryTime = ({ wall, isDate }: SeriesStart): ICAL.Time => {
  const at = new Date(wall * 1000)
  return ICAL.Time.fromData({
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
    isDate
  })
}

const isDayOfMonth = (wanted: number, { year, month, day }: ICAL.Time): boolean =>
  day === (wanted > 0 ? wanted : ICAL.Time.daysInMonth(month, year) + 1 + wanted)

const NAMING_DAYS = ["BYDAY", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO"]

/**
 * Returns whether a rule can mean the day of a time. A day that a month does not have is to be ignored (RFC 5545, 3.3.10): the library
 * takes one of the next month instead.
 */
const canMean = ({ freq, parts }: ICAL.Recur, start: ICAL.Time, time: ICAL.Time): boolean => {
  const isOwnDay = (freq === "YEARLY" || freq === "MONTHLY") && !NAMING_DAYS.some((part) => part in parts)
  const months = parts.BYMONTH ?? (freq === "YEARLY" && isOwnDay ? [start.month] : undefined)
  const days = parts.BYMONTHDAY ?? (isOwnDay ? [start.day] : undefined)
  if (months !== undefined && !months.some((month) => Number(month) === time.month)) return false
  return days === undefined || days.some((day) => isDayOfMonth(Number(day), time))
}

/** Parts by which a rule of years may pick days, beside its days of the month. */
const PICKING = ["BYDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS"]

/**
 * Returns whether a rule of years means days of the month in each month, or in the months that are named. Asked by years the library
 * looks at the first month alone if none is named, and loses some days that are counted from the end.
 */
const isByMonth = (rule: ICAL.Recur): boolean =>
  rule.freq === "YEARLY" &&
  rule.interval === 1 &&
  (rule.parts.BYMONTHDAY ?? []).some((day) => Number(day) < 0 || !("BYMONTH" in rule.parts)) &&
  !PICKING.some((part) => part in rule.parts)

/**
 * Returns the occurrences of a rule from `soonest` to `latest`, as walls; undefined if there are too many to look at. COUNT is
 * applied here, since the library also counts days that a month does not have. Fails if the library cannot expand the rule.
 */
export const expand = (
  { text, count }: Rule,
  start: SeriesStart,
  { soonest, latest, isAfterEnd, left }: Search
): Result.Result<ReadonlyArray<number> | undefined, unknown> =>
  Result.try(() => {
    const walls: Array<number> = []
    const rule = ICAL.Recur.fromString(text)
    if (isByMonth(rule)) rule.freq = "MONTHLY"
    const first = libraryTime(start)
    let counted = 0
    const iterator = rule.iterator(first)
    for (let next = iterator.next(); next; next = iterator.next()) {
      left.occurrences -= 1
      if (left.occurrences < 0) return undefined
      const wall = wallOf(next)
      if (wall > latest || isAfterEnd(wall)) break
      if (wall !== start.wall && !canMean(rule, first, next)) continue
      if (wall >= soonest) walls.push(wall)
      counted += 1
      if (counted === count) break
    }
    return walls
  })
