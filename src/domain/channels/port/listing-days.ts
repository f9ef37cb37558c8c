import { Schema } from "effect"
import type { ChannelType } from "./channel-type.ts"

// What a channel sells on a day, and how that is told to it (contract facts 6.3 and 6.4).

const NightCount = Schema.Int

/** What may be asked of who books; every field may be left out. */
export const Restrictions = Schema.Struct({
  closed_on_arrival: Schema.optionalKey(Schema.Boolean),
  closed_on_departure: Schema.optionalKey(Schema.Boolean),
  min_stay_on_arrival: Schema.optionalKey(NightCount),
  max_stay_on_arrival: Schema.optionalKey(NightCount),
  min_stay_through: Schema.optionalKey(NightCount),
  max_stay_through: Schema.optionalKey(NightCount),
  /** `xDxH`, such as `4D` or `4D4H`. */
  min_advance_reservation: Schema.optionalKey(Schema.String),
  max_advance_reservation: Schema.optionalKey(Schema.String),
  exact_stay_on_arrival: Schema.optionalKey(NightCount)
})
export type Restrictions = typeof Restrictions.Type
export type Restriction = keyof Restrictions

/** A day as its channel sells it. */
export const ListingDay = Schema.Struct({
  /** `YYYY-MM-DD`, the night that begins on this day. */
  date: Schema.String,
  /** Major units of the listing's currency. Of a channel whose guests pay another amount: what is left of it for the host. */
  price: Schema.Finite,
  /** How many can still be sold. */
  inventory: Schema.Int,
  restrictions: Schema.optionalKey(Restrictions)
})
export type ListingDay = typeof ListingDay.Type

/** The days from `start_date` to `end_date`, both included. */
interface DayRange {
  readonly start_date: string
  readonly end_date: string
}

/** Major units; what the guest pays where the channel's price is that (`ctrip`). */
export interface DayRangePrice extends DayRange {
  readonly price: number
}

export interface DayRangeInventory extends DayRange {
  readonly inventory: number
}

export interface DayRangeRestrictions extends DayRange, Restrictions {}

const ARRIVAL_RESTRICTION_CHANNELS: ReadonlyArray<ChannelType> = [
  "airbnb",
  "booking.com",
  "agoda",
  "expedia",
  "booking_site",
  "trip.com"
]

/** Which channels honour which restriction (contract facts 6.4). Others are not told of it. */
export const CHANNELS_BY_RESTRICTION: Readonly<Record<Restriction, ReadonlyArray<ChannelType>>> = {
  closed_on_arrival: ARRIVAL_RESTRICTION_CHANNELS,
  closed_on_departure: ARRIVAL_RESTRICTION_CHANNELS,
  min_stay_on_arrival: ARRIVAL_RESTRICTION_CHANNELS,
  max_stay_on_arrival: ARRIVAL_RESTRICTION_CHANNELS,
  min_stay_through: ["booking.com", "agoda", "trip.com"],
  max_stay_through: ["booking.com", "trip.com"],
  min_advance_reservation: ["booking.com", "trip.com"],
  max_advance_reservation: ["booking.com", "trip.com"],
  exact_stay_on_arrival: ["booking.com"]
}
