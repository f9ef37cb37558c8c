import { CALENDAR_FEED_OCCURRENCES_MAX } from "../../../../platform/limits.ts"
import type { CalendarEvent } from "./calendar-event.ts"
import { type CalendarClocks, type CalendarTime, wallAtProperty, wallOnClock } from "./calendar-time.ts"
import { DAY_SECONDS, type NightSpan, nightsBetween, timeOfDay } from "./event-nights.ts"
import { expandRecurrence } from "./recurrence-expansion.ts"
import type { RecurrenceRule } from "./recurrence-rule.ts"

export interface ReadContext {
  readonly clocks: CalendarClocks
  /** Days since 1970. */
  readonly first: number
  readonly last: number
  readonly remaining: { occurrences: number }
}

export const REPEATS_TOO_OFTEN_REASON = `it repeats too often: more than ${CALENDAR_FEED_OCCURRENCES_MAX} occurrences would have to be read`

const MAX_ZONE_DIFFERENCE = 2 * DAY_SECONDS

const MINUTE_SECONDS = 60

/** Some programs end whole days a minute before midnight. */
const areWholeDays = (wall: number, seconds: number): boolean =>
  timeOfDay(wall) === 0 && seconds > 0 && timeOfDay(wall + seconds + MINUTE_SECONDS) <= MINUTE_SECONDS

/**
 * An event after the horizon gives a span after `last`, which blocks no day but shows that the feed reaches further.
 */
export const nightsOfOccurrence = (
  time: Pick<CalendarTime, "wall" | "clock">,
  seconds: number,
  { clocks, first, last }: ReadContext
): ReadonlyArray<NightSpan> => {
  const { wall, clock } = time
  if (wall + seconds < first * DAY_SECONDS - MAX_ZONE_DIFFERENCE) return []
  if (wall > (last + 1) * DAY_SECONDS + MAX_ZONE_DIFFERENCE) return [{ from: last + 1, before: last + 2 }]
  const start = wallAtProperty(time, clocks)
  // Whole days in another zone have no check-in time.
  const arrival = areWholeDays(wall, seconds) ? 0 : timeOfDay(start)
  return [nightsBetween(start, wallAtProperty({ wall: wall + seconds, clock }, clocks), arrival)]
}

interface Occurrence {
  readonly time: Pick<CalendarTime, "wall" | "clock">
  /** Start in local time of the series. Undefined if unknown. */
  readonly wall: number | undefined
  readonly seconds: number
}

interface Exceptions {
  readonly days: ReadonlySet<number>
  readonly walls: ReadonlySet<number>
}

const exceptionsOf = (
  { start, isAllDay }: CalendarEvent,
  times: ReadonlyArray<CalendarTime>,
  clocks: CalendarClocks
): Exceptions => ({
  // Exchange writes dates as midnights, in a zone or in UTC.
  days: new Set(times.flatMap(({ isDate, day }) => (isDate || isAllDay ? [day] : []))),
  walls: new Set(
    times.flatMap((time) => {
      const wall = time.isDate || isAllDay ? undefined : wallOnClock(time, start.clock, clocks)
      return wall === undefined ? [] : [wall]
    })
  )
})

const isExcluded = ({ days, walls }: Exceptions, wall: number | undefined): boolean =>
  wall !== undefined && (walls.has(wall) || days.has(Math.floor(wall / DAY_SECONDS)))

/** Change of all occurrences from `from` on, by a RECURRENCE-ID with THISANDFUTURE. */
interface Shift {
  readonly from: number
  readonly offsetSeconds: number
  readonly seconds: number
  readonly isBusy: boolean
}

const shiftsOf = (
  event: CalendarEvent,
  replacements: ReadonlyArray<CalendarEvent>,
  clocks: CalendarClocks
): ReadonlyArray<Shift> =>
  replacements
    .flatMap(({ replaces, start, seconds, isBusy }): ReadonlyArray<Shift> => {
      if (replaces === undefined || !replaces.andLater) return []
      const from = event.isAllDay
        ? replaces.time.day * DAY_SECONDS
        : wallOnClock(replaces.time, event.start.clock, clocks)
      const to = wallOnClock(start, event.start.clock, clocks)
      return from === undefined || to === undefined ? [] : [{ from, offsetSeconds: to - from, seconds, isBusy }]
    })
    .toSorted((one, other) => one.from - other.from)

