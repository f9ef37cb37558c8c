import { Result, type Schema } from "effect"
import { ValidationFailed } from "../../../../contract/errors.ts"
import { dateInZone } from "../../../../contract/time.ts"
import { AMOUNT_MAX } from "../../../../platform/limits.ts"
import type { BasePriceDay } from "../../../calendars/base-prices/contract.ts"
import type { ListingDay } from "../../../channels/port/listing-days.ts"
import type { PriceItem } from "../../../properties/properties/price-items.ts"
import type { QuoteTerms } from "../contract.ts"
import { findCalendarViolations, findSettingViolations } from "./listing-violations.ts"
import type { StayRequest } from "./quote-request.ts"
import { type PricedItem, priceStay, toAmount, toUnits } from "./stay-price.ts"
import { formatNightCount, formatNights, type Violation } from "./violation.ts"

export interface QuotedProperty {
  readonly property_id: number
  readonly currency: string
  readonly capacity: number | null
  readonly fees: ReadonlyArray<PriceItem>
  readonly taxes: ReadonlyArray<PriceItem>
  readonly is_active: boolean
  /** Nights of the stay that are not available, in order. */
  readonly unavailable: ReadonlyArray<string>
}

export interface QuotedListing {
  readonly currency: string
  readonly is_listed: boolean
  readonly settings: Schema.JsonObject
  /** Null if the listing is not mapped. */
  readonly property: QuotedProperty | null
}

type TermsResult = Result.Result<QuoteTerms, ValidationFailed>

/** Quotes the stay at `prices`, which has one entry for each night. Fails with 422 if the total is above AMOUNT_MAX. */
export const quoteProperty = (
  property: QuotedProperty,
  prices: ReadonlyArray<BasePriceDay>,
  request: StayRequest
): TermsResult => {
  const { currency } = property
  const unpricedNights = prices.filter(({ price }) => price === null).map(({ date }) => date)
  const violations = [
    ...findPropertyViolations(property, request),
    ...findLengthViolations(prices[0], request),
    ...findPriceViolations(unpricedNights, "Set base prices for the property or its room type")
  ]
  const nights = prices.map(({ date, price }) => ({ date, units: price === null ? null : toUnits(price, currency) }))
  return toTerms({ property, currency, nights, guests: request.number_of_guests, violations })
}

/** `calendar` has a day for each date from arrival to departure that the channel knows. */
export const quoteListing = (
  { currency, is_listed, settings, property }: QuotedListing,
  calendar: ReadonlyArray<ListingDay>,
  request: StayRequest
): TermsResult => {
  const days = new Map(calendar.map((day) => [day.date, day]))
  const nights = request.nights.map((date) => {
    const price = days.get(date)?.price
    return { date, units: price === undefined ? null : toUnits(price, currency) }
  })
  const unpricedNights = nights.filter(({ units }) => units === null).map(({ date }) => date)
  const violations = [
    ...(property === null
      ? [unmappedViolation, ...findDateViolations(request)]
      : findPropertyViolations(property, request)),
    ...(is_listed ? [] : [unlistedViolation]),
    ...findCalendarViolations(days, request),
    ...findSettingViolations(settings, request),
    ...findPriceViolations(unpricedNights, "Set prices for the listing"),
    ...(property === null ? [] : findCurrencyViolations(property, currency))
  ]
  return toTerms({ property, currency, nights, guests: request.number_of_guests, violations })
}

const findDateViolations = ({ check_in_date, now, timeZone }: StayRequest): ReadonlyArray<Violation> => {
  const today = dateInZone(now, timeZone)
  return check_in_date < today
    ? [{ rule: "past_check_in", message: `The arrival is in the past. Choose ${today} or a later day.` }]
    : []
}

const findPropertyViolations = (
  { capacity, is_active, unavailable }: QuotedProperty,
  request: StayRequest
): ReadonlyArray<Violation> => [
  ...findDateViolations(request),
  ...(is_active ? [] : [inactiveViolation]),
  ...(unavailable.length === 0
    ? []
    : [
        {
          rule: "unavailable" as const,
          message: `The property is not available for ${formatNights(unavailable)}. Choose other nights.`
        }
      ]),
  ...(capacity === null || request.number_of_guests <= capacity
    ? []
    : [
        {
          rule: "capacity" as const,
          message: `The property has room for ${capacity} guest${capacity === 1 ? "" : "s"}. Choose fewer guests, or raise its capacity.`
        }
      ])
]

