import { addDays, dateInZone, daysInRange, startOfDay } from "../../../contract/time.ts"
import type { DayRangeInventory } from "../../channels/port/listing-days.ts"
import { countSellable, type ListingInventory, listDayOffsets } from "./listing-inventory.ts"
import type { DayRange } from "./rules.ts"

// What a channel sells of a listing beside what can be sold here.

const HOUR_MS = 60 * 60 * 1000
/** Calendars are compared from three o'clock at night on, each at its own moment of two hours. */
const COMPARISON_START_MS = 3 * HOUR_MS
const COMPARISON_SPREAD_MS = 2 * HOUR_MS

/** When a listing's calendar is compared next; `random` is from 0 to 1. */
export const computeNextComparisonAt = (now: Date, timeZone: string, random: number): Date => {
  const comparisonTimeOn = (day: string) =>
    new Date(startOfDay(day, timeZone).getTime() + COMPARISON_START_MS + random * COMPARISON_SPREAD_MS)
  const today = dateInZone(now, timeZone)
  // Who was compared this night is not compared in it again.
  const tonight = startOfDay(today, timeZone).getTime() + COMPARISON_START_MS
  return comparisonTimeOn(now.getTime() < tonight ? today : addDays(today, 1))
}

/** Days on which the two differ, each in order. */
export interface Drift {
  /** The channel sells more than there is. */
  readonly more: ReadonlyArray<string>
  /** It sells less, at two looks. */
  readonly fewer: ReadonlyArray<string>
  /** It sells less, at this look: what it has sold may be on its way to us. */
  readonly suspected: ReadonlyArray<string>
}

/**
 * Compares the days that the channel answered. What it is still to be told says nothing, and of what the host said for this
 * listing alone only that it sells a night of which there is nothing to sell.
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
