import { Result } from "effect"
import { type RangeFieldNames, validateRangeEnd, validateRangeOrder } from "../../../../contract/date-range.ts"
import type { ValidationFailed } from "../../../../contract/errors.ts"
import { addDays } from "../../../../contract/time.ts"
import { SEARCH_DAYS } from "../../../../platform/limits.ts"

/** Days from `start` to `end`, both included. An undefined side is open. */
export interface SearchDays {
  readonly start: string | undefined
  readonly end: string | undefined
}

export const spansAtMost = ({ start, end }: SearchDays, days: number): boolean =>
  start !== undefined && end !== undefined && end < addDays(start, days)

type SearchDaysResult = Result.Result<SearchDays | undefined, ValidationFailed>

const CHECK_IN_FIELDS = { start: "start_check_in_date", end: "end_check_in_date" } as const
const CHECK_OUT_FIELDS = { start: "start_check_out_date", end: "end_check_out_date" } as const

const parseSearchDays = <Start extends string, End extends string>(
  payload: { readonly [Bound in Start | End]?: string },
  names: RangeFieldNames<Start, End>,
  maxDays?: number
): SearchDaysResult => {
  const { [names.start]: start, [names.end]: end } = payload
  if (start === undefined && end === undefined) return Result.succeed(undefined)
  // An open range needs no length limit, because only one page of it is read.
  if (start === undefined || end === undefined) return Result.succeed({ start, end })
  const range = validateRangeOrder({ start, end }, names)
  return maxDays === undefined ? range : Result.flatMap(range, (days) => validateRangeEnd(days, maxDays, names))
}

export const parseCheckInDays = (payload: {
  readonly start_check_in_date?: string
  readonly end_check_in_date?: string
}): SearchDaysResult => parseSearchDays(payload, CHECK_IN_FIELDS, SEARCH_DAYS)

export const parseCheckOutDays = (payload: {
  readonly start_check_out_date?: string
  readonly end_check_out_date?: string
}): SearchDaysResult => parseSearchDays(payload, CHECK_OUT_FIELDS)

/** Contract facts 2.2. */
export const toDefaultCheckOutDays = (today: string): SearchDays => ({
  start: addDays(today, -SEARCH_DAYS),
  end: addDays(today, SEARCH_DAYS)
})
