import { type ContentLine, parametersOf } from "./content-lines.ts"
import { isExtension } from "./names.ts"
import { DAY_SECONDS, timeOfDay } from "./nights.ts"
import { timeOf, type WrittenTime } from "./values.ts"
import { type Clock, UTC } from "./zones.ts"

// Times of a calendar with the clock they are read by.

export interface Time {
  readonly isDate: boolean
  /** Seconds since 1970 as `clock` shows them; without one, as the property's clock does, wherever that is. */
  readonly wall: number
  readonly clock: Clock | undefined
  /** The day as it is written, since 1970. */
  readonly day: number
  /** Whether it is written as a midnight, or as a date. */
  readonly isMidnight: boolean
}

export interface Clocks {
  readonly property: Clock
  readonly named: (name: string) => Clock
}

/** Parameters that a time may have. Any other parameter may be a broken TZID. */
const PARAMETERS = new Set(["TZID", "VALUE", "RANGE", "FBTYPE"])

/** Returns a reader for the times of a line; undefined if its parameters are unreadable. */
export const readerOf = (line: ContentLine, clocks: Clocks): ((text: string) => Time | undefined) | undefined => {
  const parameters = parametersOf(line)
  if (parameters === undefined) return undefined
  for (const name of parameters.keys()) if (!PARAMETERS.has(name) && !isExtension(name)) return undefined
  const zone = parameters.get("TZID") ?? ""
  return (text) => {
    const written = timeOf(text)
    return written === undefined ? undefined : timeAt(written, zone, clocks)
  }
}

const timeAt = ({ isDate, wall, ahead }: WrittenTime, zone: string, clocks: Clocks): Time => {
  const day = Math.floor(wall / DAY_SECONDS)
  const isMidnight = timeOfDay(wall) === 0
  if (isDate) return { isDate, wall, clock: undefined, day, isMidnight }
  if (ahead !== undefined) return { isDate, wall: wall - ahead, clock: UTC, day, isMidnight }
  return { isDate, wall, clock: zone === "" ? undefined : clocks.named(zone), day, isMidnight }
}

/** Returns what the property's clock shows at a time. */
export const atProperty = ({ wall, clock }: Pick<Time, "wall" | "clock">, { property }: Clocks): number =>
  clock === undefined ? wall : property.wallOf(clock.instantOf(wall))

/**
 * Returns the calendar day that a time means in an all-day series, as a date. Undefined if it is neither a midnight as it is
 * written, as Exchange names days, nor a midnight of the property written in UTC: then it may mean the day before or after.
 */
export const dateMeantBy = (time: Time, clocks: Clocks): Time | undefined => {
  const wall = time.isMidnight ? time.day * DAY_SECONDS : atProperty(time, clocks)
  if (timeOfDay(wall) !== 0 || (!time.isMidnight && time.clock !== UTC)) return undefined
  return { isDate: true, wall, clock: undefined, day: wall / DAY_SECONDS, isMidnight: true }
}

/**
 * Returns what another clock shows at a time. Undefined if the zones differ and one of them is unknown: a time on a stand-in
 * clock does not name an occurrence on another clock.
 */
export const onClock = (time: Time, clock: Clock | undefined, clocks: Clocks): number | undefined => {
  if (time.clock === undefined || time.clock === clock) return time.wall
  if (!time.clock.isKnown || clock?.isKnown === false) return undefined
  return clock === undefined ? atProperty(time, clocks) : clock.wallOf(time.clock.instantOf(time.wall))
}
