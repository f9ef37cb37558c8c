import { Result } from "effect"
import { BadRequest, ValidationFailed } from "../../contract/errors.ts"
import { addDays, daysInRange } from "../../contract/time.ts"
import { SEARCH_DAYS } from "../../limits.ts"

// Which stays a search covers (contract facts 2.2).

export interface Days {
  readonly start: string
  readonly end: string
}

interface Bounds {
  readonly start_check_in_date?: string
  readonly end_check_in_date?: string
  readonly start_check_out_date?: string
  readonly end_check_out_date?: string
}

/** Both bounds or neither: a range that is open at one end is refused, not guessed. */
const pairOf = (
  payload: Bounds,
  start: keyof Bounds,
  end: keyof Bounds
): Result.Result<Days | undefined, BadRequest | ValidationFailed> => {
  const [from, to] = [payload[start], payload[end]]
  if (from === undefined && to === undefined) return Result.succeed(undefined)
  if (from === undefined) return Result.fail(new BadRequest({ message: `${start}: is required with ${end}.` }))
  if (to === undefined) return Result.fail(new BadRequest({ message: `${end}: is required with ${start}.` }))
  return daysInRange(from, to) < 1
    ? Result.fail(new ValidationFailed({ message: `${start}: must not be after ${end}.` }))
    : Result.succeed({ start: from, end: to })
}

/** The check-in days of a search; none when it does not narrow by them. */
export const checkInDays = (payload: Bounds): Result.Result<Days | undefined, BadRequest | ValidationFailed> =>
  Result.flatMap(pairOf(payload, "start_check_in_date", "end_check_in_date"), (days) =>
    days !== undefined && daysInRange(days.start, days.end) - 1 > SEARCH_DAYS
      ? Result.fail(
          new ValidationFailed({
            message: `end_check_in_date: must be within ${SEARCH_DAYS} days of start_check_in_date.`
          })
        )
      : Result.succeed(days)
  )

/** The check-out days of a search. */
export const checkOutDays = (payload: Bounds): Result.Result<Days | undefined, BadRequest | ValidationFailed> =>
  pairOf(payload, "start_check_out_date", "end_check_out_date")

/** The check-out days of a search that names nothing else: around today, both ways. */
export const defaultDays = (today: string): Days => ({
  start: addDays(today, -SEARCH_DAYS),
  end: addDays(today, SEARCH_DAYS)
})
