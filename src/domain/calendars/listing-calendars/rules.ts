import { Result, Struct } from "effect"
import { ValidationFailed } from "../../../contract/errors.ts"
import { addDays, daysInRange } from "../../../contract/time.ts"
import { AVAILABILITY_END_DAYS, LISTING_CALENDAR_DAYS } from "../../../platform/limits.ts"
import {
  CHANNELS_BY_RESTRICTION,
  type DayRangeRestrictions,
  RESTRICTION_NAMES,
  type Restriction
} from "../../channels/port/listing-days.ts"
import type { RestrictedRange } from "./contract.ts"

/** Both days are inclusive. */
export interface DayRange {
  readonly start_date: string
  readonly end_date: string
}

export type RangesField = "prices" | "inventories" | "restrictions"

/** `ranges` is the field of set_base_prices. */
type DayRangesField = RangesField | "ranges"

const findDateFault = ({ start_date, end_date }: DayRange, today: string): string | undefined => {
  if (end_date < start_date) return "end_date: must not be before start_date."
  if (start_date < today) return "start_date: must be today or later."
  return end_date > addDays(today, AVAILABILITY_END_DAYS)
    ? `end_date: must be within ${AVAILABILITY_END_DAYS} days of today.`
    : undefined
}

/** Errors name the index of the range: `prices[1].end_date: …`. */
export const validateRanges = <Range>(
  field: DayRangesField,
  ranges: ReadonlyArray<Range>,
  findFault: (range: Range) => string | undefined
): Result.Result<ReadonlyArray<Range>, ValidationFailed> => {
  for (const [index, range] of ranges.entries()) {
    const fault = findFault(range)
    if (fault !== undefined) return Result.fail(new ValidationFailed({ message: `${field}[${index}].${fault}` }))
  }
  return Result.succeed(ranges)
}

/** See contract facts 6.4. */
export const validatePushDates = <Range extends DayRange>(
  field: DayRangesField,
  ranges: ReadonlyArray<Range>,
  today: string
): Result.Result<ReadonlyArray<Range>, ValidationFailed> =>
  validateRanges(field, ranges, (range) => findDateFault(range, today))

type RestrictionRange = typeof RestrictedRange.Type

/** Parses a text such as `4D4H`. */
export const parseAdvanceHours = (advance: string): number => {
  const [days = 0, hours = 0] = advance.match(/\d+/g)?.map(Number) ?? []
  return days * 24 + hours
}

const isAbove = (least: number | undefined, most: number | undefined): boolean =>
  least !== undefined && most !== undefined && least > most

const parseOptionalAdvanceHours = (advance: string | undefined) =>
  advance === undefined ? undefined : parseAdvanceHours(advance)

const findRestrictionFault = (range: RestrictionRange): string | undefined => {
  if (restrictionNamesIn(range).length === 0) return "start_date: the range must have at least one restriction."
  if (isAbove(range.min_stay_on_arrival, range.max_stay_on_arrival))
    return "max_stay_on_arrival: must not be below min_stay_on_arrival."
  if (isAbove(range.min_stay_through, range.max_stay_through))
    return "max_stay_through: must not be below min_stay_through."
  return isAbove(
    parseOptionalAdvanceHours(range.min_advance_reservation),
    parseOptionalAdvanceHours(range.max_advance_reservation)
  )
    ? "max_advance_reservation: must not be below min_advance_reservation."
    : undefined
}

export const validateRestrictions = (
  ranges: ReadonlyArray<RestrictionRange>
): Result.Result<ReadonlyArray<RestrictionRange>, ValidationFailed> =>
  validateRanges("restrictions", ranges, findRestrictionFault)

const restrictionNamesIn = (range: DayRangeRestrictions) =>
  RESTRICTION_NAMES.filter((name) => range[name] !== undefined)

const restrictionsUnsupportedBy = (channelType: string) =>
  RESTRICTION_NAMES.filter((name) => !CHANNELS_BY_RESTRICTION[name].some((each) => each === channelType))

export const findUnsupportedRestrictions = (
  channelType: string,
  ranges: ReadonlyArray<DayRangeRestrictions>
): ReadonlyArray<Restriction> =>
  restrictionsUnsupportedBy(channelType).filter((name) => ranges.some((range) => range[name] !== undefined))

export const keepSupportedRestrictions = (
  channelType: string,
  ranges: ReadonlyArray<DayRangeRestrictions>
): ReadonlyArray<DayRangeRestrictions> => {
  const unsupported = restrictionsUnsupportedBy(channelType)
  return ranges.map((range) => Struct.omit(range, unsupported)).filter((range) => restrictionNamesIn(range).length > 0)
}

export const findCoveringRange = (ranges: ReadonlyArray<DayRange>): DayRange | undefined => {
  const [start_date] = ranges.map((range) => range.start_date).toSorted()
  const end_date = ranges
    .map((range) => range.end_date)
    .toSorted()
    .at(-1)
  return start_date === undefined || end_date === undefined ? undefined : { start_date, end_date }
}

export const validateResponseSize = (
  listings: number,
  { start, end }: { readonly start: string; readonly end: string }
): Result.Result<void, ValidationFailed> => {
  const days = daysInRange(start, end)
  return listings * days > LISTING_CALENDAR_DAYS
    ? Result.fail(
        new ValidationFailed({
          message: `listings: ${listings} listings times ${days} days from start_date to end_date are ${listings * days}, and one answer covers at most ${LISTING_CALENDAR_DAYS}; ask for fewer listings or fewer days.`
        })
      )
    : Result.void
}
