import { RESTRICTION_NAMES } from "../../../channels/port/listing-days.ts"

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
  ...RESTRICTION_NAMES
] as const
type QuoteRule = (typeof QUOTE_RULES)[number]

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
