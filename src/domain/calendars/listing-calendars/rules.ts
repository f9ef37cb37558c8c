import { Result, Struct } from "effect"
import { ValidationFailed } from "../../../contract/errors.ts"
import { addDays, daysInRange } from "../../../contract/time.ts"
import { AVAILABILITY_END_DAYS, LISTINGS_ANSWER_DAYS } from "../../../platform/limits.ts"
import { HONOURED_BY, type RestrictedDays, type Restriction } from "../../channels/port/days.ts"
import type { RestrictedRange } from "./contract.ts"

/** The days from `start_date` to `end_date`, both included. */
export interface Days {
  readonly start_date: string
  readonly end_date: string
}

/** The list of a payload that names ranges. */
export type RangesField = "prices" | "inventories" | "restrictions"

const wrongDays = ({ start_date, end_date }: Days, today: string): string | undefined => {
  if (end_date < start_date) return "end_date: must not be before start_date."
  if (start_date < today) return "start_date: must be today or later."
  return end_date > addDays(today, AVAILABILITY_END_DAYS)
    ? `end_date: must be within ${AVAILABILITY_END_DAYS} days of today.`
    : undefined
}

/** The first wrong one decides; the refusal names it by its place: `prices[1].end_date: …`. */
const eachOf = <Range>(
  field: RangesField,
  ranges: ReadonlyArray<Range>,
  wrong: (range: Range) => string | undefined
): Result.Result<ReadonlyArray<Range>, ValidationFailed> => {
  for (const [at, range] of ranges.entries()) {
    const found = wrong(range)
    if (found !== undefined) return Result.fail(new ValidationFailed({ message: `${field}[${at}].${found}` }))
  }
  return Result.succeed(ranges)
}

/** Whether all ranges lie from today on and within three years (contract facts 6.4). */
export const inReach = <Range extends Days>(
  field: RangesField,
  ranges: ReadonlyArray<Range>,
  today: string
): Result.Result<ReadonlyArray<Range>, ValidationFailed> => eachOf(field, ranges, (range) => wrongDays(range, today))

type Restricted = typeof RestrictedRange.Type

/** Hours of `xDxH`. */
export const hoursOf = (advance: string): number => {
  const [days = 0, hours = 0] = advance.match(/\d+/g)?.map(Number) ?? []
  return days * 24 + hours
}

const isAbove = (least: number | undefined, most: number | undefined): boolean =>
  least !== undefined && most !== undefined && least > most

const hoursOrNone = (advance: string | undefined) => (advance === undefined ? undefined : hoursOf(advance))

const wrongRestrictions = (range: Restricted): string | undefined => {
  if (restrictionsIn(range).length === 0) return "start_date: the range must have at least one restriction."
  if (isAbove(range.min_stay_on_arrival, range.max_stay_on_arrival))
    return "max_stay_on_arrival: must not be below min_stay_on_arrival."
  if (isAbove(range.min_stay_through, range.max_stay_through))
    return "max_stay_through: must not be below min_stay_through."
  return isAbove(hoursOrNone(range.min_advance_reservation), hoursOrNone(range.max_advance_reservation))
    ? "max_advance_reservation: must not be below min_advance_reservation."
    : undefined
}

/** Whether each range restricts something, and none of them what cannot be. */
export const restrictsSoundly = (
  ranges: ReadonlyArray<Restricted>
): Result.Result<ReadonlyArray<Restricted>, ValidationFailed> => eachOf("restrictions", ranges, wrongRestrictions)

const RESTRICTIONS = Struct.keys(HONOURED_BY)

const restrictionsIn = (range: RestrictedDays) => RESTRICTIONS.filter((name) => range[name] !== undefined)

const unhonouredBy = (channelType: string) =>
  RESTRICTIONS.filter((name) => !HONOURED_BY[name].some((each) => each === channelType))

/** Returns the restrictions of the ranges that a channel does not support, each once. */
export const unhonouredIn = (channelType: string, ranges: ReadonlyArray<RestrictedDays>): ReadonlyArray<Restriction> =>
  unhonouredBy(channelType).filter((name) => ranges.some((range) => range[name] !== undefined))

/** What of the restrictions a channel honours; a range that it honours nothing of is left out. */
export const honouredOf = (
  channelType: string,
  ranges: ReadonlyArray<RestrictedDays>
): ReadonlyArray<RestrictedDays> => {
  const unheard = unhonouredBy(channelType)
  return ranges.map((range) => Struct.omit(range, unheard)).filter((range) => restrictionsIn(range).length > 0)
}

/** From the first day of any of the ranges to the last. */
export const spanOf = (ranges: ReadonlyArray<Days>): Days | undefined => {
  const [start_date] = ranges.map((range) => range.start_date).toSorted()
  const end_date = ranges
    .map((range) => range.end_date)
    .toSorted()
    .at(-1)
  return start_date === undefined || end_date === undefined ? undefined : { start_date, end_date }
}

/** Whether one answer holds so many listings over such a range. */
export const fitsAnAnswer = (
  listings: number,
  { start, end }: { readonly start: string; readonly end: string }
): Result.Result<void, ValidationFailed> => {
  const days = daysInRange(start, end)
  return listings * days > LISTINGS_ANSWER_DAYS
    ? Result.fail(
        new ValidationFailed({
          message: `listings: ${listings} listings times ${days} days from start_date to end_date are ${listings * days}, and one answer covers at most ${LISTINGS_ANSWER_DAYS}; ask for fewer listings or fewer days.`
        })
      )
    : Result.void
}
