import { type ContentLine, parseParameters } from "./content-lines.ts"
import { parseTime, type WrittenTime } from "./date-time-values.ts"
import { DAY_SECONDS, timeOfDay } from "./event-nights.ts"
import { isExtensionName } from "./ical-names.ts"
import { UTC_CLOCK, type ZoneClock } from "./zone-clocks.ts"

export interface CalendarTime {
  readonly isDate: boolean
  /** Local time in seconds since 1970, on `clock`. Without `clock`, on the property's clock. */
  readonly wall: number
  readonly clock: ZoneClock | undefined
  /** The date as written, in days since 1970. */
  readonly day: number
  readonly isMidnight: boolean
}

export interface CalendarClocks {
  readonly propertyClock: ZoneClock
  readonly findByName: (name: string) => ZoneClock
}

/** Any other parameter may be a misspelt TZID. */
const TIME_PARAMETERS = new Set(["TZID", "VALUE", "RANGE", "FBTYPE"])

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

export const wallAtProperty = (
  { wall, clock }: Pick<CalendarTime, "wall" | "clock">,
  { propertyClock }: CalendarClocks
): number => (clock === undefined ? wall : propertyClock.wallOf(clock.instantOf(wall)))

/**
 * Returns the date that a time in an all-day series means: a midnight as written, which Exchange uses for dates, or a
 * UTC time that is midnight at the property. Returns undefined for other times, because their date is uncertain.
 */
export const toAllDayDate = (time: CalendarTime, clocks: CalendarClocks): CalendarTime | undefined => {
  const wall = time.isMidnight ? time.day * DAY_SECONDS : wallAtProperty(time, clocks)
  if (timeOfDay(wall) !== 0 || (!time.isMidnight && time.clock !== UTC_CLOCK)) return undefined
  return { isDate: true, wall, clock: undefined, day: wall / DAY_SECONDS, isMidnight: true }
}

/** Returns undefined if the zones differ and one of them is unknown, because the time then identifies no occurrence. */
export const wallOnClock = (
  time: CalendarTime,
  clock: ZoneClock | undefined,
  clocks: CalendarClocks
): number | undefined => {
  if (time.clock === undefined || time.clock === clock) return time.wall
  if (!time.clock.isKnown || clock?.isKnown === false) return undefined
  return clock === undefined ? wallAtProperty(time, clocks) : clock.wallOf(time.clock.instantOf(time.wall))
}
