import { addDays, daysInRange } from "../../../contract/time.ts"
import { AVAILABILITY_END_DAYS, LISTING_INVENTORY_MAX } from "../../../platform/limits.ts"
import type { DayRangeInventory } from "../../channels/port/listing-days.ts"
import type { DayRange } from "./rules.ts"

export interface ListingInventory extends DayRange {
  /** `linked`: the listing has a mapping. `rooms`: number of active properties. */
  readonly linked: boolean
  readonly rooms: number
  /** Unavailable rooms by offset from `start_date`, without zeros. */
  readonly unsellable: ReadonlyMap<number, number>
  /** Days whose inventory the host set, unless their availability has changed since then. */
  readonly said: ReadonlyArray<DayRange>
  /** Days of pending or running calendar pushes. */
  readonly untold: ReadonlyArray<DayRange>
}

export const pushHorizonOf = (today: string): DayRange => ({
  start_date: today,
  end_date: addDays(today, AVAILABILITY_END_DAYS)
})

export const clipRanges = <Range extends DayRange>(
  ranges: ReadonlyArray<Range>,
  { start_date, end_date }: DayRange
): ReadonlyArray<Range> =>
  ranges
    .map((range) => ({
      ...range,
      start_date: range.start_date < start_date ? start_date : range.start_date,
      end_date: range.end_date > end_date ? end_date : range.end_date
    }))
    .filter((range) => range.start_date <= range.end_date)

export const countSellable = ({ rooms, unsellable }: ListingInventory, offset: number): number =>
  Math.min(Math.max(rooms - (unsellable.get(offset) ?? 0), 0), LISTING_INVENTORY_MAX)

export const listDayOffsets = (first: string, ranges: ReadonlyArray<DayRange>): ReadonlySet<number> =>
  new Set(
    ranges.flatMap(({ start_date, end_date }) => {
      const from = daysInRange(first, start_date) - 1
      return Array.from({ length: Math.max(daysInRange(start_date, end_date), 0) }, (_, nth) => from + nth)
    })
  )

const groupEqualDays = (first: string, inventories: ReadonlyMap<number, number>): ReadonlyArray<DayRangeInventory> => {
  const ranges: Array<{ from: number; to: number; inventory: number }> = []
  for (const [at, inventory] of Array.from(inventories).toSorted(([one], [other]) => one - other)) {
    const last = ranges.at(-1)
    if (last !== undefined && last.to === at - 1 && last.inventory === inventory) last.to = at
    else ranges.push({ from: at, to: at, inventory })
  }
  return ranges.map(({ from, to, inventory }) => ({
    start_date: addDays(first, from),
    end_date: addDays(first, to),
    inventory
  }))
}

export const toCalendarInventories = (
  stock: ListingInventory,
  days: ReadonlyArray<DayRange>
): ReadonlyArray<DayRangeInventory> =>
  groupEqualDays(
    stock.start_date,
    new Map(Array.from(listDayOffsets(stock.start_date, days), (at) => [at, countSellable(stock, at)]))
  )

/**
 * Returns the host's inventory for each day, from the last range with the day. Returns the available number instead if
 * it is 0, or if the day's availability has changed since the host's call.
 */
export const toHostInventories = (
  stock: ListingInventory,
  requested: ReadonlyArray<DayRangeInventory>
): ReadonlyArray<DayRangeInventory> => {
  if (!stock.linked) return requested
  const first = stock.start_date
  const hostDays = listDayOffsets(first, stock.said)
  const inventories = new Map<number, number>()
  // Goes backwards, so that the last range with a day decides.
  for (const { start_date, end_date, inventory } of requested.toReversed()) {
    const end = daysInRange(first, end_date)
    for (let at = daysInRange(first, start_date) - 1; at < end; at++) {
      if (inventories.has(at)) continue
      const free = countSellable(stock, at)
      inventories.set(at, free === 0 || !hostDays.has(at) ? free : inventory)
    }
  }
  return groupEqualDays(first, inventories)
}
