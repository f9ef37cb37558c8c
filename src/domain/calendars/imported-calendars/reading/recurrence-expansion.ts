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

// Computes the occurrences of a recurrence rule (RFC 5545, 3.3.10). Days are counted from 1970. Walls are seconds since 1970 as
// the clock of the series shows them.

export type Frequency = "SECONDLY" | "MINUTELY" | "HOURLY" | "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY"

type NumberList = ReadonlyArray<number> | undefined

export interface RuleWeekday {
  /** 0 is Sunday. */
  readonly weekday: number
  /** Which one of the month or the year, counted from its end if negative; 0 for every one. */
  readonly ordinal: number
}

/** The parts of a rule, without UNTIL. A part that the rule does not have is undefined. */
export interface Recurrence {
  readonly frequency: Frequency
  readonly interval: number
  readonly count: number | undefined
  /** The weekday on which weeks begin; 0 is Sunday. */
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

/** The bounds of an expansion, as walls. */
interface ExpansionBounds {
  readonly soonest: number
  readonly latest: number
  /** Returns whether the rule has ended before a wall. True for all later walls, too. */
  readonly isAfterEnd: (wall: number) => boolean
  /** How many more occurrences may be looked at. A period of the rule without any counts as one. */
  readonly remaining: { occurrences: number }
}

/** Returns whether a place among `length`, from 1 on, is wanted. Wanted numbers count from the end if they are negative. */
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

/**
 * Returns whether a day passes all parts of a rule that pick days. For each frequency the table of RFC 5545 comes to this: the
 * days of a period are those that all parts allow, since the parts of a shorter period pick among its days.
 */
const isDaySelected = (rule: Recurrence, day: CalendarDay): boolean =>
  isMonthSelected(rule, day) &&
  isSelected(rule.monthDays, day.dayOfMonth, monthLength(day.year, day.month)) &&
  isSelected(rule.yearDays, day.dayNumber - yearStart(day.year) + 1, yearLength(day.year)) &&
  isWeekSelected(rule, day) &&
  isWeekdaySelected(rule, day)

/** Returns a rule with the parts that it leaves to its start: the weekday, the day of the month, the month. */
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

/** Returns the times of hours, minutes and seconds, in order and each once. */
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

/** The periods of a rule, by their index. Period 0 is the one of the start. */
interface RecurrencePeriods {
  /** Returns the index of the last period that begins by a wall. */
  readonly indexAt: (wall: number) => number
  readonly beginOf: (index: number) => number
  /** Returns the walls of a period in order, before BYSETPOS; undefined if there are more than `most`. */
  readonly wallsIn: (index: number, most: number) => ReadonlyArray<number> | undefined
  /** Returns the next index that may have occurrences. */
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

/** Returns days, weeks by their first day, months or calendar years. BYWEEKNO picks among the days of a calendar year too. */
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

/** Returns the periods of a rule of days or longer. */
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

/** Returns when a rule of `unit` may have its next occurrence; `at` if it has one in the period that begins then. */
const nextMatch = (rule: Recurrence, unit: number, at: number): number => {
  const [day, time] = [Math.floor(at / DAY_SECONDS), timeOfDay(at)]
  const endOf = (seconds: number) => (Math.floor(at / seconds) + 1) * seconds
  if (!isDaySelected(rule, calendarDayOf(day))) return endOf(DAY_SECONDS)
  if (!(rule.hours?.includes(Math.floor(time / 3600)) ?? true)) return endOf(3600)
  if (unit <= 60 && !(rule.minutes?.includes(minuteOf(time)) ?? true)) return endOf(60)
  if (unit === 1 && !(rule.seconds?.includes(time % 60) ?? true)) return endOf(1)
  return at
}

/** Returns the periods of a rule of hours, minutes or seconds. */
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

/** Returns the walls at the positions of BYSETPOS, in order and each once. */
const wallsAt = (positions: NumberList, walls: ReadonlyArray<number>): ReadonlyArray<number> =>
  positions === undefined ? walls : walls.filter((_, index) => isSelected(positions, index + 1, walls.length))

/**
 * Returns the occurrences of a rule from `soonest` to `latest`, as walls in order; undefined if there are too many to look at. The
 * start is among them, and counts for COUNT, only if the rule means it. A rule without COUNT is looked at from `soonest` on.
 */
export const expandRecurrence = (
  recurrence: Recurrence,
  start: SeriesStart,
  { soonest, latest, isAfterEnd, remaining }: ExpansionBounds
): ReadonlyArray<number> | undefined => {
  // The standard says to ignore times in the rule of a date.
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
