import { DAY_SECONDS, timeOfDay } from "./event-nights.ts"
import {
  type CalendarDay,
  calendarDayOf,
  dayAfter,
  firstOfNextMonth,
  firstWeekOf,
  monthLength,
  monthStart,
  weekdayOf,
  weekStartOf,
  yearLength,
  yearStart
} from "./gregorian-dates.ts"

// See RFC 5545, 3.3.10. A wall is a local time of the series in seconds since 1970.

export type Frequency = "SECONDLY" | "MINUTELY" | "HOURLY" | "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY"

type NumberList = ReadonlyArray<number> | undefined

export interface RuleWeekday {
  /** 0 is Sunday. */
  readonly weekday: number
  /** Position of the weekday within the month or year, negative from its end. 0 means every such weekday. */
  readonly ordinal: number
}

export interface Recurrence {
  readonly frequency: Frequency
  readonly interval: number
  readonly count: number | undefined
  readonly weekStart: number
  readonly months: NumberList
  readonly weekNumbers: NumberList
  readonly yearDays: NumberList
  readonly monthDays: NumberList
  readonly weekdays: ReadonlyArray<RuleWeekday> | undefined
  readonly hours: NumberList
  readonly minutes: NumberList
  readonly seconds: NumberList
  readonly positions: NumberList
}

interface SeriesStart {
  readonly isDate: boolean
  readonly wall: number
}

interface ExpansionBounds {
  readonly soonest: number
  readonly latest: number
  /** Must stay true for all later walls. */
  readonly isAfterEnd: (wall: number) => boolean
  /** Occurrences that may still be computed. A period without occurrences counts as one. */
  readonly remaining: { occurrences: number }
}

/** Positions start at 1. Negative numbers count from the end. */
const isSelected = (selected: NumberList, position: number, length: number): boolean =>
  selected === undefined || selected.includes(position) || selected.includes(position - length - 1)

const isWeekSelected = ({ weekNumbers, weekStart }: Recurrence, { dayNumber }: CalendarDay): boolean => {
  if (weekNumbers === undefined) return true
  const week = weekStartOf(dayNumber, weekStart)
  const { year } = calendarDayOf(week + 3)
  const first = firstWeekOf(year, weekStart)
  return isSelected(weekNumbers, (week - first) / 7 + 1, (firstWeekOf(year + 1, weekStart) - first) / 7)
}

const isWeekdaySelected = ({ frequency, months, weekdays }: Recurrence, day: CalendarDay): boolean => {
  if (weekdays === undefined) return true
  const weekday = weekdayOf(day.dayNumber)
  if (!weekdays.some((selected) => selected.weekday === weekday)) return false
  const isByMonth = frequency === "MONTHLY" || months !== undefined
  const before = isByMonth ? day.dayOfMonth - 1 : day.dayNumber - yearStart(day.year)
  const after = (isByMonth ? monthLength(day.year, day.month) : yearLength(day.year)) - before - 1
  const ordinals = [0, Math.floor(before / 7) + 1, -Math.floor(after / 7) - 1]
  return weekdays.some((selected) => selected.weekday === weekday && ordinals.includes(selected.ordinal))
}

const isMonthSelected = ({ months }: Recurrence, { month }: CalendarDay): boolean => months?.includes(month) ?? true

const isDaySelected = (rule: Recurrence, day: CalendarDay): boolean =>
  isMonthSelected(rule, day) &&
  isSelected(rule.monthDays, day.dayOfMonth, monthLength(day.year, day.month)) &&
  isSelected(rule.yearDays, day.dayNumber - yearStart(day.year) + 1, yearLength(day.year)) &&
  isWeekSelected(rule, day) &&
  isWeekdaySelected(rule, day)

