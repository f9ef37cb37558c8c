// What the benches make of what they counted: pure, so that test/bench.system.test.ts can hold it.

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}

/** Windows of warm-up that are compared with as many before them. */
export const STEADY_WINDOWS = 5
/** How far the medians of these two may be apart, as a share of the earlier one. */
export const STEADY_WITHIN = 0.05

/** The rate that the last windows of a warm-up had. */
const lastRate = (rates: ReadonlyArray<number>): number => median(rates.slice(-STEADY_WINDOWS))

/**
 * Whether a server has come to its full speed: the last windows were as fast as those before them. By medians of five,
 * so that neither an odd window nor two alike in a row that still rises decide.
 */
export const isSteady = (rates: ReadonlyArray<number>): boolean => {
  if (rates.length < 2 * STEADY_WINDOWS) return false
  const earlier = median(rates.slice(-2 * STEADY_WINDOWS, -STEADY_WINDOWS))
  return Math.abs(lastRate(rates) - earlier) <= STEADY_WITHIN * earlier
}

/** Windows until the first one, inclusive, that was as fast as the last ones are. */
export const windowsToFullSpeed = (rates: ReadonlyArray<number>): number => {
  const full = lastRate(rates) * (1 - STEADY_WITHIN)
  return rates.findIndex((rate) => rate >= full) + 1
}

/** Whether the later half of a row is higher by more than it scatters: then rounds were measured too early. */
export const stillRises = (row: ReadonlyArray<number>): boolean => {
  const half = Math.floor(row.length / 2)
  return half > 0 && median(row.slice(-half)) > (1 + 2 * STEADY_WITHIN) * median(row.slice(0, half))
}

/** The heap around one collection, in bytes. */
export interface Collection {
  readonly before: number
  readonly after: number
}

/** Bytes that objects took between two looks at the heap: what it grew by from each collection to the next. */
export const allocatedBytes = (first: number, collections: ReadonlyArray<Collection>, last: number): number => {
  let allocated = 0
  let since = first
  for (const { before, after } of collections) {
    allocated += before - since
    since = after
  }
  return allocated + last - since
}

/** In the order of this round: each is first once in as many rounds as there are. */
export const inTurn = <A>(all: ReadonlyArray<A>, round: number): ReadonlyArray<A> => {
  const first = round % Math.max(all.length, 1)
  return [...all.slice(first), ...all.slice(0, first)]
}

/** What a case took on a server. */
export interface Taken {
  /** Requests a second. */
  readonly perSecond: number
  /** Microseconds of processor of all threads, a request. */
  readonly processor: number
}

/** How much better one server is than another: above 1 it is. */
export const ratios = (one: Taken, other: Taken) => ({
  byProcessor: other.processor / one.processor,
  byRate: one.perSecond / other.perSecond
})
