import { toDayNumber } from "../../../../contract/time.ts"

/** The day `from` is included, the day `end` is not. Both are `YYYY-MM-DD`. */
export interface DateSpan<Value> {
  readonly from: string
  readonly end: string
  readonly value: Value
}

/** `start` is the index of the first day. `value` is undefined for free days. */
export interface CalendarCell<Value> {
  readonly start: number
  readonly days: number
  readonly value: Value | undefined
  readonly startsEarlier: boolean
  readonly endsLater: boolean
}

interface PlacedCell<Value> extends CalendarCell<Value> {
  readonly value: Value
}

const placeSpan = <Value>(span: DateSpan<Value>, first: number, days: number): PlacedCell<Value> | undefined => {
  const [from, before] = [toDayNumber(span.from) - first, toDayNumber(span.end) - first]
  const [start, end] = [Math.max(from, 0), Math.min(before, days)]
  return end <= start
    ? undefined
    : { start, days: end - start, value: span.value, startsEarlier: from < 0, endsLater: before > days }
}

const freeCells = (from: number, until: number): ReadonlyArray<CalendarCell<never>> =>
  Array.from({ length: until - from }, (_, index) => ({
    ...{ start: from + index, days: 1, value: undefined, startsEarlier: false, endsLater: false }
  }))

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

/** Each span, in list order, gets the first row in which its days are free. */
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