const withPartsOfStart = (rule: Recurrence, start: CalendarDay): Recurrence => {
  const { frequency, weekdays, monthDays, yearDays, weekNumbers, months } = rule
  if (weekdays !== undefined || monthDays !== undefined || yearDays !== undefined) return rule
  if (frequency === "WEEKLY" || (frequency === "YEARLY" && weekNumbers !== undefined))
    return { ...rule, weekdays: [{ weekday: weekdayOf(start.dayNumber), ordinal: 0 }] }
  if (frequency === "MONTHLY") return { ...rule, monthDays: [start.dayOfMonth] }
  if (frequency === "YEARLY") return { ...rule, months: months ?? [start.month], monthDays: [start.dayOfMonth] }
  return rule
}

const minuteOf = (time: number): number => Math.floor((time % 3600) / 60)

const timesOf = (
  hours: ReadonlyArray<number>,
  minutes: ReadonlyArray<number>,
  seconds: ReadonlyArray<number>
): ReadonlyArray<number> =>
  Array.from(
    new Set(
      hours.flatMap((hour) => minutes.flatMap((minute) => seconds.map((second) => hour * 3600 + minute * 60 + second)))
    )
  ).toSorted((one, other) => one - other)

/** Period 0 contains the start. */
interface RecurrencePeriods {
  readonly indexAt: (wall: number) => number
  readonly beginOf: (index: number) => number
  /** Returns the sorted walls before BYSETPOS is applied, or undefined if there are more than `most`. */
  readonly wallsIn: (index: number, most: number) => ReadonlyArray<number> | undefined
  /** May skip periods without occurrences. */
  readonly indexAfter: (index: number) => number
}

interface DaySpan {
  readonly first: number
  readonly length: number
}

interface DayPeriods {
  readonly spanOf: (index: number) => DaySpan
  readonly indexAt: (day: number) => number
}

const monthSpan = (months: number): DaySpan => {
  const year = Math.floor(months / 12)
  const month = months - year * 12 + 1
  return { first: monthStart(year, month), length: monthLength(year, month) }
}

const dayPeriodsOf = ({ frequency, interval, weekStart }: Recurrence, start: CalendarDay): DayPeriods => {
  if (frequency === "YEARLY")
    return {
      spanOf: (index) => {
        const year = start.year + index * interval
        return { first: yearStart(year), length: yearLength(year) }
      },
      indexAt: (day) => Math.floor((calendarDayOf(day).year - start.year) / interval)
    }
  if (frequency === "MONTHLY") {
    const monthsOf = ({ year, month }: CalendarDay) => year * 12 + month - 1
    return {
      spanOf: (index) => monthSpan(monthsOf(start) + index * interval),
      indexAt: (day) => Math.floor((monthsOf(calendarDayOf(day)) - monthsOf(start)) / interval)
    }
  }
  const length = frequency === "WEEKLY" ? 7 : 1
  const first = frequency === "WEEKLY" ? weekStartOf(start.dayNumber, weekStart) : start.dayNumber
  return {
    spanOf: (index) => ({ first: first + index * interval * length, length }),
    indexAt: (day) => Math.floor((day - first) / (interval * length))
  }
}

const listSelectedDays = (rule: Recurrence, { first, length }: DaySpan): ReadonlyArray<number> => {
  const days: Array<number> = []
  let day = calendarDayOf(first)
  while (day.dayNumber < first + length) {
    if (isDaySelected(rule, day)) days.push(day.dayNumber)
    day = isMonthSelected(rule, day) ? dayAfter(day) : firstOfNextMonth(day)
  }
  return days
}

const periodsOfDays = (rule: Recurrence, wall: number): RecurrencePeriods => {
  const [start, time] = [calendarDayOf(Math.floor(wall / DAY_SECONDS)), timeOfDay(wall)]
  const completeRule = withPartsOfStart(rule, start)
  const { spanOf, indexAt } = dayPeriodsOf(rule, start)
  const times = timesOf(
    rule.hours ?? [Math.floor(time / 3600)],
    rule.minutes ?? [minuteOf(time)],
    rule.seconds ?? [time % 60]
  )
  return {
    indexAt: (at) => indexAt(Math.floor(at / DAY_SECONDS)),
    beginOf: (index) => spanOf(index).first * DAY_SECONDS,
    wallsIn: (index, most) => {
      const days = listSelectedDays(completeRule, spanOf(index))
      if (days.length * times.length > most) return undefined
      return days.flatMap((day) => times.map((each) => day * DAY_SECONDS + each))
    },
    indexAfter: (index) => index + 1
  }
}

