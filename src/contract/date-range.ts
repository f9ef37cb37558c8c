import { Result } from "effect"
import { BadRequest, ValidationFailed } from "./errors.ts"
import { daysInRange } from "./time.ts"

/** Both ends are included. */
export interface DateRange {
  readonly start: string
  readonly end: string
}

export interface RangeFieldNames<Start extends string = string, End extends string = string> {
  readonly start: Start
  readonly end: End
}

const DEFAULT_RANGE_FIELDS = { start: "start_date", end: "end_date" } as const

export const validateRangeOrder = (
  range: DateRange,
  names: RangeFieldNames = DEFAULT_RANGE_FIELDS
): Result.Result<DateRange, ValidationFailed> =>
  daysInRange(range.start, range.end) < 1
    ? Result.fail(new ValidationFailed({ message: `${names.start}: must not be after ${names.end}.` }))
    : Result.succeed(range)

export const validateRangeLength = (range: DateRange, maxDays: number): Result.Result<DateRange, ValidationFailed> =>
  daysInRange(range.start, range.end) > maxDays
    ? Result.fail(
        new ValidationFailed({
          message: `end_date: the range has at most ${maxDays} days, start_date and end_date included.`
        })
      )
    : Result.succeed(range)

export const validateRangeEnd = (
  range: DateRange,
  maxDays: number,
  names: RangeFieldNames = DEFAULT_RANGE_FIELDS
): Result.Result<DateRange, ValidationFailed> =>
  daysInRange(range.start, range.end) - 1 > maxDays
    ? Result.fail(new ValidationFailed({ message: `${names.end}: must be within ${maxDays} days of ${names.start}.` }))
    : Result.succeed(range)

export const parseDateRange = (payload: {
  readonly start_date?: string
  readonly end_date?: string
}): Result.Result<DateRange | undefined, BadRequest | ValidationFailed> => {
  const { start_date: start, end_date: end } = payload
  if (start === undefined && end === undefined) return Result.succeed(undefined)
  if (start === undefined) return Result.fail(new BadRequest({ message: "start_date: is required with end_date." }))
  if (end === undefined) return Result.fail(new BadRequest({ message: "end_date: is required with start_date." }))
  return validateRangeOrder({ start, end })
}
