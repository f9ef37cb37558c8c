import { Schema } from "effect"
import type { DateRange } from "../../../contract/date-range.ts"
import { addDays, daysInRange } from "../../../contract/time.ts"
import { AVAILABILITY_END_DAYS } from "../../../platform/limits.ts"
import { firstOfMonthAfter } from "../calendar-share-links/rules.ts"

/** The feed begins in the past, so that the event of a current stay keeps its first night and its UID. */
const PAST_MONTHS = 1

/** A read of the feed with unchanged busy days is recorded again only after this time. */
export const READ_RECORD_INTERVAL_MS = 60 * 60 * 1000

export const feedDateRange = (today: string): DateRange => ({
  start: firstOfMonthAfter(today, -PAST_MONTHS),
  end: addDays(today, AVAILABILITY_END_DAYS)
})

/** Days are sorted offsets from the first day of the range. `stay_ids` has the stay of each night of `stay_days`. */
export const BusyDaysRow = Schema.Struct({
  is_active: Schema.Boolean,
  stay_days: Schema.Array(Schema.Int),
  stay_ids: Schema.Array(Schema.Int),
  /** Days that the host or imported calendars block. */
  unavailable_days: Schema.Array(Schema.Int),
  /** Busy days of the last recorded read, from today on, as a `datemultirange`. */
  reported_days: Schema.String,
  is_report_recent: Schema.Boolean
})
export type BusyDaysRow = typeof BusyDaysRow.Type

export interface FeedBusyPeriod {
  readonly reason: "stay" | "closed" | "not let"
  readonly start: string
  /** Exclusive. */
  readonly end: string
}

interface DayRun {
  readonly first: number
  readonly last: number
  readonly holder: number
}

const toDayRuns = (days: ReadonlyArray<{ readonly day: number; readonly holder: number }>): ReadonlyArray<DayRun> => {
  const runs: Array<DayRun> = []
  for (const { day, holder } of days) {
    const previous = runs.at(-1)
    const isConsecutive = previous !== undefined && previous.last === day - 1 && previous.holder === holder
    if (isConsecutive) runs.pop()
    runs.push({ first: isConsecutive ? previous.first : day, last: day, holder })
  }
  return runs
}

export const toBusyPeriods = (
  { is_active, stay_days, stay_ids, unavailable_days }: BusyDaysRow,
  { start, end }: DateRange
): ReadonlyArray<FeedBusyPeriod> => {
  if (!is_active) return [{ reason: "not let", start, end: addDays(end, 1) }]
  const toPeriod = (reason: FeedBusyPeriod["reason"]) => (run: DayRun) => ({
    reason,
    start: addDays(start, run.first),
    end: addDays(start, run.last + 1)
  })
  const stays = toDayRuns(stay_days.map((day, index) => ({ day, holder: stay_ids[index] ?? 0 })))
  return [
    ...stays.map(toPeriod("stay")),
    ...toDayRuns(unavailable_days.map((day) => ({ day, holder: 0 }))).map(toPeriod("closed"))
  ].toSorted((one, other) => daysInRange(other.start, one.start) - 1)
}

/** Leaves out days before today. */
export const toBusyDateMultirange = (busyPeriods: ReadonlyArray<FeedBusyPeriod>, today: string): string => {
  const ranges: Array<Pick<FeedBusyPeriod, "start" | "end">> = []
  for (const { start, end } of busyPeriods) {
    if (end <= today) continue
    const from = start < today ? today : start
    const isConsecutive = ranges.at(-1)?.end === from
    ranges.push({ start: isConsecutive ? (ranges.pop()?.start ?? from) : from, end })
  }
  return `{${ranges.map(({ start, end }) => `[${start},${end})`).join(",")}}`
}
