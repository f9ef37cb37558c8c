import { addDays, daysInRange } from "../../contract/time.ts"
import { computeAvailableCount, type DaysByDate, findDay, listDatesBetween } from "./listing-calendar.ts"
import { readNumericSetting } from "./listing-settings.ts"
import type { SandboxDay, SandboxListing } from "./rows.ts"

export interface SandboxStayDates {
  readonly checkIn: string
  readonly checkOut: string
}

export const listNights = ({ checkIn, checkOut }: SandboxStayDates): ReadonlyArray<string> =>
  listDatesBetween(checkIn, addDays(checkOut, -1))

export const countStaysByNight = (stays: ReadonlyArray<SandboxStayDates>): ReadonlyMap<string, number> => {
  const taken = new Map<string, number>()
  for (const night of stays.flatMap(listNights)) taken.set(night, (taken.get(night) ?? 0) + 1)
  return taken
}

const HOURS_A_DAY = 24
const MS_AN_HOUR = 3_600_000

const parseAdvanceReservationMs = (text: string): number => {
  const [, days = "0", hours = "0"] = /^(\d{1,4})D(?:(\d{1,2})H)?$/.exec(text) ?? []
  return (Number(days) * HOURS_A_DAY + Number(hours)) * MS_AN_HOUR
}

/**
 * Returns the end of a sentence that begins with the listing's title, such as `is sold on 2027-05-01`. Ignores booking
 * rules.
 */
export const findUnavailableReason = (
  listing: SandboxListing,
  days: DaysByDate,
  nights: ReadonlyArray<string>
): string | undefined => {
  const unavailableDay = nights
    .map((night) => findDay(listing, days, night))
    .find((day) => computeAvailableCount(listing, day) < 1)
  return unavailableDay && `is ${unavailableDay.sold > 0 ? "sold" : "closed"} on ${unavailableDay.day}`
}

interface StayRequest extends SandboxStayDates {
  readonly untilArrivalMs: number
  /** Nights that must be available. A changed stay excludes the nights that it already holds. */
  readonly nights: ReadonlyArray<string>
  readonly guests: number
}

type BookingRule = (bookingContext: {
  readonly nightCount: number
  readonly arrival: SandboxDay["restrictions"]
  readonly departure: SandboxDay["restrictions"]
  readonly through: ReadonlyArray<SandboxDay["restrictions"]>
  readonly request: StayRequest
}) => string | false | undefined

const describeMinStay = (nights: number) => `requires at least ${nights} night${nights === 1 ? "" : "s"}`
const describeMaxStay = (nights: number) => `allows at most ${nights} night${nights === 1 ? "" : "s"}`

const BOOKING_RULES: ReadonlyArray<BookingRule> = [
  ({ arrival, request }) => arrival.closed_on_arrival === true && `does not allow check-in on ${request.checkIn}`,
  ({ departure, request }) =>
    departure.closed_on_departure === true && `does not allow check-out on ${request.checkOut}`,
  ({ arrival: { min_stay_on_arrival: min }, nightCount, request }) =>
    min !== undefined && nightCount < min && `${describeMinStay(min)} from ${request.checkIn}`,
  ({ arrival: { max_stay_on_arrival: max }, nightCount, request }) =>
    max !== undefined && nightCount > max && `${describeMaxStay(max)} from ${request.checkIn}`,
  ({ arrival: { exact_stay_on_arrival: exact }, nightCount, request }) =>
    exact !== undefined && nightCount !== exact && `requires exactly ${exact} nights from ${request.checkIn}`,
  ({ through, nightCount }) =>
    through
      .map(({ min_stay_through: min }) => min !== undefined && nightCount < min && describeMinStay(min))
      .find((reason) => reason !== false),
  ({ through, nightCount }) =>
    through
      .map(({ max_stay_through: max }) => max !== undefined && nightCount > max && describeMaxStay(max))
      .find((reason) => reason !== false),
  ({ arrival: { min_advance_reservation: min }, request }) =>
    min !== undefined && request.untilArrivalMs < parseAdvanceReservationMs(min) && `must be booked ${min} ahead`,
  ({ arrival: { max_advance_reservation: max }, request }) =>
    max !== undefined &&
    request.untilArrivalMs > parseAdvanceReservationMs(max) &&
    `cannot be booked more than ${max} ahead`
]

const findSettingsReason = (listing: SandboxListing, nightCount: number, guests: number): string | undefined => {
  const [min, max, maxGuests] = ["minimum_stay", "maximum_stay", "max_guests"].map((name) =>
    readNumericSetting(listing, name)
  )
  if (min !== undefined && nightCount < min) return describeMinStay(min)
  if (max !== undefined && nightCount > max) return describeMaxStay(max)
  return maxGuests !== undefined && guests > maxGuests ? `has room for ${maxGuests} guests` : undefined
}

export const findUnbookableReason = (
  listing: SandboxListing,
  days: DaysByDate,
  request: StayRequest
): string | undefined => {
  const { checkIn, checkOut } = request
  const nightCount = daysInRange(checkIn, checkOut) - 1
  const unavailable = findUnavailableReason(listing, days, request.nights)
  if (unavailable !== undefined) return unavailable
  const restrictionsOn = (date: string) => findDay(listing, days, date).restrictions
  const through = listNights(request).map(restrictionsOn)
  const bookingContext = {
    nightCount,
    arrival: restrictionsOn(checkIn),
    departure: restrictionsOn(checkOut),
    through,
    request
  }
  const violation = BOOKING_RULES.map((rule) => rule(bookingContext)).find((reason) => typeof reason === "string")
  return (
    findSettingsReason(listing, nightCount, request.guests) ?? (typeof violation === "string" ? violation : undefined)
  )
}