const UNIT_SECONDS: Readonly<Partial<Record<Frequency, number>>> = { SECONDLY: 1, MINUTELY: 60, HOURLY: 3600 }

/** Returns `at` if it matches, otherwise the next later time that may match. */
const nextMatch = (rule: Recurrence, unit: number, at: number): number => {
  const [day, time] = [Math.floor(at / DAY_SECONDS), timeOfDay(at)]
  const endOf = (seconds: number) => (Math.floor(at / seconds) + 1) * seconds
  if (!isDaySelected(rule, calendarDayOf(day))) return endOf(DAY_SECONDS)
  if (!(rule.hours?.includes(Math.floor(time / 3600)) ?? true)) return endOf(3600)
  if (unit <= 60 && !(rule.minutes?.includes(minuteOf(time)) ?? true)) return endOf(60)
  if (unit === 1 && !(rule.seconds?.includes(time % 60) ?? true)) return endOf(1)
  return at
}

const periodsOfTimes = (rule: Recurrence, wall: number, unit: number): RecurrencePeriods => {
  const [first, step] = [wall - (timeOfDay(wall) % unit), unit * rule.interval]
  const times = timesOf(
    [0],
    unit < 3600 ? [0] : (rule.minutes ?? [minuteOf(timeOfDay(wall))]),
    unit < 60 ? [0] : (rule.seconds ?? [timeOfDay(wall) % 60])
  )
  const beginOf = (index: number) => first + index * step
  return {
    indexAt: (at) => Math.floor((at - first) / step),
    beginOf,
    wallsIn: (index, most) => {
      const begin = beginOf(index)
      if (nextMatch(rule, unit, begin) !== begin) return []
      return times.length > most ? undefined : times.map((time) => begin + time)
    },
    indexAfter: (index) => Math.max(index + 1, Math.ceil((nextMatch(rule, unit, beginOf(index)) - first) / step))
  }
}

const wallsAt = (positions: NumberList, walls: ReadonlyArray<number>): ReadonlyArray<number> =>
  positions === undefined ? walls : walls.filter((_, index) => isSelected(positions, index + 1, walls.length))

/**
 * Returns sorted walls, or undefined if there are too many to compute. The start is included, and counts for COUNT,
 * only if it matches the rule.
 */
export const expandRecurrence = (
  recurrence: Recurrence,
  start: SeriesStart,
  { soonest, latest, isAfterEnd, remaining }: ExpansionBounds
): ReadonlyArray<number> | undefined => {
  // RFC 5545 ignores BYHOUR, BYMINUTE and BYSECOND for a date.
  const rule = start.isDate ? { ...recurrence, hours: undefined, minutes: undefined, seconds: undefined } : recurrence
  const unit = UNIT_SECONDS[rule.frequency]
  const periods = unit === undefined ? periodsOfDays(rule, start.wall) : periodsOfTimes(rule, start.wall, unit)
  const occurrences: Array<number> = []
  let counted = 0
  let index = rule.count === undefined ? Math.max(0, periods.indexAt(soonest)) : 0
  for (;;) {
    const begin = periods.beginOf(index)
    if (begin > latest || isAfterEnd(begin)) return occurrences
    const walls = periods.wallsIn(index, remaining.occurrences)
    remaining.occurrences -= Math.max(1, walls?.length ?? 0)
    if (walls === undefined || remaining.occurrences < 0) return undefined
    for (const wall of wallsAt(rule.positions, walls)) {
      if (wall < start.wall) continue
      if (wall > latest || isAfterEnd(wall)) return occurrences
      if (wall >= soonest) occurrences.push(wall)
      counted += 1
      if (counted === rule.count) return occurrences
    }
    index = periods.indexAfter(index)
  }
}
