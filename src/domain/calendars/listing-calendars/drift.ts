import { addDays, dateInZone, daysInRange, startOfDay } from "../../../contract/time.ts"
import type { DayRangeInventory } from "../../channels/port/listing-days.ts"
import { countSellable, type ListingInventory, listDayOffsets } from "./listing-inventory.ts"
import type { DayRange } from "./rules.ts"

const HOUR_MS = 60 * 60 * 1000
/** Nightly comparisons begin at 03:00 local time and are spread over two hours. */
const COMPARISON_START_MS = 3 * HOUR_MS
const COMPARISON_SPREAD_MS = 2 * HOUR_MS

export const computeNextComparisonAt = (now: Date, timeZone: string, random: number): Date => {
  const comparisonTimeOn = (day: string) =>
    new Date(startOfDay(day, timeZone).getTime() + COMPARISON_START_MS + random * COMPARISON_SPREAD_MS)
  const today = dateInZone(now, timeZone)
  const tonight = startOfDay(today, timeZone).getTime() + COMPARISON_START_MS
  return comparisonTimeOn(now.getTime() < tonight ? today : addDays(today, 1))
}

export interface Drift {
  /** Days on which the channel sells more than is available. */
  readonly more: ReadonlyArray<string>
  /** Days on which it sold less in two consecutive comparisons. */
  readonly fewer: ReadonlyArray<string>
  /** Days on which it sells less for the first time, perhaps because of a booking that has not arrived yet. */
  readonly suspected: ReadonlyArray<string>
}

/**
 * Ignores days that are still to be sent. A day whose inventory the host set is drift only if the channel offers rooms
 * while none is available.
 */
export const findDrift = (
  stock: ListingInventory,
  channelDays: ReadonlyArray<Pick<DayRangeInventory, "inventory"> & { readonly date: string }>,
  suspected: ReadonlyArray<DayRange>
): Drift => {
  const first = stock.start_date
  const length = daysInRange(first, stock.end_date)
  const untold = listDayOffsets(first, stock.untold)
  const said = listDayOffsets(first, stock.said)
  const alreadySuspected = listDayOffsets(first, suspected)
  const kindOf = (at: number, inventory: number): keyof Drift | undefined => {
    const sellable = countSellable(stock, at)
    if (at < 0 || at >= length || untold.has(at) || inventory === sellable || (said.has(at) && sellable > 0))
      return undefined
    if (inventory > sellable) return "more"
    return alreadySuspected.has(at) ? "fewer" : "suspected"
  }
  const classifiedDays = channelDays.map(({ date, inventory }) => ({
    date,
    kind: kindOf(daysInRange(first, date) - 1, inventory)
  }))
  const days = (kind: keyof Drift) =>
    classifiedDays.flatMap((each) => (each.kind === kind ? [each.date] : [])).toSorted()
  return { more: days("more"), fewer: days("fewer"), suspected: days("suspected") }
}
