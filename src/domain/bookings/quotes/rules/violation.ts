import type { Restriction } from "../../../channels/port/listing-days.ts"

/** Names of restrictions come last, in the order of the API. */
export const QUOTE_RULES = [
  "past_check_in",
  "inactive_property",
  "unavailable",
  "capacity",
  "minimum_stay",
  "maximum_stay",
  "no_price",
  "unmapped_listing",
  "unlisted",
  "currency_mismatch",
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
/** The union with `Restriction` is checked against the contract: every restriction must be in `QUOTE_RULES`. */
type QuoteRule = (typeof QUOTE_RULES)[number] | Restriction

export interface Violation {
  readonly rule: QuoteRule
  readonly message: string
}

export const formatNightCount = (nights: number): string => `${nights} night${nights === 1 ? "" : "s"}`

/** Returns a text such as `the night of 2027-05-01 and 2 others`. */
export const formatNights = ([first = "", ...others]: ReadonlyArray<string>): string => {
  const rest = others.length === 0 ? "" : ` and ${others.length} other${others.length === 1 ? "" : "s"}`
  return `the night of ${first}${rest}`
}
