import { Result } from "effect"
import { type DateRange, validateRangeOrder } from "../../../contract/date-range.ts"
import { ValidationFailed } from "../../../contract/errors.ts"
import { addDays, toDayNumber } from "../../../contract/time.ts"
import { AVAILABILITY_START_DAYS } from "../../../platform/limits.ts"
import { checkRangeEnd, listDates } from "../availability/rules.ts"
import { validatePushDates, validateRanges } from "../listing-calendars/rules.ts"
import type { BasePriceRange } from "./contract.ts"

/** New values of one day. An absent field is unchanged, and null clears the value. */
export interface BasePriceDayChange {
  readonly date: string
  readonly price?: number | null
  readonly minimum_stay?: number | null
  readonly maximum_stay?: number | null
}

const DAYS_IN_WEEK = 7

/** Returns 1 for Monday to 7 for Sunday. */
export const toWeekday = (date: string): number => {
  // 1970-01-01, day number 0, was a Thursday.
  const daysSinceMonday = (toDayNumber(date) + 3) % DAYS_IN_WEEK
  return ((daysSinceMonday + DAYS_IN_WEEK) % DAYS_IN_WEEK) + 1
}

const findValueFault = ({ price, minimum_stay, maximum_stay }: BasePriceRange): string | undefined => {
  if (price === undefined && minimum_stay === undefined && maximum_stay === undefined)
    return "price: is required, unless minimum_stay or maximum_stay is sent."
  return typeof minimum_stay === "number" && typeof maximum_stay === "number" && minimum_stay > maximum_stay
    ? `${STAY_FAULT}.`
    : undefined
}

const STAY_FAULT = "minimum_stay: must not be above maximum_stay"

export const validateBasePriceRanges = (
  ranges: ReadonlyArray<BasePriceRange>,
  today: string
): Result.Result<ReadonlyArray<BasePriceRange>, ValidationFailed> =>
  Result.flatMap(validatePushDates("ranges", ranges, today), () => validateRanges("ranges", ranges, findValueFault))

/** Every day that set_base_prices accepts is readable, and so are AVAILABILITY_START_DAYS days before today. */
export const checkReadableBasePrices = (range: DateRange, today: string): Result.Result<DateRange, ValidationFailed> =>
  Result.flatMap(validateRangeOrder(range), () =>
    range.start < addDays(today, -AVAILABILITY_START_DAYS)
      ? Result.fail(
          new ValidationFailed({ message: `start_date: must be at most ${AVAILABILITY_START_DAYS} days before today.` })
        )
      : checkRangeEnd(range, today)
  )

const listRangeDates = ({ start_date, end_date, weekdays }: BasePriceRange): ReadonlyArray<string> => {
  const dates = listDates(start_date, end_date)
  return weekdays === undefined ? dates : dates.filter((date) => weekdays.includes(toWeekday(date)))
}

/** Returns one change for each day, by date. If ranges overlap, the last one in the list counts, field by field. */
export const toDayChanges = (ranges: ReadonlyArray<BasePriceRange>): ReadonlyArray<BasePriceDayChange> => {
  const changes = new Map<string, BasePriceDayChange>()
  for (const range of ranges) {
    const { start_date: _start, end_date: _end, weekdays: _weekdays, ...values } = range
    for (const date of listRangeDates(range)) changes.set(date, { ...changes.get(date), ...values, date })
  }
  return Array.from(changes.values()).sort((a, b) => (a.date < b.date ? -1 : 1))
}

/** Returns an error message that names the last range with a stay length of the date. */
export const describeStayConflict = (ranges: ReadonlyArray<BasePriceRange>, date: string): string => {
  const index = ranges.findLastIndex(
    (range) =>
      (range.minimum_stay !== undefined || range.maximum_stay !== undefined) && listRangeDates(range).includes(date)
  )
  const setsOnlyMaximum = ranges[index]?.minimum_stay === undefined
  return `ranges[${index}].${setsOnlyMaximum ? "maximum_stay: must not be below minimum_stay" : STAY_FAULT} on ${date}.`
}
