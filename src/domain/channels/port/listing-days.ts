import { Schema } from "effect"
import type { ChannelType } from "./channel-type.ts"

// The formats are in contract facts 6.3 and 6.4.

const NightCount = Schema.Int

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

export const ListingDay = Schema.Struct({
  /** The night that begins on this day, `YYYY-MM-DD`. */
  date: Schema.String,
  /** Major units of the listing's currency. If guests pay a different amount, the price is the host's part. */
  price: Schema.Finite,
  /** Units left to sell. */
  inventory: Schema.Int,
  restrictions: Schema.optionalKey(Restrictions)
})
export type ListingDay = typeof ListingDay.Type

/** Both days are included. */
interface DayRange {
  readonly start_date: string
  readonly end_date: string
}

/** Major units. On `ctrip`, the guest's price. */
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

/** Channels that support each restriction (contract facts 6.4). Other channels do not receive it. */
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
