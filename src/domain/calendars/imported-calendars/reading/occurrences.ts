import { CALENDAR_FEED_OCCURRENCES } from "../../../../platform/limits.ts"
import type { CalendarEvent } from "./event.ts"
import { DAY_SECONDS, nightsBetween, type Span, timeOfDay } from "./nights.ts"
import { occurrencesOf } from "./recurrence.ts"
import type { Rule } from "./rule.ts"
import { atProperty, type Clocks, onClock, type Time } from "./time.ts"

// Computes the nights that events take from the first to the last day that matters: with their repetitions, without the
// occurrences that are left out, and with those that are moved.

/** The clocks of a calendar, and the limits of reading it. */
export interface ReadContext {
  readonly clocks: Clocks
  /** First and last day that matter, as days since 1970. */
  readonly first: number
  readonly last: number
  /** How many more occurrences may be looked at. */
  readonly left: { occurrences: number }
}

export const REPEATS_TOO_OFTEN = `it repeats too often: more than ${CALENDAR_FEED_OCCURRENCES} occurrences would have to be read`

/** The clocks of two zones never differ by more. */
const MAX_ZONE_DIFFERENCE = 2 * DAY_SECONDS

const MINUTE_SECONDS = 60

/** Returns whether an event lasts from a midnight to another one on its own clock, or to the minute before. */
const areWholeDays = (wall: number, seconds: number): boolean =>
  timeOfDay(wall) === 0 && seconds > 0 && timeOfDay(wall + seconds + MINUTE_SECONDS) <= MINUTE_SECONDS

/**
 * Returns the nights of an event or a period that begins at a time; none if it is over before the days that matter. One that begins
 * after them is a span that begins after `last`: it blocks no day that matters, but the feed does not end before it.
 */
export const spanOf = (
  time: Pick<Time, "wall" | "clock">,
  seconds: number,
  { clocks, first, last }: ReadContext
): ReadonlyArray<Span> => {
  const { wall, clock } = time
  if (wall + seconds < first * DAY_SECONDS - MAX_ZONE_DIFFERENCE) return []
  if (wall > (last + 1) * DAY_SECONDS + MAX_ZONE_DIFFERENCE) return [{ from: last + 1, before: last + 2 }]
  const start = atProperty(time, clocks)
  // Whole days of another zone have no check-in to compare their end with: the night they end in stays busy.
  const arrival = areWholeDays(wall, seconds) ? 0 : timeOfDay(start)
  return [nightsBetween(start, atProperty({ wall: wall + seconds, clock }, clocks), arrival)]
}

interface Occurrence {
  readonly time: Pick<Time, "wall" | "clock">
  /** When it takes place on the clock of its series; undefined if that is unknown. */
  readonly wall: number | undefined
  readonly seconds: number
}

/** The occurrences that are left out: by their days, and by their times on the clock of the series. */
interface Exceptions {
  readonly days: ReadonlySet<number>
  readonly walls: ReadonlySet<number>
}

const exceptionsOf = ({ start, isAllDay }: CalendarEvent, times: ReadonlyArray<Time>, clocks: Clocks): Exceptions => ({
  // Exchange names occurrences of days by their midnights, in a zone or in UTC.
  days: new Set(times.flatMap(({ isDate, day }) => (isDate || isAllDay ? [day] : []))),
  walls: new Set(
    times.flatMap((time) => {
      const wall = time.isDate || isAllDay ? undefined : onClock(time, start.clock, clocks)
      return wall === undefined ? [] : [wall]
    })
  )
})

const isLeftOut = ({ days, walls }: Exceptions, wall: number | undefined): boolean =>
  wall !== undefined && (walls.has(wall) || days.has(Math.floor(wall / DAY_SECONDS)))

/** From an occurrence on, all take place this much later and for so long. */
interface Shift {
  readonly from: number
  readonly by: number
  readonly seconds: number
  readonly isBusy: boolean
}

