import { Schema } from "effect"
import type { DateRange } from "../../../contract/date-range.ts"
import { addDays, daysInRange } from "../../../contract/time.ts"
import { AVAILABILITY_END_DAYS } from "../../../platform/limits.ts"
import { firstOfMonthAfter } from "../calendar-share-links/rules.ts"

/** Whole months a feed reaches back: a stay under way keeps its first night, and so its event. */
const PAST_MONTHS = 1

/** Milliseconds after which it is written down again that the same was told: so it is known who still reads. */
export const READ_RECORD_INTERVAL_MS = 60 * 60 * 1000

/** The days a feed covers: to the last one that can be sold or closed. */
export const feedDateRange = (today: string): DateRange => ({
  start: firstOfMonthAfter(today, -PAST_MONTHS),
  end: addDays(today, AVAILABILITY_END_DAYS)
})

/** What is known of a property's days in a span, each by its distance from the first; every list ascending. */
export const BusyDaysRow = Schema.Struct({
  is_let: Schema.Boolean,
  /** Nights that stays hold, and in the same order the stay of each. */
  held: Schema.Array(Schema.Int),
  holders: Schema.Array(Schema.Int),
  /** Days that the host closed or other calendars say are busy, but for those nights; each once. */
  closed: Schema.Array(Schema.Int),
  /** What was told at the last read, without days before today, as the database writes it. */
  told: Schema.String,
  /** Whether that was written down lately enough. */
  told_lately: Schema.Boolean
})
export type BusyDaysRow = typeof BusyDaysRow.Type

/** Days in a row that are busy for one reason. */
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

/** Days next to each other that are of the same, as runs. */
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

/** What makes a property busy: each stay, and each stretch of days that cannot be booked for another reason. */
export const toBusyPeriods = (
  { is_let, held, holders, closed }: BusyDaysRow,
  { start, end }: DateRange
): ReadonlyArray<FeedBusyPeriod> => {
  if (!is_let) return [{ reason: "not let", start, end: addDays(end, 1) }]
  const toPeriod = (reason: FeedBusyPeriod["reason"]) => (run: DayRun) => ({
    reason,
    start: addDays(start, run.first),
    end: addDays(start, run.last + 1)
  })
  const stays = toDayRuns(held.map((day, index) => ({ day, holder: holders[index] ?? 0 })))
  return [
    ...stays.map(toPeriod("stay")),
    ...toDayRuns(closed.map((day) => ({ day, holder: 0 }))).map(toPeriod("closed"))
  ].toSorted((one, other) => daysInRange(other.start, one.start) - 1)
}

/** The days from today on that are busy, as the database writes a set of days. */
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
