import { DAY_SECONDS } from "./event-nights.ts"

// A `dayNumber` counts days since 1970.

export interface CalendarDay {
  readonly dayNumber: number
  readonly year: number
  readonly month: number
  readonly dayOfMonth: number
}

const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

export const yearLength = (year: number): number => (isLeapYear(year) ? 366 : 365)

/** January is 1. */
export const monthLength = (year: number, month: number): number =>
  month === 2 && isLeapYear(year) ? 29 : (MONTH_LENGTHS[month - 1] ?? 0)

/** `Date` does not support the distant years that a large INTERVAL reaches. */
export const yearStart = (year: number): number => {
  const before = year - 1
  return 365 * before + Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400) - 719_162
}

export const monthStart = (year: number, month: number): number =>
  MONTH_LENGTHS.slice(0, month - 1).reduce((sum, length) => sum + length, yearStart(year)) +
  (month > 2 && isLeapYear(year) ? 1 : 0)

export const calendarDayOf = (dayNumber: number): CalendarDay => {
  const date = new Date(dayNumber * DAY_SECONDS * 1000)
  return { dayNumber, year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, dayOfMonth: date.getUTCDate() }
}

export const firstOfNextMonth = ({ dayNumber, year, month, dayOfMonth }: CalendarDay): CalendarDay => ({
  dayNumber: dayNumber + monthLength(year, month) - dayOfMonth + 1,
  year: month === 12 ? year + 1 : year,
  month: month === 12 ? 1 : month + 1,
  dayOfMonth: 1
})

export const dayAfter = (day: CalendarDay): CalendarDay =>
  day.dayOfMonth === monthLength(day.year, day.month)
    ? firstOfNextMonth(day)
    : { ...day, dayNumber: day.dayNumber + 1, dayOfMonth: day.dayOfMonth + 1 }

/** 0 is Sunday. */
export const weekdayOf = (dayNumber: number): number => (((dayNumber + 4) % 7) + 7) % 7

export const weekStartOf = (dayNumber: number, weekStart: number): number =>
  dayNumber - ((weekdayOf(dayNumber) - weekStart + 7) % 7)

/** Week 1 is the first week with at least four days in the year. */
export const firstWeekOf = (year: number, weekStart: number): number => weekStartOf(yearStart(year) + 3, weekStart)
