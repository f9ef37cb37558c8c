import { toDayNumber } from "../../../../contract/time.ts"

// A property's days side by side, as cells of a table: what takes the same night as something before it goes into the next lane.

/** Something that takes the days from `from` on and before `before`, `YYYY-MM-DD`. */
export interface DateSpan<Value> {
  readonly from: string
  readonly end: string
  readonly value: Value
}

/** A cell: so many days, and what takes them; undefined: nothing does. `start` is the place of its first day. */
export interface CalendarCell<Value> {
  readonly start: number
  readonly days: number
  readonly value: Value | undefined
  /** It began before the first day that is shown, or goes on after the last. */
  readonly startsEarlier: boolean
  readonly endsLater: boolean
}

interface PlacedCell<Value> extends CalendarCell<Value> {
  readonly value: Value
}

/** What is shown of it from the first day on, `days` of them; undefined: nothing. */
const placeSpan = <Value>(span: DateSpan<Value>, first: number, days: number): PlacedCell<Value> | undefined => {
  const [from, before] = [toDayNumber(span.from) - first, toDayNumber(span.end) - first]
  const [start, end] = [Math.max(from, 0), Math.min(before, days)]
  return end <= start
    ? undefined
    : { start, days: end - start, value: span.value, startsEarlier: from < 0, endsLater: before > days }
}

/** Free days before `until`, each a cell of its own. */
const freeCells = (from: number, until: number): ReadonlyArray<CalendarCell<never>> =>
  Array.from({ length: until - from }, (_, index) => ({
    ...{ start: from + index, days: 1, value: undefined, startsEarlier: false, endsLater: false }
  }))

/** One row of cells without gaps. */
const fillGaps = <Value>(
  placedCells: ReadonlyArray<PlacedCell<Value>>,
  days: number
): ReadonlyArray<CalendarCell<Value>> => {
  const cells: Array<CalendarCell<Value>> = []
  let nextDay = 0
  for (const placedCell of placedCells) {
    cells.push(...freeCells(nextDay, placedCell.start), placedCell)
    nextDay = placedCell.start + placedCell.days
  }
  return [...cells, ...freeCells(nextDay, days)]
}

/**
 * Rows of cells that together show all of it, each from the `first` day on for so many `days`. What is earlier in the list is
 * in the earlier row where two take the same day.
 */
export const toCalendarRows = <Value>(
  spans: ReadonlyArray<DateSpan<Value>>,
  first: string,
  days: number
): ReadonlyArray<ReadonlyArray<CalendarCell<Value>>> => {
  const rows: Array<Array<PlacedCell<Value>>> = [[]]
  for (const span of spans) {
    const cell = placeSpan(span, toDayNumber(first), days)
    if (cell === undefined) continue
    const isFree = (row: ReadonlyArray<PlacedCell<Value>>) =>
      row.every((other) => other.start + other.days <= cell.start || cell.start + cell.days <= other.start)
    const row = rows.find(isFree)
    if (row === undefined) rows.push([cell])
    else row.push(cell)
  }
  return rows.map((row) =>
    fillGaps(
      row.toSorted((one, other) => one.start - other.start),
      days
    )
  )
}
