import type { Schema } from "effect"
import { startOfDay } from "../../../../contract/time.ts"
import { parseAdvanceHours } from "../../../calendars/listing-calendars/rules.ts"
import type { ListingDay, Restrictions } from "../../../channels/port/listing-days.ts"
import { formatNightCount, formatNights, type Violation } from "./violation.ts"

export interface StayRequest {
  readonly check_in_date: string
  readonly check_out_date: string
  readonly number_of_guests: number
  readonly nights: ReadonlyArray<string>
  readonly timeZone: string
  readonly now: Date
}

const HOUR_MS = 3_600_000

const MORE_NIGHTS = "Choose more nights"
const FEWER_NIGHTS = "Choose fewer nights"

const violationIf = (isViolated: boolean, rule: Violation["rule"], message: string): ReadonlyArray<Violation> =>
  isViolated ? [{ rule, message }] : []

const findArrivalViolations = (arrival: Restrictions, { check_in_date, nights }: StayRequest) => {
  const count = nights.length
  const {
    min_stay_on_arrival: min = 0,
    max_stay_on_arrival: max = count,
    exact_stay_on_arrival: exact = count
  } = arrival
  const day = `A stay from ${check_in_date}`
  return [
    ...violationIf(
      arrival.closed_on_arrival === true,
      "closed_on_arrival",
      `No stay may begin on ${check_in_date}. Choose another day of arrival.`
    ),
    ...violationIf(
      count < min,
      "min_stay_on_arrival",
      `${day} must have at least ${formatNightCount(min)}. ${MORE_NIGHTS}.`
    ),
    ...violationIf(
      count > max,
      "max_stay_on_arrival",
      `${day} must have at most ${formatNightCount(max)}. ${FEWER_NIGHTS}.`
    ),
    ...violationIf(
      count !== exact,
      "exact_stay_on_arrival",
      `${day} must have exactly ${formatNightCount(exact)}. Choose that number of nights.`
    )
  ]
}

/** The strictest restriction of all nights decides. */
const findThroughViolations = (through: ReadonlyArray<Restrictions>, count: number) => {
  const min = Math.max(0, ...through.map(({ min_stay_through = 0 }) => min_stay_through))
  const max = Math.min(count, ...through.map(({ max_stay_through = count }) => max_stay_through))
  return [
    ...violationIf(
      count < min,
      "min_stay_through",
      `A stay with these nights must have at least ${formatNightCount(min)}. ${MORE_NIGHTS}.`
    ),
    ...violationIf(
      count > max,
      "max_stay_through",
      `A stay with these nights must have at most ${formatNightCount(max)}. ${FEWER_NIGHTS}.`
    )
  ]
}

const findAdvanceViolations = (
  { min_advance_reservation: min, max_advance_reservation: max }: Restrictions,
  { check_in_date, timeZone, now }: StayRequest
) => {
  const untilArrivalMs = startOfDay(check_in_date, timeZone).getTime() - now.getTime()
  return [
    ...violationIf(
      min !== undefined && untilArrivalMs < parseAdvanceHours(min) * HOUR_MS,
      "min_advance_reservation",
      `The stay must be booked ${min} ahead. Choose a later day of arrival.`
    ),
    ...violationIf(
      max !== undefined && untilArrivalMs > parseAdvanceHours(max) * HOUR_MS,
      "max_advance_reservation",
      `The stay cannot be booked more than ${max} ahead. Choose an earlier day of arrival.`
    )
  ]
}

/** Returns all restrictions of the listing's calendar that prevent the stay. */
export const findCalendarViolations = (
  calendar: ReadonlyMap<string, ListingDay>,
  request: StayRequest
): ReadonlyArray<Violation> => {
  const restrictionsOn = (date: string): Restrictions => calendar.get(date)?.restrictions ?? {}
  const soldNights = request.nights.filter((date) => (calendar.get(date)?.inventory ?? 0) < 1)
  const arrival = restrictionsOn(request.check_in_date)
  return [
    ...violationIf(
      soldNights.length > 0,
      "unavailable",
      `The listing has no unit left for ${formatNights(soldNights)}. Choose other nights.`
    ),
    ...violationIf(
      restrictionsOn(request.check_out_date).closed_on_departure === true,
      "closed_on_departure",
      `No stay may end on ${request.check_out_date}. Choose another day of departure.`
    ),
    ...findArrivalViolations(arrival, request),
    ...findThroughViolations(request.nights.map(restrictionsOn), request.nights.length),
    ...findAdvanceViolations(arrival, request)
  ]
}

const readCount = (settings: Schema.JsonObject, name: string): number | undefined => {
  const value = settings[name]
  return typeof value === "number" ? value : undefined
}

/** Checks the settings that the channel has sent with the listing, if it sent any. */
export const findSettingViolations = (
  settings: Schema.JsonObject,
  { nights, number_of_guests }: StayRequest
): ReadonlyArray<Violation> => {
  const count = nights.length
  const {
    min = count,
    max = count,
    guests = number_of_guests
  } = {
    min: readCount(settings, "minimum_stay"),
    max: readCount(settings, "maximum_stay"),
    guests: readCount(settings, "max_guests")
  }
  return [
    ...violationIf(
      count < min,
      "minimum_stay",
      `A stay in the listing must have at least ${formatNightCount(min)}. ${MORE_NIGHTS}.`
    ),
    ...violationIf(
      count > max,
      "maximum_stay",
      `A stay in the listing must have at most ${formatNightCount(max)}. ${FEWER_NIGHTS}.`
    ),
    ...violationIf(
      number_of_guests > guests,
      "capacity",
      `The listing has room for ${guests} guests. Choose fewer guests, or raise max_guests of the listing.`
    )
  ]
}
