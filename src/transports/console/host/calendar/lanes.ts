import { dayNumber } from "../../../../contract/time.ts"

// A property's days side by side, as cells of a table: what takes the same night as something before it goes into the next lane.

/** Something that takes the days from `from` on and before `before`, `YYYY-MM-DD`. */
export interface Spanning<What> {
  readonly from: string
  readonly before: string
  readonly what: What
}

/** A cell: so many days, and what takes them; undefined: nothing does. `at` is the place of its first day. */
export interface Cell<What> {
  readonly at: number
  readonly days: number
  readonly what: What | undefined
  /** It began before the first day that is shown, or goes on after the last. */
  readonly before: boolean
  readonly after: boolean
}

interface Placed<What> extends Cell<What> {
  readonly what: What
}

/** What is shown of it from the first day on, `days` of them; undefined: nothing. */
const placed = <What>(spanning: Spanning<What>, first: number, days: number): Placed<What> | undefined => {
  const [from, before] = [dayNumber(spanning.from) - first, dayNumber(spanning.before) - first]
  const [at, end] = [Math.max(from, 0), Math.min(before, days)]
  return end <= at ? undefined : { at, days: end - at, what: spanning.what, before: from < 0, after: before > days }
}

/** Free days before `until`, each a cell of its own. */
const free = (from: number, until: number): ReadonlyArray<Cell<never>> =>
  Array.from({ length: until - from }, (_, index) => ({
    ...{ at: from + index, days: 1, what: undefined, before: false, after: false }
  }))

/** One row of cells without gaps. */
const filled = <What>(lane: ReadonlyArray<Placed<What>>, days: number): ReadonlyArray<Cell<What>> => {
  const cells: Array<Cell<What>> = []
  let next = 0
  for (const each of lane) {
    cells.push(...free(next, each.at), each)
    next = each.at + each.days
  }
  return [...cells, ...free(next, days)]
}

/**
 * Rows of cells that together show all of it, each from the `first` day on for so many `days`. What is earlier in the list is
 * in the earlier row where two take the same day.
 */
export const lanesOf = <What>(
  all: ReadonlyArray<Spanning<What>>,
  first: string,
  days: number
): ReadonlyArray<ReadonlyArray<Cell<What>>> => {
  const lanes: Array<Array<Placed<What>>> = [[]]
  for (const spanning of all) {
    const cell = placed(spanning, dayNumber(first), days)
    if (cell === undefined) continue
    const isFree = (lane: ReadonlyArray<Placed<What>>) =>
      lane.every((other) => other.at + other.days <= cell.at || cell.at + cell.days <= other.at)
    const lane = lanes.find(isFree)
    if (lane === undefined) lanes.push([cell])
    else lane.push(cell)
  }
  return lanes.map((lane) =>
    filled(
      lane.toSorted((one, other) => one.at - other.at),
      days
    )
  )
}