const findLengthViolations = (arrival: BasePriceDay | undefined, request: StayRequest): ReadonlyArray<Violation> => {
  const count = request.nights.length
  const [min, max] = [arrival?.minimum_stay ?? count, arrival?.maximum_stay ?? count]
  const stay = `A stay from ${request.check_in_date}`
  if (count < min) {
    const message = `${stay} must have at least ${formatNightCount(min)}. Choose more nights.`
    return [{ rule: "minimum_stay", message }]
  }
  if (count > max) {
    const message = `${stay} must have at most ${formatNightCount(max)}. Choose fewer nights.`
    return [{ rule: "maximum_stay", message }]
  }
  return []
}

const findPriceViolations = (unpricedNights: ReadonlyArray<string>, cure: string): ReadonlyArray<Violation> =>
  unpricedNights.length === 0
    ? []
    : [{ rule: "no_price", message: `There is no price for ${formatNights(unpricedNights)}. ${cure}.` }]

/** Amounts are in the currency of the property. Percentages have no currency. */
const findCurrencyViolations = (property: QuotedProperty, currency: string): ReadonlyArray<Violation> =>
  property.currency !== currency && [...property.fees, ...property.taxes].some(({ amount = 0 }) => amount > 0)
    ? [
        {
          rule: "currency_mismatch",
          message: `The fees and taxes of the property are in ${property.currency}, and the listing sells in ${currency}. Give the property the currency of the listing, or use percentages.`
        }
      ]
    : []

const unmappedViolation: Violation = {
  rule: "unmapped_listing",
  message: "The listing is not mapped, so its fees and taxes are unknown. Map it to a property or a room type."
}
const unlistedViolation: Violation = {
  rule: "unlisted",
  message: "The listing is not on sale. Put it on sale at its channel."
}
const inactiveViolation: Violation = {
  rule: "inactive_property",
  message: "The property is deactivated. Activate it."
}

interface PricedNight {
  readonly date: string
  readonly units: bigint | null
}

interface TermsParts {
  readonly property: QuotedProperty | null
  readonly currency: string
  readonly nights: ReadonlyArray<PricedNight>
  readonly guests: number
  readonly violations: ReadonlyArray<Violation>
}

const toTerms = ({ property, currency, nights, guests, violations }: TermsParts): TermsResult => {
  const isPriced = violations.every(({ rule }) => rule !== "no_price" && rule !== "currency_mismatch")
  const price = priceStay(
    nights.map(({ units }) => units ?? 0n),
    { currency, guests, fees: property?.fees ?? [], taxes: property?.taxes ?? [] }
  )
  if (isPriced && price.total > toUnits(AMOUNT_MAX, currency)) return Result.fail(totalTooHighError)
  const toItems = (items: ReadonlyArray<PricedItem>) =>
    isPriced ? items.map(({ name, units }) => ({ name, amount: toAmount(units, currency) })) : []
  return Result.succeed({
    property_id: property?.property_id ?? null,
    currency,
    nights: nights.map(({ date, units }) => ({ date, price: units === null ? null : toAmount(units, currency) })),
    fees: toItems(price.fees),
    taxes: toItems(price.taxes),
    total: isPriced ? toAmount(price.total, currency) : null,
    bookable: violations.length === 0,
    violations: keepOnePerRule(violations)
  })
}

const totalTooHighError = new ValidationFailed({
  message: `check_out_date: the stay costs more than ${AMOUNT_MAX}. Choose fewer nights.`
})

/** A listing and its property may both report a rule. The first report is kept. */
const keepOnePerRule = (violations: ReadonlyArray<Violation>): ReadonlyArray<Violation> =>
  violations.filter(({ rule }, index) => violations.findIndex((each) => each.rule === rule) === index)
