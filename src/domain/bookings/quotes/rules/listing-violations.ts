import type { Schema } from "effect"
import { startOfDay } from "../../../../contract/time.ts"
import { parseAdvanceHours } from "../../../calendars/listing-calendars/rules.ts"
import type { ListingDay, Restrictions } from "../../../channels/port/listing-days.ts"
import type { StayRequest } from "./quote-request.ts"
import { formatNightCount, formatNights, type Violation } from "./violation.ts"

const HOUR_MS = 3_600_000

const MORE_NIGHTS = "Choose more nights"
const FEWER_NIGHTS = "Choose fewer nights"

const toViolations = (isViolated: boolean, rule: Violation["rule"], message: string): ReadonlyArray<Violation> =>
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
    ...toViolations(
      arrival.closed_on_arrival === true,
      "closed_on_arrival",
      `No stay may begin on ${check_in_date}. Choose another day of arrival.`
    ),
    ...toViolations(
      count < min,
      "min_stay_on_arrival",
      `${day} must have at least ${formatNightCount(min)}. ${MORE_NIGHTS}.`
    ),
    ...toViolations(
      count > max,
      "max_stay_on_arrival",
      `${day} must have at most ${formatNightCount(max)}. ${FEWER_NIGHTS}.`
    ),
    ...toViolations(
      count !== exact,
      "exact_stay_on_arrival",
      `${day} must have exactly ${formatNightCount(exact)}. Choose that number of nights.`
    )
  ]
}

/** The strictest restriction of all nights applies. */
const findThroughViolations = (through: ReadonlyArray<Restrictions>, count: number) => {
  const min = Math.max(0, ...through.map(({ min_stay_through = 0 }) => min_stay_through))
  const max = Math.min(count, ...through.map(({ max_stay_through = count }) => max_stay_through))
  return [
    ...toViolations(
      count < min,
      "min_stay_through",
      `A stay with these nights must have at least ${formatNightCount(min)}. ${MORE_NIGHTS}.`
    ),
    ...toViolations(
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
    ...toViolations(
      min !== undefined && untilArrivalMs < parseAdvanceHours(min) * HOUR_MS,
      "min_advance_reservation",
      `The stay must be booked ${min} ahead. Choose a later day of arrival.`
    ),
    ...toViolations(
      max !== undefined && untilArrivalMs > parseAdvanceHours(max) * HOUR_MS,
      "max_advance_reservation",
      `The stay cannot be booked more than ${max} ahead. Choose an earlier day of arrival.`
    )
  ]
}

/** Returns a violation for each restriction of the listing's calendar that prevents the stay. */
export const findCalendarViolations = (
  calendar: ReadonlyMap<string, ListingDay>,
  request: StayRequest
): ReadonlyArray<Violation> => {
  const restrictionsOn = (date: string): Restrictions => calendar.get(date)?.restrictions ?? {}
  const fullNights = request.nights.filter((date) => (calendar.get(date)?.inventory ?? 0) < 1)
  const arrival = restrictionsOn(request.check_in_date)
  return [
    ...toViolations(
      fullNights.length > 0,
      "unavailable",
      `The listing has no unit left for ${formatNights(fullNights)}. Choose other nights.`
    ),
    ...toViolations(
      restrictionsOn(request.check_out_date).closed_on_departure === true,
      "closed_on_departure",
      `No stay may end on ${request.check_out_date}. Choose another day of departure.`
    ),
    ...findArrivalViolations(arrival, request),
    ...findThroughViolations(request.nights.map(restrictionsOn), request.nights.length),
    ...findAdvanceViolations(arrival, request)
  ]
}

const readNumberSetting = (settings: Schema.JsonObject, name: string): number | undefined => {
  const value = settings[name]
  return typeof value === "number" ? value : undefined
}

/** Returns the violations of the settings that the channel sent with the listing. A setting that it did not send allows every stay. */
export const findSettingViolations = (
  settings: Schema.JsonObject,
  { nights, number_of_guests }: StayRequest
): ReadonlyArray<Violation> => {
  const count = nights.length
  const min = readNumberSetting(settings, "minimum_stay") ?? count
  const max = readNumberSetting(settings, "maximum_stay") ?? count
  const guests = readNumberSetting(settings, "max_guests") ?? number_of_guests
  return [
    ...toViolations(
      count < min,
      "minimum_stay",
      `A stay in the listing must have at least ${formatNightCount(min)}. ${MORE_NIGHTS}.`
    ),
    ...toViolations(
      count > max,
      "maximum_stay",
      `A stay in the listing must have at most ${formatNightCount(max)}. ${FEWER_NIGHTS}.`
    ),
    ...toViolations(
      number_of_guests > guests,
      "capacity",
      `The listing has room for ${guests} guest${guests === 1 ? "" : "s"}. Choose fewer guests, or raise max_guests of the listing.`
    )
  ]
}
