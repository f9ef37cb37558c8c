import { Result } from "effect"
import { BadRequest, ValidationFailed } from "../../contract/errors.ts"
import { addDays, daysInRange } from "../../contract/time.ts"
import { AVAILABILITY_END_DAYS, AVAILABILITY_START_DAYS } from "../../limits.ts"
import type { DayAvailability } from "./contract.ts"

/** Days from the first to the last, both included, in order. */
export const daysFrom = (first: string, last: string): ReadonlyArray<string> =>
  Array.from({ length: Math.max(0, daysInRange(first, last)) }, (_, index) => addDays(first, index))

export interface DateRange {
  readonly start: string
  readonly end: string
}

const broken = (message: string) => Result.fail(new ValidationFailed({ message }))

/** The days a read covers: the start within a year of today either way, the end within three (contract facts 6.1). */
export const readableRange = (range: DateRange, today: string): Result.Result<DateRange, ValidationFailed> => {
  if (daysInRange(range.start, range.end) < 1) return broken("start_date: must not be after end_date.")
  if (Math.abs(daysInRange(today, range.start) - 1) > AVAILABILITY_START_DAYS) {
    return broken(`start_date: must be within ${AVAILABILITY_START_DAYS} days of today.`)
  }
  return range.end > addDays(today, AVAILABILITY_END_DAYS)
    ? broken(`end_date: must be within ${AVAILABILITY_END_DAYS} days of today.`)
    : Result.succeed(range)
}

/** The days a change names: a whole range, or else single days (contract facts 6.2); in order, each once. */
export const changeableDays = (
  payload: { readonly start_date?: string; readonly end_date?: string; readonly dates?: ReadonlyArray<string> },
  today: string
): Result.Result<ReadonlyArray<string>, BadRequest | ValidationFailed> => {
  const { start_date: start, end_date: end, dates } = payload
  const last = addDays(today, AVAILABILITY_END_DAYS)
  if (start !== undefined && end !== undefined) {
    if (daysInRange(start, end) < 1) return broken("start_date: must not be after end_date.")
    if (start < today) return broken("start_date: must be today or later.")
    if (end > last) return broken(`end_date: must be within ${AVAILABILITY_END_DAYS} days of today.`)
    return Result.succeed(daysFrom(start, end))
  }
  if (start !== undefined) return Result.fail(new BadRequest({ message: "end_date: is required with start_date." }))
  if (end !== undefined) return Result.fail(new BadRequest({ message: "start_date: is required with end_date." }))
  if (dates === undefined) {
    return Result.fail(new BadRequest({ message: "start_date: is required with end_date, unless dates is given." }))
  }
  if (dates.length === 0) return broken("dates: must name at least one date.")
  const days = Array.from(new Set(dates)).sort()
  return days.some((day) => day < today || day > last)
    ? broken(`dates: must be today or later, and within ${AVAILABILITY_END_DAYS} days.`)
    : Result.succeed(days)
}

/** Every day of the range in order: as told where something is known of it, else free. */
export const filledDays = (range: DateRange, known: ReadonlyArray<DayAvailability>): ReadonlyArray<DayAvailability> => {
  const byDate = new Map(known.map((day) => [day.date, day]))
  return daysFrom(range.start, range.end).map((date) => byDate.get(date) ?? { date, available: true, remarks: "" })
}
