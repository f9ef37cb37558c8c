import { Schema, Struct } from "effect"
import type { ChannelType } from "./channel-type.ts"

// Contract facts 6.3 and 6.4.

const NightCount = Schema.Int

export const RESTRICTION_MEANINGS = {
  closed_on_arrival: "True if no stay may begin on this day.",
  closed_on_departure: "True if no stay may end on this day.",
  min_stay_on_arrival: "Fewest nights of a stay that begins on this day.",
  max_stay_on_arrival: "Most nights of a stay that begins on this day.",
  min_stay_through: "Fewest nights of a stay that includes this night.",
  max_stay_through: "Most nights of a stay that includes this night.",
  min_advance_reservation: "Least time between booking and arrival, in days and hours such as `4D` or `4D4H`.",
  max_advance_reservation: "Most time between booking and arrival, in days and hours such as `4D` or `4D4H`.",
  exact_stay_on_arrival: "The only number of nights of a stay that begins on this day."
}

const restriction = <Value extends Schema.Top>(name: keyof typeof RESTRICTION_MEANINGS, value: Value) =>
  Schema.optionalKey(value).annotateKey({ documentation: RESTRICTION_MEANINGS[name] })

export const Restrictions = Schema.Struct({
  closed_on_arrival: restriction("closed_on_arrival", Schema.Boolean),
  closed_on_departure: restriction("closed_on_departure", Schema.Boolean),
  min_stay_on_arrival: restriction("min_stay_on_arrival", NightCount),
  max_stay_on_arrival: restriction("max_stay_on_arrival", NightCount),
  min_stay_through: restriction("min_stay_through", NightCount),
  max_stay_through: restriction("max_stay_through", NightCount),
  min_advance_reservation: restriction("min_advance_reservation", Schema.String),
  max_advance_reservation: restriction("max_advance_reservation", Schema.String),
  exact_stay_on_arrival: restriction("exact_stay_on_arrival", NightCount)
})
export type Restrictions = typeof Restrictions.Type
export type Restriction = keyof Restrictions

/** In the order of the API. */
export const RESTRICTION_NAMES: ReadonlyArray<Restriction> = Struct.keys(Restrictions.fields)

export const ListingDay = Schema.Struct({
  date: Schema.String.annotateKey({ documentation: "The night that begins on this day, `YYYY-MM-DD`." }),
  price: Schema.Finite.annotateKey({
    documentation:
      "Price of the night in major units of the listing's currency. On `ctrip` it is the host's part, after commission."
  }),
  inventory: Schema.Int.annotateKey({ documentation: "Units that can still be sold for this night." }),
  restrictions: Schema.optionalKey(Restrictions).annotateKey({
    documentation: "Booking restrictions of this day. Absent if the channel reports none."
  })
})
export type ListingDay = typeof ListingDay.Type

/** Both days are included. */
interface DayRange {
  readonly start_date: string
  readonly end_date: string
}

/** The price is in major units. On `ctrip` it is what the guest pays. */
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
