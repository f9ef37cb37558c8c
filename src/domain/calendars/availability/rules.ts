import { Result, Schema } from "effect"
import { type DateRange, inOrder, rangeOf } from "../../../contract/date-range.ts"
import { BadRequest, ValidationFailed } from "../../../contract/errors.ts"
import { addDays, daysInRange } from "../../../contract/time.ts"
import {
  AVAILABILITY_ANSWER_DAYS,
  AVAILABILITY_CHANGE_DAYS,
  AVAILABILITY_END_DAYS,
  AVAILABILITY_START_DAYS
} from "../../../platform/limits.ts"
import type { DayAvailability } from "./contract.ts"

/** Days from the first to the last, both included, in order. */
export const daysFrom = (first: string, last: string): ReadonlyArray<string> =>
  Array.from({ length: Math.max(0, daysInRange(first, last)) }, (_, index) => addDays(first, index))

const broken = (message: string) => Result.fail(new ValidationFailed({ message }))

const endInReach = (range: DateRange, today: string): Result.Result<DateRange, ValidationFailed> =>
  range.end > addDays(today, AVAILABILITY_END_DAYS)
    ? broken(`end_date: must be within ${AVAILABILITY_END_DAYS} days of today.`)
    : Result.succeed(range)

/** The days a read covers: the start within a year of today either way, the end within three (contract facts 6.1). */
export const readableRange = (range: DateRange, today: string): Result.Result<DateRange, ValidationFailed> =>
  Result.flatMap(inOrder(range), () =>
    Math.abs(daysInRange(today, range.start) - 1) > AVAILABILITY_START_DAYS
      ? broken(`start_date: must be within ${AVAILABILITY_START_DAYS} days of today.`)
      : endInReach(range, today)
  )

/** Whether one answer holds so many properties over such a range: their days together are what it is made of. */
export const fitsAnAnswer = (properties: number, range: DateRange): Result.Result<DateRange, ValidationFailed> => {
  const days = daysInRange(range.start, range.end)
  return properties * days > AVAILABILITY_ANSWER_DAYS
    ? broken(
        `property_ids: ${properties} properties times ${days} days from start_date to end_date are ${properties * days}, and one answer covers at most ${AVAILABILITY_ANSWER_DAYS}; ask for fewer properties or fewer days.`
      )
    : Result.succeed(range)
}

/** Whether one change may name so many properties and so many days of each: all of it happens in one statement. */
export const fitsAChange = (
  properties: number,
  days: ReadonlyArray<string>
): Result.Result<ReadonlyArray<string>, ValidationFailed> =>
  properties * days.length > AVAILABILITY_CHANGE_DAYS
    ? broken(
        `property_ids: ${properties} properties times ${days.length} days are ${properties * days.length}, and one change covers at most ${AVAILABILITY_CHANGE_DAYS}; name fewer properties, or fewer days in start_date and end_date or in dates.`
      )
    : Result.succeed(days)

/** The days a change names: a whole range, or else single days (contract facts 6.2); in order, each once. */
export const changeableDays = (
  payload: { readonly start_date?: string; readonly end_date?: string; readonly dates?: ReadonlyArray<string> },
  today: string
): Result.Result<ReadonlyArray<string>, BadRequest | ValidationFailed> =>
  Result.flatMap(rangeOf(payload), (range): Result.Result<ReadonlyArray<string>, BadRequest | ValidationFailed> => {
    if (range !== undefined) return daysOfRange(range, today)
    return payload.dates === undefined
      ? Result.fail(new BadRequest({ message: "start_date: is required with end_date, unless dates is given." }))
      : singleDays(payload.dates, today)
  })

const daysOfRange = (range: DateRange, today: string): Result.Result<ReadonlyArray<string>, ValidationFailed> =>
  range.start < today
    ? broken("start_date: must be today or later.")
    : Result.map(endInReach(range, today), ({ start, end }) => daysFrom(start, end))

const singleDays = (
  dates: ReadonlyArray<string>,
  today: string
): Result.Result<ReadonlyArray<string>, ValidationFailed> => {
  if (dates.length === 0) return broken("dates: must name at least one date.")
  const last = addDays(today, AVAILABILITY_END_DAYS)
  const days = Array.from(new Set(dates)).sort()
  return days.some((day) => day < today || day > last)
    ? broken(`dates: must be today or later, and within ${AVAILABILITY_END_DAYS} days.`)
    : Result.succeed(days)
}

/** What is known of a property's days in a range, each by its distance from the first. */
export const KnownDays = Schema.Struct({
  taken: Schema.Array(Schema.Int),
  remarks: Schema.Record(Schema.String, Schema.String),
  /** By the host of a calendar of elsewhere: the days it says are busy. */
  elsewhere: Schema.Record(Schema.String, Schema.Array(Schema.Int)),
  /** The first on which it is not let, which may lie outside; null: it is let. */
  not_let_from: Schema.NullOr(Schema.Int)
})
export type KnownDays = typeof KnownDays.Type

/** What is remarked on the days of a property that is not let. */
export const DEACTIVATED = "the property is deactivated"

const notLet = ({ date, remarks }: DayAvailability): DayAvailability => ({
  date,
  available: false,
  remarks: `${remarks}; ${DEACTIVATED}`
})

/** What a day's remarks say of where it is busy. */
export const busyIn = (hosts: ReadonlyArray<string>): string => `Busy in the calendar of ${hosts.join(", ")}`

/** What is remarked on days, by their distance: the host's own words, then where they are busy. */
const remarksOf = ({ remarks, elsewhere }: KnownDays): ReadonlyMap<number, string> => {
  const hosts = new Map<number, Array<string>>()
  for (const [host, days] of Object.entries(elsewhere).toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    for (const day of days) {
      const known = hosts.get(day)
      if (known === undefined) hosts.set(day, [host])
      else known.push(host)
    }
  }
  const said = new Map<number, string>()
  for (const [day, busy] of hosts) said.set(day, busyIn(busy))
  for (const [day, own] of Object.entries(remarks)) {
    const busy = said.get(Number(day))
    said.set(Number(day), busy === undefined ? own : `${own}; ${busy}`)
  }
  return said
}

/**
 * Every day of a range in order, of one property after the other. A hundred properties have the same dates, so a day that
 * is no more than free or taken is made once and is the same object in all of them.
 */
export const calendarOver = (range: DateRange): ((known: KnownDays) => ReadonlyArray<DayAvailability>) => {
  const free = daysFrom(range.start, range.end).map((date) => ({ date, available: true, remarks: "" }))
  const taken = free.map((day) => ({ ...day, available: false }))
  const off = taken.map((day) => ({ ...day, remarks: DEACTIVATED }))
  return (known) => {
    const days: Array<DayAvailability> = free.slice()
    const put = (distance: number, change: (day: DayAvailability) => DayAvailability | undefined) => {
      const day = days[distance]
      if (day !== undefined) days[distance] = change(day) ?? day
    }
    for (const distance of known.taken) put(distance, () => taken[distance])
    for (const [distance, remarks] of remarksOf(known)) put(distance, (day) => ({ ...day, remarks }))
    for (let distance = Math.max(0, known.not_let_from ?? days.length); distance < days.length; distance += 1)
      put(distance, (day) => (day.remarks === "" ? off[distance] : notLet(day)))
    return days
  }
}
