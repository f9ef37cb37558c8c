import { Schema } from "effect"
import type { DateRange } from "../../../contract/date-range.ts"
import { addDays, daysInRange } from "../../../contract/time.ts"
import { AVAILABILITY_END_DAYS } from "../../../platform/limits.ts"
import { monthStart } from "../calendar-share-links/rules.ts"

/** Whole months a feed reaches back: a stay under way keeps its first night, and so its event. */
const PAST_MONTHS = 1

/** Milliseconds after which it is written down again that the same was told: so it is known who still reads. */
export const TOLD_AGAIN_MS = 60 * 60 * 1000

/** The days a feed covers: to the last one that can be sold or closed. */
export const feedSpan = (today: string): DateRange => ({
  start: monthStart(today, -PAST_MONTHS),
  end: addDays(today, AVAILABILITY_END_DAYS)
})

/** What is known of a property's days in a span, each by its distance from the first; every list ascending. */
export const KnownBusy = Schema.Struct({
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
export type KnownBusy = typeof KnownBusy.Type

/** Days in a row that are busy for one reason. */
export interface Busy {
  readonly reason: "stay" | "closed" | "not let"
  readonly start: string
  /** Exclusive. */
  readonly end: string
}

interface Run {
  readonly first: number
  readonly last: number
  readonly of: number
}

/** Days next to each other that are of the same, as runs. */
const runsOf = (days: ReadonlyArray<{ readonly day: number; readonly of: number }>): ReadonlyArray<Run> => {
  const runs: Array<Run> = []
  for (const { day, of } of days) {
    const before = runs.at(-1)
    const goesOn = before !== undefined && before.last === day - 1 && before.of === of
    if (goesOn) runs.pop()
    runs.push({ first: goesOn ? before.first : day, last: day, of })
  }
  return runs
}

/** What makes a property busy: each stay, and each stretch of days that cannot be booked for another reason. */
export const busyOf = (
  { is_let, held, holders, closed }: KnownBusy,
  { start, end }: DateRange
): ReadonlyArray<Busy> => {
  if (!is_let) return [{ reason: "not let", start, end: addDays(end, 1) }]
  const stretch = (reason: Busy["reason"]) => (run: Run) => ({
    reason,
    start: addDays(start, run.first),
    end: addDays(start, run.last + 1)
  })
  const stays = runsOf(held.map((day, at) => ({ day, of: holders[at] ?? 0 })))
  return [
    ...stays.map(stretch("stay")),
    ...runsOf(closed.map((day) => ({ day, of: 0 }))).map(stretch("closed"))
  ].toSorted((one, other) => daysInRange(other.start, one.start) - 1)
}

/** The days from today on that are busy, as the database writes a set of days. */
export const toldOf = (busy: ReadonlyArray<Busy>, today: string): string => {
  const stretches: Array<Pick<Busy, "start" | "end">> = []
  for (const { start, end } of busy) {
    if (end <= today) continue
    const from = start < today ? today : start
    const goesOn = stretches.at(-1)?.end === from
    stretches.push({ start: goesOn ? (stretches.pop()?.start ?? from) : from, end })
  }
  return `{${stretches.map(({ start, end }) => `[${start},${end})`).join(",")}}`
}
