import { toDayNumber } from "../../../../contract/time.ts"

/** A stay takes its days from the middle of the check-in day to the middle of the check-out day. */
export interface NightSpan<Value> {
  readonly checkIn: string
  readonly checkOut: string
  readonly value: Value
}

/** `start` and `length` count half days of the calendar. Bars that overlap have different lanes. */
export interface StayBar<Value> {
  readonly value: Value
  readonly lane: number
  readonly start: number
  readonly length: number
  readonly startsEarlier: boolean
  readonly endsLater: boolean
}

/** Returns the half day that begins at the middle of the day, counted from the start of the day `first`. */
const toNoon = (day: string, first: string): number => 2 * (toDayNumber(day) - toDayNumber(first)) + 1

/** Each span, in list order, gets the first lane in which its days are free. Spans of other days are left out. */
export const placeBars = <Value>(
  spans: ReadonlyArray<NightSpan<Value>>,
  first: string,
  dayCount: number
): ReadonlyArray<StayBar<Value>> => {
  const bars: Array<StayBar<Value>> = []
  for (const { checkIn, checkOut, value } of spans) {
    const [arrival, departure] = [toNoon(checkIn, first), toNoon(checkOut, first)]
    const [start, end] = [Math.max(arrival, 0), Math.min(departure, 2 * dayCount)]
    if (end <= start) continue
    const takenLanes = new Set(
      bars.filter((bar) => start < bar.start + bar.length && bar.start < end).map(({ lane }) => lane)
    )
    let lane = 0
    while (takenLanes.has(lane)) lane += 1
    bars.push({
      ...{ value, lane, start, length: end - start },
      startsEarlier: arrival < 0,
      endsLater: departure > 2 * dayCount
    })
  }
  return bars
}

export const countLanes = (bars: ReadonlyArray<StayBar<unknown>>): number =>
  bars.reduce((most, { lane }) => Math.max(most, lane + 1), 1)
