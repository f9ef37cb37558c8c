import { type ContentLine, parseParameters } from "./content-lines.ts"
import { parseTime, type WrittenTime } from "./date-time-values.ts"
import { DAY_SECONDS, timeOfDay } from "./event-nights.ts"
import { isExtensionName } from "./ical-names.ts"
import { UTC_CLOCK, type ZoneClock } from "./zone-clocks.ts"

// Times of a calendar with the clock they are read by.

export interface CalendarTime {
  readonly isDate: boolean
  /** Seconds since 1970 as `clock` shows them; without one, as the property's clock does, wherever that is. */
  readonly wall: number
  readonly clock: ZoneClock | undefined
  /** The day as it is written, since 1970. */
  readonly day: number
  /** Whether it is written as a midnight, or as a date. */
  readonly isMidnight: boolean
}

export interface CalendarClocks {
  readonly propertyClock: ZoneClock
  readonly findByName: (name: string) => ZoneClock
}

/** Parameters that a time may have. Any other parameter may be a broken TZID. */
const TIME_PARAMETERS = new Set(["TZID", "VALUE", "RANGE", "FBTYPE"])

/** Returns a reader for the times of a line; undefined if its parameters are unreadable. */
export const makeTimeReader = (
  line: ContentLine,
  clocks: CalendarClocks
): ((text: string) => CalendarTime | undefined) | undefined => {
  const parameters = parseParameters(line)
  if (parameters === undefined) return undefined
  for (const name of parameters.keys()) if (!TIME_PARAMETERS.has(name) && !isExtensionName(name)) return undefined
  const zone = parameters.get("TZID") ?? ""
  return (text) => {
    const written = parseTime(text)
    return written === undefined ? undefined : toCalendarTime(written, zone, clocks)
  }
}

const toCalendarTime = (
  { isDate, wall, utcOffset }: WrittenTime,
  zone: string,
  clocks: CalendarClocks
): CalendarTime => {
  const day = Math.floor(wall / DAY_SECONDS)
  const isMidnight = timeOfDay(wall) === 0
  if (isDate) return { isDate, wall, clock: undefined, day, isMidnight }
  if (utcOffset !== undefined) return { isDate, wall: wall - utcOffset, clock: UTC_CLOCK, day, isMidnight }
  return { isDate, wall, clock: zone === "" ? undefined : clocks.findByName(zone), day, isMidnight }
}

/** Returns what the property's clock shows at a time. */
export const wallAtProperty = (
  { wall, clock }: Pick<CalendarTime, "wall" | "clock">,
  { propertyClock }: CalendarClocks
): number => (clock === undefined ? wall : propertyClock.wallOf(clock.instantOf(wall)))

/**
 * Returns the calendar day that a time means in an all-day series, as a date. Undefined if it is neither a midnight as it is
 * written, as Exchange names days, nor a midnight of the property written in UTC: then it may mean the day before or after.
 */
export const toAllDayDate = (time: CalendarTime, clocks: CalendarClocks): CalendarTime | undefined => {
  const wall = time.isMidnight ? time.day * DAY_SECONDS : wallAtProperty(time, clocks)
  if (timeOfDay(wall) !== 0 || (!time.isMidnight && time.clock !== UTC_CLOCK)) return undefined
  return { isDate: true, wall, clock: undefined, day: wall / DAY_SECONDS, isMidnight: true }
}

/**
 * Returns what another clock shows at a time. Undefined if the zones differ and one of them is unknown: a time on a stand-in
 * clock does not name an occurrence on another clock.
 */
export const wallOnClock = (
  time: CalendarTime,
  clock: ZoneClock | undefined,
  clocks: CalendarClocks
): number | undefined => {
  if (time.clock === undefined || time.clock === clock) return time.wall
  if (!time.clock.isKnown || clock?.isKnown === false) return undefined
  return clock === undefined ? wallAtProperty(time, clocks) : clock.wallOf(time.clock.instantOf(time.wall))
}
