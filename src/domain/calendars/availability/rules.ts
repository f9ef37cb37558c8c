import { Result, Schema } from "effect"
import { type DateRange, parseDateRange, validateRangeOrder } from "../../../contract/date-range.ts"
import { BadRequest, ValidationFailed } from "../../../contract/errors.ts"
import { addDays, daysInRange } from "../../../contract/time.ts"
import {
  AVAILABILITY_ANSWER_DAYS,
  AVAILABILITY_CHANGE_DAYS,
  AVAILABILITY_END_DAYS,
  AVAILABILITY_START_DAYS
} from "../../../platform/limits.ts"
import type { DayAvailability } from "./contract.ts"

export const listDates = (first: string, last: string): ReadonlyArray<string> =>
  Array.from({ length: Math.max(0, daysInRange(first, last)) }, (_, index) => addDays(first, index))

const failValidation = (message: string) => Result.fail(new ValidationFailed({ message }))

export const checkRangeEnd = (range: DateRange, today: string): Result.Result<DateRange, ValidationFailed> =>
  range.end > addDays(today, AVAILABILITY_END_DAYS)
    ? failValidation(`end_date: must be within ${AVAILABILITY_END_DAYS} days of today.`)
    : Result.succeed(range)

/** See contract facts 6.1. */
export const checkReadableRange = (range: DateRange, today: string): Result.Result<DateRange, ValidationFailed> =>
  Result.flatMap(validateRangeOrder(range), () =>
    Math.abs(daysInRange(today, range.start) - 1) > AVAILABILITY_START_DAYS
      ? failValidation(`start_date: must be within ${AVAILABILITY_START_DAYS} days of today.`)
      : checkRangeEnd(range, today)
  )

export const checkResponseSize = (properties: number, range: DateRange): Result.Result<DateRange, ValidationFailed> => {
  const days = daysInRange(range.start, range.end)
  return properties * days > AVAILABILITY_ANSWER_DAYS
    ? failValidation(
        `property_ids: ${properties} properties times ${days} days from start_date to end_date are ${properties * days}, and one answer covers at most ${AVAILABILITY_ANSWER_DAYS}; ask for fewer properties or fewer days.`
      )
    : Result.succeed(range)
}

export const checkChangeSize = (
  properties: number,
  days: ReadonlyArray<string>
): Result.Result<ReadonlyArray<string>, ValidationFailed> =>
  properties * days.length > AVAILABILITY_CHANGE_DAYS
    ? failValidation(
        `property_ids: ${properties} properties times ${days.length} days are ${properties * days.length}, and one change covers at most ${AVAILABILITY_CHANGE_DAYS}; name fewer properties, or fewer days in start_date and end_date or in dates.`
      )
    : Result.succeed(days)

/** Returns sorted days without duplicates. A range takes precedence over `dates` (contract facts 6.2). */
export const resolveChangedDays = (
  payload: { readonly start_date?: string; readonly end_date?: string; readonly dates?: ReadonlyArray<string> },
  today: string
): Result.Result<ReadonlyArray<string>, BadRequest | ValidationFailed> =>
  Result.flatMap(
    parseDateRange(payload),
    (range): Result.Result<ReadonlyArray<string>, BadRequest | ValidationFailed> => {
      if (range !== undefined) return expandRange(range, today)
      return payload.dates === undefined
        ? Result.fail(new BadRequest({ message: "start_date: is required with end_date, unless dates is given." }))
        : checkSingleDates(payload.dates, today)
    }
  )

const expandRange = (range: DateRange, today: string): Result.Result<ReadonlyArray<string>, ValidationFailed> =>
  range.start < today
    ? failValidation("start_date: must be today or later.")
    : Result.map(checkRangeEnd(range, today), ({ start, end }) => listDates(start, end))

const checkSingleDates = (
  dates: ReadonlyArray<string>,
  today: string
): Result.Result<ReadonlyArray<string>, ValidationFailed> => {
  if (dates.length === 0) return failValidation("dates: must name at least one date.")
  const last = addDays(today, AVAILABILITY_END_DAYS)
  const days = Array.from(new Set(dates)).sort()
  return days.some((day) => day < today || day > last)
    ? failValidation(`dates: must be today or later, and within ${AVAILABILITY_END_DAYS} days.`)
    : Result.succeed(days)
}

/** Days are offsets from the first day of the range. */
export const PropertyDays = Schema.Struct({
  taken: Schema.Array(Schema.Int),
  remarks: Schema.Record(Schema.String, Schema.String),
  /** Busy days by host of the imported calendar's URL. */
  elsewhere: Schema.Record(Schema.String, Schema.Array(Schema.Int)),
  /** May be outside the range. */
  not_let_from: Schema.NullOr(Schema.Int)
})
export type PropertyDays = typeof PropertyDays.Type

export const DEACTIVATED_REMARK = "the property is deactivated"

const toInactiveDay = ({ date, remarks }: DayAvailability): DayAvailability => ({
  date,
  available: false,
  remarks: `${remarks}; ${DEACTIVATED_REMARK}`
})

export const formatBusyRemark = (hosts: ReadonlyArray<string>): string => `Busy in the calendar of ${hosts.join(", ")}`

const buildRemarks = ({ remarks, elsewhere }: PropertyDays): ReadonlyMap<number, string> => {
  const hostsByDay = new Map<number, Array<string>>()
  for (const [host, days] of Object.entries(elsewhere).toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    for (const day of days) {
      const hostsOfDay = hostsByDay.get(day)
      if (hostsOfDay === undefined) hostsByDay.set(day, [host])
      else hostsOfDay.push(host)
    }
  }
  const remarksByDay = new Map<number, string>()
  for (const [day, busyHosts] of hostsByDay) remarksByDay.set(day, formatBusyRemark(busyHosts))
  for (const [day, hostRemark] of Object.entries(remarks)) {
    const busyRemarkOfDay = remarksByDay.get(Number(day))
    remarksByDay.set(Number(day), busyRemarkOfDay === undefined ? hostRemark : `${hostRemark}; ${busyRemarkOfDay}`)
  }
  return remarksByDay
}

/** Properties share the objects of days without remarks, because a hundred properties may be requested. */
export const makeCalendarBuilder = (
  range: DateRange
): ((propertyDays: PropertyDays) => ReadonlyArray<DayAvailability>) => {
  const freeDays = listDates(range.start, range.end).map((date) => ({ date, available: true, remarks: "" }))
  const takenDays = freeDays.map((day) => ({ ...day, available: false }))
  const inactiveDays = takenDays.map((day) => ({ ...day, remarks: DEACTIVATED_REMARK }))
  return (propertyDays) => {
    const days: Array<DayAvailability> = freeDays.slice()
    const updateDay = (distance: number, change: (day: DayAvailability) => DayAvailability | undefined) => {
      const day = days[distance]
      if (day !== undefined) days[distance] = change(day) ?? day
    }
    for (const distance of propertyDays.taken) updateDay(distance, () => takenDays[distance])
    for (const [distance, remarks] of buildRemarks(propertyDays)) updateDay(distance, (day) => ({ ...day, remarks }))
    for (let distance = Math.max(0, propertyDays.not_let_from ?? days.length); distance < days.length; distance += 1)
      updateDay(distance, (day) => (day.remarks === "" ? inactiveDays[distance] : toInactiveDay(day)))
    return days
  }
}
