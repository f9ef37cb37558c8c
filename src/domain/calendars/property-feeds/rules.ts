import { Schema } from "effect"
import type { DateRange } from "../../../contract/date-range.ts"
import { addDays, daysInRange } from "../../../contract/time.ts"
import { AVAILABILITY_END_DAYS } from "../../../platform/limits.ts"
import { firstOfMonthAfter } from "../calendar-share-links/rules.ts"

/** Past months in a feed. With them a current stay keeps its first night, and so the UID of its event. */
const PAST_MONTHS = 1

/** Milliseconds after which an unchanged report is recorded again. So the record shows that the feed is still read. */
export const READ_RECORD_INTERVAL_MS = 60 * 60 * 1000

/** Returns the days that a feed covers, up to the last day that can be sold or blocked. */
export const feedDateRange = (today: string): DateRange => ({
  start: firstOfMonthAfter(today, -PAST_MONTHS),
  end: addDays(today, AVAILABILITY_END_DAYS)
})

/** The busy days of a property in a range. Days are offsets from its first day, in ascending order. */
export const BusyDaysRow = Schema.Struct({
  is_active: Schema.Boolean,
  /** Nights of stays. `stay_ids` has the stay of each night, in the same order. */
  stay_days: Schema.Array(Schema.Int),
  stay_ids: Schema.Array(Schema.Int),
  /** Other days that the host blocked or that other calendars block, each once. */
  unavailable_days: Schema.Array(Schema.Int),
  /** The days from today on that the last read reported, as a `datemultirange`. */
  reported_days: Schema.String,
  /** Whether the last report was recorded within {@link READ_RECORD_INTERVAL_MS}. */
  is_report_recent: Schema.Boolean
})
export type BusyDaysRow = typeof BusyDaysRow.Type

/** Consecutive days that are busy for one reason. */
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

/** Returns the runs of consecutive days with the same holder. */
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

/** Returns the busy periods of a property: each stay, and each run of days that are unavailable for another reason. */
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

/** Returns the busy days from today on, as a `datemultirange`. */
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
