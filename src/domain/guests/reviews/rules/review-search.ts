import { Result } from "effect"
import { type DateRange, validateRangeEnd, validateRangeOrder } from "../../../../contract/date-range.ts"
import type { ValidationFailed } from "../../../../contract/errors.ts"
import { addDays } from "../../../../contract/time.ts"
import { REVIEW_SEARCH_DAYS } from "../../../../platform/limits.ts"
import type { ReviewStatus } from "../contract.ts"

const CHECK_OUT_FIELDS = { start: "start_check_out_date", end: "end_check_out_date" } as const

const MAX_DAYS_BETWEEN = REVIEW_SEARCH_DAYS - 1

/** Earliest date that the API accepts. */
const EARLIEST_DATE = "0001-01-01"

/** The default range has the maximum length. A search by reservation code has no default range. */
export const parseReviewSearchDays = (
  payload: {
    readonly reservation_code?: string
    readonly start_check_out_date?: string
    readonly end_check_out_date?: string
  },
  today: string
): Result.Result<DateRange | undefined, ValidationFailed> => {
  const { start_check_out_date, end_check_out_date = today } = payload
  const hasDates = start_check_out_date !== undefined || payload.end_check_out_date !== undefined
  if (payload.reservation_code !== undefined && !hasDates) return Result.succeed(undefined)
  const earliestStart = addDays(end_check_out_date, -MAX_DAYS_BETWEEN)
  const start = start_check_out_date ?? (earliestStart < EARLIEST_DATE ? EARLIEST_DATE : earliestStart)
  return Result.flatMap(validateRangeOrder({ start, end: end_check_out_date }, CHECK_OUT_FIELDS), (days) =>
    validateRangeEnd(days, MAX_DAYS_BETWEEN, CHECK_OUT_FIELDS)
  )
}

export type ReviewStatusFilter = ReviewStatus | "any"

export const resolveReviewStatusFilter = (payload: {
  readonly reservation_code?: string
  readonly review_status?: ReviewStatus
}): ReviewStatusFilter => payload.review_status ?? (payload.reservation_code === undefined ? "reviewed" : "any")
