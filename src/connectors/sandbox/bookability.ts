import { addDays, daysInRange } from "../../contract/time.ts"
import { availableCount, type DaysByDate, datesBetween, findDay } from "./listing-calendar.ts"
import { numericSetting } from "./listing-settings.ts"
import type { SandboxDay, SandboxListing } from "./rows.ts"

// Whether a guest can book some nights of a listing, and the reason why not.

/** Nights of one room: of `checkIn` until the morning of `checkOut`. */
export interface SandboxStayDates {
  readonly checkIn: string
  readonly checkOut: string
}

export const listNights = ({ checkIn, checkOut }: SandboxStayDates): ReadonlyArray<string> =>
  datesBetween(checkIn, addDays(checkOut, -1))

/** How many have each night. */
export const countByNight = (stays: ReadonlyArray<SandboxStayDates>): ReadonlyMap<string, number> => {
  const taken = new Map<string, number>()
  for (const night of stays.flatMap(listNights)) taken.set(night, (taken.get(night) ?? 0) + 1)
  return taken
}

const HOURS_A_DAY = 24
const MS_AN_HOUR = 3_600_000

/** `4D4H` in milliseconds. */
const parseAdvance = (text: string): number => {
  const [, days = "0", hours = "0"] = /^(\d{1,4})D(?:(\d{1,2})H)?$/.exec(text) ?? []
  return (Number(days) * HOURS_A_DAY + Number(hours)) * MS_AN_HOUR
}

/** Why one of the nights is not to be had, whatever the host's rules, to follow the name of the listing. */
export const unavailableReason = (
  listing: SandboxListing,
  days: DaysByDate,
  nights: ReadonlyArray<string>
): string | undefined => {
  const unavailableDay = nights
    .map((night) => findDay(listing, days, night))
    .find((day) => availableCount(listing, day) < 1)
  return unavailableDay && `is ${unavailableDay.sold > 0 ? "sold" : "closed"} on ${unavailableDay.day}`
}

interface StayRequest extends SandboxStayDates {
  /** Milliseconds from now until the day of arrival begins. */
  readonly untilArrivalMs: number
  /** Those of the nights that must still be to be had. */
  readonly nights: ReadonlyArray<string>
  readonly guests: number
}

type BookingRule = (about: {
  readonly stay: number
  readonly arrival: SandboxDay["restrictions"]
  readonly departure: SandboxDay["restrictions"]
  readonly through: ReadonlyArray<SandboxDay["restrictions"]>
  readonly asked: StayRequest
}) => string | false | undefined

const minStayReason = (nights: number) => `requires at least ${nights} night${nights === 1 ? "" : "s"}`
const maxStayReason = (nights: number) => `allows at most ${nights} night${nights === 1 ? "" : "s"}`

const BOOKING_RULES: ReadonlyArray<BookingRule> = [
  ({ arrival, asked }) => arrival.closed_on_arrival === true && `does not allow check-in on ${asked.checkIn}`,
  ({ departure, asked }) => departure.closed_on_departure === true && `does not allow check-out on ${asked.checkOut}`,
  ({ arrival: { min_stay_on_arrival: min }, stay, asked }) =>
    min !== undefined && stay < min && `${minStayReason(min)} from ${asked.checkIn}`,
  ({ arrival: { max_stay_on_arrival: max }, stay, asked }) =>
    max !== undefined && stay > max && `${maxStayReason(max)} from ${asked.checkIn}`,
  ({ arrival: { exact_stay_on_arrival: exact }, stay, asked }) =>
    exact !== undefined && stay !== exact && `requires exactly ${exact} nights from ${asked.checkIn}`,
  ({ through, stay }) =>
    through
      .map(({ min_stay_through: min }) => min !== undefined && stay < min && minStayReason(min))
      .find((reason) => reason !== false),
  ({ through, stay }) =>
    through
      .map(({ max_stay_through: max }) => max !== undefined && stay > max && maxStayReason(max))
      .find((reason) => reason !== false),
  ({ arrival: { min_advance_reservation: min }, asked }) =>
    min !== undefined && asked.untilArrivalMs < parseAdvance(min) && `must be booked ${min} ahead`,
  ({ arrival: { max_advance_reservation: max }, asked }) =>
    max !== undefined && asked.untilArrivalMs > parseAdvance(max) && `cannot be booked more than ${max} ahead`
]

/** What the settings of the listing say against it. */
const settingsReason = (listing: SandboxListing, nightCount: number, guests: number): string | undefined => {
  const [min, max, maxGuests] = ["minimum_stay", "maximum_stay", "max_guests"].map((name) =>
    numericSetting(listing, name)
  )
  if (min !== undefined && nightCount < min) return minStayReason(min)
  if (max !== undefined && nightCount > max) return maxStayReason(max)
  return maxGuests !== undefined && guests > maxGuests ? `has room for ${maxGuests} guests` : undefined
}

/** Why the nights cannot be booked, to follow the name of the listing; undefined: they can. */
export const unbookableReason = (listing: SandboxListing, days: DaysByDate, asked: StayRequest): string | undefined => {
  const { checkIn, checkOut } = asked
  const stay = daysInRange(checkIn, checkOut) - 1
  const unavailable = unavailableReason(listing, days, asked.nights)
  if (unavailable !== undefined) return unavailable
  const restrictionsOn = (date: string) => findDay(listing, days, date).restrictions
  const through = listNights(asked).map(restrictionsOn)
  const about = { stay, arrival: restrictionsOn(checkIn), departure: restrictionsOn(checkOut), through, asked }
  const violation = BOOKING_RULES.map((rule) => rule(about)).find((reason) => typeof reason === "string")
  return settingsReason(listing, stay, asked.guests) ?? (typeof violation === "string" ? violation : undefined)
}
