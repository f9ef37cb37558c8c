import { Result } from "effect"
import { formatMinorUnits } from "../../contract/money.ts"
import { addDays, daysInRange } from "../../contract/time.ts"
import {
  type DayRangeInventory,
  type DayRangePrice,
  type DayRangeRestrictions,
  type ListingDay,
  RESTRICTION_NAMES,
  type Restrictions
} from "../../domain/channels/port/listing-days.ts"
import { CHANNEL_PROFILES, type SandboxChannel, supportsRestriction } from "./channel-profiles.ts"
import { computeDefaultNightPrice } from "./listing-settings.ts"
import { deductPercentage, parseUnits, toMajorUnits, toRoundedUnits } from "./minor-units.ts"
import type { SandboxDay, SandboxListing } from "./rows.ts"

const MAX_PUSHED_DAYS = 1_200

export type DaysByDate = ReadonlyMap<string, SandboxDay>

export const indexDaysByDate = (listing: SandboxListing, days: ReadonlyArray<SandboxDay>): DaysByDate =>
  new Map(days.filter((day) => day.listing_id === listing.listing_id).map((day) => [day.day, day]))

export const findDay = (listing: SandboxListing, days: DaysByDate, date: string): SandboxDay =>
  days.get(date) ?? {
    listing_id: listing.listing_id,
    day: date,
    price: null,
    offered: null,
    taken: 0,
    sold: 0,
    restrictions: {}
  }

export const computeAvailableCount = (listing: SandboxListing, { offered, taken, sold }: SandboxDay): number =>
  offered === null ? Math.max(listing.rooms - sold, 0) : offered - taken

/** Returns minor units, before taxes. */
export const computeNightPrice = (listing: SandboxListing, { price, day }: SandboxDay): bigint =>
  price === null ? computeDefaultNightPrice(listing, day) : parseUnits(price, listing.currency)

/** `offered` keeps the inventory that the host pushed last. */
export const takeNight = (day: SandboxDay): SandboxDay => ({ ...day, taken: day.taken + 1, sold: day.sold + 1 })
export const releaseNight = (day: SandboxDay): SandboxDay => ({
  ...day,
  taken: Math.max(day.taken - 1, 0),
  sold: Math.max(day.sold - 1, 0)
})

export const listDatesBetween = (start: string, end: string): ReadonlyArray<string> =>
  Array.from({ length: Math.max(daysInRange(start, end), 0) }, (_, index) => addDays(start, index))

export const toListingDays = (
  channel: SandboxChannel,
  listing: SandboxListing,
  days: DaysByDate,
  { start, end }: { readonly start: string; readonly end: string }
): ReadonlyArray<ListingDay> =>
  listDatesBetween(start, end).map((date) => {
    const day = findDay(listing, days, date)
    const guestPrice = computeNightPrice(listing, day)
    const price =
      CHANNEL_PROFILES[channel].pushedPriceIs === "the guest's"
        ? deductPercentage(guestPrice, listing.commission)
        : guestPrice
    return {
      date,
      price: toMajorUnits(price, listing.currency),
      inventory: computeAvailableCount(listing, day),
      ...(Object.keys(day.restrictions).length === 0 ? {} : { restrictions: day.restrictions })
    }
  })

interface DayRange {
  readonly start_date: string
  readonly end_date: string
}

/** Each key is the number of days after `first`. */
const indexLastRangeByDay = <R extends DayRange>(first: string, ranges: ReadonlyArray<R>): ReadonlyMap<number, R> => {
  const last = new Map<number, R>()
  for (const range of ranges.toReversed()) {
    const end = daysInRange(first, range.end_date)
    for (let index = daysInRange(first, range.start_date) - 1; index < end; index++)
      if (!last.has(index)) last.set(index, range)
  }
  return last
}

const applyRanges = <R extends DayRange>(
  listing: SandboxListing,
  days: DaysByDate,
  lists: ReadonlyArray<ReadonlyArray<R>>,
  change: (day: SandboxDay, range: R) => SandboxDay
): Result.Result<ReadonlyArray<SandboxDay>, string> => {
  const [first] = lists.flatMap((ranges) => ranges.map(({ start_date }) => start_date)).toSorted()
  if (first === undefined) return Result.succeed([])
  if (lists.some((ranges) => ranges.some((range) => daysInRange(range.start_date, range.end_date) > MAX_PUSHED_DAYS))) {
    return Result.fail("a range is too long")
  }
  const changed = new Map<number, SandboxDay>()
  for (const ranges of lists) {
    for (const [index, range] of indexLastRangeByDay(first, ranges)) {
      changed.set(index, change(changed.get(index) ?? findDay(listing, days, addDays(first, index)), range))
    }
    if (changed.size > MAX_PUSHED_DAYS) return Result.fail("too many days")
  }
  return Result.succeed(Array.from(changed.values()))
}

export const applyPrices = (listing: SandboxListing, days: DaysByDate, prices: ReadonlyArray<DayRangePrice>) =>
  prices.every(({ price }) => price > 0)
    ? applyRanges(listing, days, [prices], (day, { price }) => ({
        ...day,
        price: formatMinorUnits(toRoundedUnits(price, listing.currency), listing.currency)
      }))
    : Result.fail("a price must be above zero")

/** Sales that the service does not know yet count as taken, because the pushed inventory still includes them. */
export const applyInventories = (
  listing: SandboxListing,
  days: DaysByDate,
  inventories: ReadonlyArray<DayRangeInventory>,
  unreportedCounts: ReadonlyMap<string, number>
) =>
  applyRanges(listing, days, [inventories], (day, { inventory }) => ({
    ...day,
    offered: inventory,
    taken: Math.min(unreportedCounts.get(day.day) ?? 0, inventory)
  }))

/** Rejects all restrictions if one is not supported. Omitted restrictions keep their values. */
export const applyRestrictions = (
  channel: SandboxChannel,
  listing: SandboxListing,
  days: DaysByDate,
  restrictions: ReadonlyArray<DayRangeRestrictions>
): Result.Result<ReadonlyArray<SandboxDay>, string> => {
  const unsupported = restrictions.flatMap((range) =>
    listRestrictionNames(toRestrictions(range)).filter((name) => !supportsRestriction(channel, name))
  )
  if (unsupported[0] !== undefined) return Result.fail(`${channel} does not support ${unsupported[0]}`)
  const lists = RESTRICTION_NAMES.map((name) =>
    restrictions.flatMap(({ start_date, end_date, [name]: value }) =>
      value === undefined ? [] : [{ start_date, end_date, rules: { [name]: value } }]
    )
  )
  return applyRanges(listing, days, lists, (day, { rules }) => ({
    ...day,
    restrictions: { ...day.restrictions, ...rules }
  }))
}

const toRestrictions = ({ start_date: _start, end_date: _end, ...rules }: DayRangeRestrictions): Restrictions => rules

const listRestrictionNames = (rules: Restrictions) => RESTRICTION_NAMES.filter((name) => rules[name] !== undefined)