/** If UNTIL can mean two days, the later one counts. */
const makeIsAfterEnd = (
  { until }: RecurrenceRule,
  { start, isAllDay }: CalendarEvent,
  clocks: CalendarClocks
): ((wall: number) => boolean) => {
  if (until === undefined) return () => false
  const day = Math.floor(until.wall / DAY_SECONDS)
  if (until.isDate) return (wall) => wall >= (day + 1) * DAY_SECONDS
  const instant = until.utcOffset === undefined ? undefined : until.wall - until.utcOffset
  if (isAllDay) {
    const dayAtProperty = instant === undefined ? day : Math.floor(clocks.propertyClock.wallOf(instant) / DAY_SECONDS)
    return (wall) => wall >= (Math.max(day, dayAtProperty) + 1) * DAY_SECONDS
  }
  const last = instant === undefined ? until.wall : (start.clock ?? clocks.propertyClock).wallOf(instant)
  return (wall) => wall > last
}

const expandRule = (event: CalendarEvent, rule: RecurrenceRule, maxShiftSeconds: number, context: ReadContext) =>
  expandRecurrence(rule, event.start, {
    soonest: context.first * DAY_SECONDS - MAX_ZONE_DIFFERENCE - maxShiftSeconds - event.seconds,
    latest: (context.last + 1) * DAY_SECONDS + MAX_ZONE_DIFFERENCE + maxShiftSeconds,
    isAfterEnd: makeIsAfterEnd(rule, event, context.clocks),
    remaining: context.remaining
  })

const toRdateOccurrences = (event: CalendarEvent, clocks: CalendarClocks): ReadonlyArray<Occurrence> =>
  event.dates.map(({ time, seconds = event.seconds }) => {
    if (event.isAllDay && time.isMidnight) {
      const wall = time.day * DAY_SECONDS
      return { time: { wall, clock: undefined }, wall, seconds }
    }
    return { time, wall: wallOnClock(time, event.start.clock, clocks), seconds }
  })

/** Returns undefined if there are too many occurrences. */
export const nightsOfEvent = (
  event: CalendarEvent,
  replacements: ReadonlyArray<CalendarEvent>,
  context: ReadContext
): ReadonlyArray<NightSpan> | undefined => {
  const { clocks } = context
  const { start, seconds } = event
  if (event.replaces !== undefined) return event.isBusy ? nightsOfOccurrence(start, seconds, context) : []
  const shifts = shiftsOf(event, replacements, clocks)
  const maxShiftSeconds = Math.max(0, ...shifts.map(({ offsetSeconds, seconds }) => Math.abs(offsetSeconds) + seconds))
  const replacedTimes = replacements.flatMap(({ replaces }) => (replaces === undefined ? [] : [replaces.time]))
  const exceptions = exceptionsOf(event, [...event.exceptions, ...replacedTimes], clocks)
  const occurrences: Array<Occurrence> = [{ time: start, wall: start.wall, seconds }]
  for (const rule of event.rules) {
    const walls = expandRule(event, rule, maxShiftSeconds, context)
    if (walls === undefined) return undefined
    for (const wall of walls) occurrences.push({ time: { wall, clock: start.clock }, wall, seconds })
  }
  for (const occurrence of toRdateOccurrences(event, clocks)) occurrences.push(occurrence)
  return occurrences.flatMap(({ time, wall, seconds }) => {
    if (isExcluded(exceptions, wall)) return []
    const shift = wall === undefined ? undefined : shifts.findLast(({ from }) => from <= wall)
    if (wall === undefined || shift === undefined) return event.isBusy ? nightsOfOccurrence(time, seconds, context) : []
    return shift.isBusy
      ? nightsOfOccurrence({ wall: wall + shift.offsetSeconds, clock: start.clock }, shift.seconds, context)
      : []
  })
}
