import { addDays, daysInRange } from "../../../contract/time.ts"
import { AVAILABILITY_END_DAYS, LISTING_INVENTORY_MAX } from "../../../platform/limits.ts"
import type { DayRangeInventory } from "../../channels/port/listing-days.ts"
import type { DayRange } from "./rules.ts"

// How many of a listing can be sold on each day, and what of that its channel is told.

/** What is known of a listing's days from `start_date` on, at one moment. */
export interface ListingInventory extends DayRange {
  /** It sells a property or the properties of a room type, of which so many are let. */
  readonly linked: boolean
  readonly rooms: number
  /** How many of them cannot be sold on a day, by how many days it is after `start_date`; no day: all can. */
  readonly unsellable: ReadonlyMap<number, number>
  /** Days of which the host said last, for this listing alone, how many can be sold. */
  readonly said: ReadonlyArray<DayRange>
  /** Days that the channel is being told of by the calendar itself, or is to be. */
  readonly untold: ReadonlyArray<DayRange>
}

/** The days that can be told of: from today to the last that can be closed or opened. */
export const pushHorizonOf = (today: string): DayRange => ({
  start_date: today,
  end_date: addDays(today, AVAILABILITY_END_DAYS)
})

/** What of the ranges lies between two days, both included. */
export const clipRanges = (
  ranges: ReadonlyArray<DayRange>,
  { start_date, end_date }: DayRange
): ReadonlyArray<DayRange> =>
  ranges
    .map((range) => ({
      start_date: range.start_date < start_date ? start_date : range.start_date,
      end_date: range.end_date > end_date ? end_date : range.end_date
    }))
    .filter((range) => range.start_date <= range.end_date)

/** How many can be sold, by how many days the day is after the first. */
export const countSellable = ({ rooms, unsellable }: ListingInventory, offset: number): number =>
  Math.min(Math.max(rooms - (unsellable.get(offset) ?? 0), 0), LISTING_INVENTORY_MAX)

/** The days of the ranges, by how many days they are after `first`. */
export const listDayOffsets = (first: string, ranges: ReadonlyArray<DayRange>): ReadonlySet<number> =>
  new Set(
    ranges.flatMap(({ start_date, end_date }) => {
      const from = daysInRange(first, start_date) - 1
      return Array.from({ length: Math.max(daysInRange(start_date, end_date), 0) }, (_, nth) => from + nth)
    })
  )

/** Days that follow each other and have the same number are one range. */
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

/** What a channel is told of these days by the calendar itself. */
export const toCalendarInventories = (
  stock: ListingInventory,
  days: ReadonlyArray<DayRange>
): ReadonlyArray<DayRangeInventory> =>
  groupEqualDays(
    stock.start_date,
    new Map(Array.from(listDayOffsets(stock.start_date, days), (at) => [at, countSellable(stock, at)]))
  )

/**
 * What a channel is told of the days the host named for this listing alone. His word counts where a later range has none of
 * the day, unless the calendar has changed there since; and a night of which nothing can be sold here is sold nowhere.
 */
export const toHostInventories = (
  stock: ListingInventory,
  requested: ReadonlyArray<DayRangeInventory>
): ReadonlyArray<DayRangeInventory> => {
  if (!stock.linked) return requested
  const first = stock.start_date
  const hostDays = listDayOffsets(first, stock.said)
  const inventories = new Map<number, number>()
  // From the last range on, so that a day is reckoned once, however many ranges name it.
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
