import { Result } from "effect"
import { decimalText } from "../../contract/money.ts"
import { addDays, daysInRange } from "../../contract/time.ts"
import type {
  ListingDay,
  PricedDays,
  RestrictedDays,
  Restrictions,
  StockedDays
} from "../../domain/channels/port/days.ts"
import { majorOf, roundedUnits, unitsOfText, withoutPercent } from "./amounts.ts"
import { DIFFERENCES, isHonoured, type SandboxChannel } from "./channels.ts"
import type { Day, Listing } from "./rows.ts"
import { settledPrice } from "./settings.ts"

// What a listing sells on its days, and what becomes of them by what the host says.

/** Days one push may name: those that can be sold, and some. */
const PUSHED_DAYS = 1_200

/** The days of a listing of which something is known, by date. */
export type Days = ReadonlyMap<string, Day>

export const daysOf = (listing: Listing, days: ReadonlyArray<Day>): Days =>
  new Map(days.filter((day) => day.listing_id === listing.listing_id).map((day) => [day.day, day]))

export const dayOf = (listing: Listing, days: Days, date: string): Day =>
  days.get(date) ?? {
    listing_id: listing.listing_id,
    day: date,
    price: null,
    offered: null,
    taken: 0,
    sold: 0,
    restrictions: {}
  }

/** How many can still be sold. */
export const leftOf = (listing: Listing, { offered, taken, sold }: Day): number =>
  offered === null ? Math.max(listing.rooms - sold, 0) : offered - taken

/** What the guest pays for the night before taxes, in smallest units. */
export const priceOf = (listing: Listing, { price, day }: Day): bigint =>
  price === null ? settledPrice(listing, day) : unitsOfText(price, listing.currency)

/** A night is sold, or free again: what the host said last of how many there are stays the last word. */
export const sold = (day: Day): Day => ({ ...day, taken: day.taken + 1, sold: day.sold + 1 })
export const givenBack = (day: Day): Day => ({
  ...day,
  taken: Math.max(day.taken - 1, 0),
  sold: Math.max(day.sold - 1, 0)
})

/** The days from `start` to `end`, both included. */
export const datesBetween = (start: string, end: string): ReadonlyArray<string> =>
  Array.from({ length: Math.max(daysInRange(start, end), 0) }, (_, index) => addDays(start, index))

/** The days as the host reads them. */
export const readDays = (
  channel: SandboxChannel,
  listing: Listing,
  days: Days,
  { start, end }: { readonly start: string; readonly end: string }
): ReadonlyArray<ListingDay> =>
  datesBetween(start, end).map((date) => {
    const day = dayOf(listing, days, date)
    const paid = priceOf(listing, day)
    const price = DIFFERENCES[channel].pricesAre === "the guest's" ? withoutPercent(paid, listing.commission) : paid
    return {
      date,
      price: majorOf(price, listing.currency),
      inventory: leftOf(listing, day),
      ...(Object.keys(day.restrictions).length === 0 ? {} : { restrictions: day.restrictions })
    }
  })

interface Range {
  readonly start_date: string
  readonly end_date: string
}

/** Of each day that the ranges name the last range that names it, by how many days it is after `first`. */
const lastOf = <R extends Range>(first: string, ranges: ReadonlyArray<R>): ReadonlyMap<number, R> => {
  const last = new Map<number, R>()
  for (const range of ranges.toReversed()) {
    const end = daysInRange(first, range.end_date)
    for (let at = daysInRange(first, range.start_date) - 1; at < end; at++) if (!last.has(at)) last.set(at, range)
  }
  return last
}

/**
 * What each day that the ranges name becomes. `lists` are the ranges of which the last one of a day counts, each for itself.
 * A day is reckoned once, however many ranges name it.
 */
const changedBy = <R extends Range>(
  listing: Listing,
  days: Days,
  lists: ReadonlyArray<ReadonlyArray<R>>,
  change: (day: Day, range: R) => Day
): Result.Result<ReadonlyArray<Day>, string> => {
  const [first] = lists.flatMap((ranges) => ranges.map(({ start_date }) => start_date)).toSorted()
  if (first === undefined) return Result.succeed([])
  if (lists.some((ranges) => ranges.some((range) => daysInRange(range.start_date, range.end_date) > PUSHED_DAYS))) {
    return Result.fail("a range is too long")
  }
  const changed = new Map<number, Day>()
  for (const ranges of lists) {
    for (const [at, range] of lastOf(first, ranges)) {
      changed.set(at, change(changed.get(at) ?? dayOf(listing, days, addDays(first, at)), range))
    }
    if (changed.size > PUSHED_DAYS) return Result.fail("too many days")
  }
  return Result.succeed(Array.from(changed.values()))
}

export const priced = (listing: Listing, days: Days, prices: ReadonlyArray<PricedDays>) =>
  prices.every(({ price }) => price > 0)
    ? changedBy(listing, days, [prices], (day, { price }) => ({
        ...day,
        price: decimalText(roundedUnits(price, listing.currency), listing.currency)
      }))
    : Result.fail("a price must be above zero")

/** What is said of a night does not count those who have it and of whom the host does not know yet. */
export const stocked = (
  listing: Listing,
  days: Days,
  inventories: ReadonlyArray<StockedDays>,
  unheard: ReadonlyMap<string, number>
) =>
  changedBy(listing, days, [inventories], (day, { inventory }) => ({
    ...day,
    offered: inventory,
    taken: Math.min(unheard.get(day.day) ?? 0, inventory)
  }))

/** What the channel does not honour it refuses, all of it. What is not said of a day stays. */
export const restricted = (
  channel: SandboxChannel,
  listing: Listing,
  days: Days,
  restrictions: ReadonlyArray<RestrictedDays>
): Result.Result<ReadonlyArray<Day>, string> => {
  const strange = restrictions.flatMap((range) => names(rulesOf(range)).filter((name) => !isHonoured(channel, name)))
  if (strange[0] !== undefined) return Result.fail(`${channel} does not support ${strange[0]}`)
  const lists = RESTRICTIONS.map((name) =>
    restrictions.flatMap(({ start_date, end_date, [name]: rule }) =>
      rule === undefined ? [] : [{ start_date, end_date, rules: { [name]: rule } }]
    )
  )
  return changedBy(listing, days, lists, (day, { rules }) => ({
    ...day,
    restrictions: { ...day.restrictions, ...rules }
  }))
}

const rulesOf = ({ start_date: _start, end_date: _end, ...rules }: RestrictedDays): Restrictions => rules

const RESTRICTIONS = [
  "closed_on_arrival",
  "closed_on_departure",
  "min_stay_on_arrival",
  "max_stay_on_arrival",
  "min_stay_through",
  "max_stay_through",
  "min_advance_reservation",
  "max_advance_reservation",
  "exact_stay_on_arrival"
] as const

const names = (rules: Restrictions) => RESTRICTIONS.filter((name) => rules[name] !== undefined)