const shiftsOf = (event: CalendarEvent, others: ReadonlyArray<CalendarEvent>, clocks: Clocks): ReadonlyArray<Shift> =>
  others
    .flatMap(({ replaces, start, seconds, isBusy }): ReadonlyArray<Shift> => {
      if (replaces === undefined || !replaces.andLater) return []
      const from = event.isAllDay ? replaces.time.day * DAY_SECONDS : onClock(replaces.time, event.start.clock, clocks)
      const to = onClock(start, event.start.clock, clocks)
      return from === undefined || to === undefined ? [] : [{ from, by: to - from, seconds, isBusy }]
    })
    .toSorted((one, other) => one.from - other.from)

/** Returns whether a rule has ended before a time on the clock of its series. Of two possible ends the later one counts. */
const endOf = ({ until }: Rule, { start, isAllDay }: CalendarEvent, clocks: Clocks): ((wall: number) => boolean) => {
  if (until === undefined) return () => false
  const day = Math.floor(until.wall / DAY_SECONDS)
  if (until.isDate) return (wall) => wall >= (day + 1) * DAY_SECONDS
  const instant = until.ahead === undefined ? undefined : until.wall - until.ahead
  if (isAllDay) {
    const there = instant === undefined ? day : Math.floor(clocks.property.wallOf(instant) / DAY_SECONDS)
    return (wall) => wall >= (Math.max(day, there) + 1) * DAY_SECONDS
  }
  const last = instant === undefined ? until.wall : (start.clock ?? clocks.property).wallOf(instant)
  return (wall) => wall > last
}

const expandRule = (event: CalendarEvent, rule: Rule, furthest: number, context: ReadContext) =>
  occurrencesOf(rule, event.start, {
    soonest: context.first * DAY_SECONDS - MAX_ZONE_DIFFERENCE - furthest - event.seconds,
    latest: (context.last + 1) * DAY_SECONDS + MAX_ZONE_DIFFERENCE + furthest,
    isAfterEnd: endOf(rule, event, context.clocks),
    left: context.left
  })

const readDates = (event: CalendarEvent, clocks: Clocks): ReadonlyArray<Occurrence> =>
  event.dates.map(({ time, seconds = event.seconds }) => {
    if (event.isAllDay && time.isMidnight) {
      const wall = time.day * DAY_SECONDS
      return { time: { wall, clock: undefined }, wall, seconds }
    }
    return { time, wall: onClock(time, event.start.clock, clocks), seconds }
  })

/**
 * Returns the nights of an event with all its repetitions, without those that `others`, of the same UID, stand for. Undefined if there are
 * too many to look at.
 */
export const spansOf = (
  event: CalendarEvent,
  others: ReadonlyArray<CalendarEvent>,
  context: ReadContext
): ReadonlyArray<Span> | undefined => {
  const { clocks } = context
  const { start, seconds } = event
  if (event.replaces !== undefined) return event.isBusy ? spanOf(start, seconds, context) : []
  const shifts = shiftsOf(event, others, clocks)
  const furthest = Math.max(0, ...shifts.map(({ by, seconds }) => Math.abs(by) + seconds))
  const replacedTimes = others.flatMap(({ replaces }) => (replaces === undefined ? [] : [replaces.time]))
  const exceptions = exceptionsOf(event, [...event.exceptions, ...replacedTimes], clocks)
  const occurrences: Array<Occurrence> = [{ time: start, wall: start.wall, seconds }]
  for (const rule of event.rules) {
    const walls = expandRule(event, rule, furthest, context)
    if (walls === undefined) return undefined
    for (const wall of walls) occurrences.push({ time: { wall, clock: start.clock }, wall, seconds })
  }
  for (const occurrence of readDates(event, clocks)) occurrences.push(occurrence)
  return occurrences.flatMap(({ time, wall, seconds }) => {
    if (isLeftOut(exceptions, wall)) return []
    const shift = wall === undefined ? undefined : shifts.findLast(({ from }) => from <= wall)
    if (wall === undefined || shift === undefined) return event.isBusy ? spanOf(time, seconds, context) : []
    return shift.isBusy ? spanOf({ wall: wall + shift.by, clock: start.clock }, shift.seconds, context) : []
  })
}
