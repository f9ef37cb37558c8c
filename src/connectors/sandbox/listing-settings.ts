import type { Schema } from "effect"
import { CHANNEL_PROFILES, type SandboxChannel } from "./channel-profiles.ts"
import { toRoundedUnits, toUnits } from "./minor-units.ts"
import type { ListingSettings, SandboxListing } from "./rows.ts"

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const

/** Prices are in major units. Channels other than airbnb and vrbo have only these two settings. */
export const createDefaultSettings = (
  channel: SandboxChannel,
  currency: string,
  price: { readonly base: number; readonly cleaning: number },
  instant: boolean
): ListingSettings => {
  const { settingsKind, cancellationPolicies } = CHANNEL_PROFILES[channel]
  if (settingsKind === "airbnb")
    return createDefaultAirbnbSettings(currency, price, instant, cancellationPolicies[0] ?? "flexible")
  if (settingsKind === "vrbo") return createDefaultVrboSettings(price, instant)
  return { base_price: price.base, cleaning_fee: price.cleaning }
}

const createDefaultAirbnbSettings = (
  currency: string,
  { base, cleaning }: { readonly base: number; readonly cleaning: number },
  instant: boolean,
  policy: string
): ListingSettings => ({
  listing_currency: currency,
  base_price: base,
  weekend_price: null,
  security_deposit: 0,
  cleaning_fee: cleaning,
  short_term_cleaning_fee: null,
  pet_fee: null,
  pet_fee_obj: null,
  extra_guest_fee: null,
  early_bird_discount: [],
  last_minute_discount: [],
  long_term_discount: [],
  check_in_start_time: 15,
  check_in_end_time: "FLEXIBLE",
  check_out_before: 11,
  instant_booking: instant,
  max_guests: 4,
  minimum_stay: 1,
  maximum_stay: 365,
  advance_notice: null,
  availability_window: 365,
  preparation_time: 0,
  days_of_week_check_in: [0, 1, 2, 3, 4, 5, 6],
  days_of_week_check_out: [0, 1, 2, 3, 4, 5, 6],
  allow_rtb_above_max_nights: false,
  cancellation_policy: policy,
  long_term_cancellation_policy: null,
  non_refundable_price_factor: null,
  day_of_week_min_nights: [],
  seasonal_min_stay: [],
  new_listing_promotion: false,
  high_rated_guest_discount: false,
  mobile_only_discount: false
})

const createDefaultVrboSettings = (
  { base, cleaning }: { readonly base: number; readonly cleaning: number },
  instant: boolean
): ListingSettings => ({
  base_price: base,
  nightly_rate: Object.fromEntries(WEEKDAYS.map((weekday) => [weekday, base])),
  weekly_discount: null,
  monthly_discount: null,
  cleaning_fee: cleaning,
  extra_guest_fee: null,
  security_deposit: null,
  extra_guest_number: null,
  max_guests: 4,
  minimum_stay: 1,
  advance_notice: null,
  availability_window: 365,
  check_in_start_time: 15,
  check_out_before: 11,
  instant_booking: instant
})

interface RefusedSetting {
  readonly field: string
  readonly reason: string
}

export const findRefusedSetting = (
  channel: SandboxChannel,
  { currency }: SandboxListing,
  sentSettings: ListingSettings
): RefusedSetting | undefined => {
  const { cancellation_policy: policy, listing_currency } = sentSettings
  const policies = CHANNEL_PROFILES[channel].cancellationPolicies
  if (typeof policy === "string" && !policies.includes(policy)) {
    return { field: "cancellation_policy", reason: `${policy} is not eligible` }
  }
  if (typeof listing_currency === "string" && listing_currency !== currency) {
    return { field: "listing_currency", reason: `the listing is sold in ${currency}` }
  }
  const tooPrecise = listAmounts(sentSettings).find(({ amount }) => toUnits(amount, currency) === undefined)
  return (
    tooPrecise && { field: tooPrecise.field, reason: `${tooPrecise.amount} has more decimals than ${currency} has` }
  )
}

const AMOUNT_FIELDS = [
  "base_price",
  "weekend_price",
  "security_deposit",
  "cleaning_fee",
  "short_term_cleaning_fee",
  "pet_fee",
  "extra_guest_fee"
]

interface SettingAmount {
  readonly field: string
  readonly amount: number
}

const listAmounts = (sentSettings: ListingSettings): ReadonlyArray<SettingAmount> => {
  const { pet_fee_obj, nightly_rate } = sentSettings
  const amounts = (settings: Schema.Json | undefined, names: ReadonlyArray<string>, prefix = "") =>
    names.flatMap((name): ReadonlyArray<SettingAmount> => {
      const amount = isObject(settings) ? settings[name] : undefined
      return typeof amount === "number" ? [{ field: `${prefix}${name}`, amount }] : []
    })
  return [
    ...amounts(sentSettings, AMOUNT_FIELDS),
    ...amounts(pet_fee_obj, ["amount"], "pet_fee_obj."),
    ...amounts(nightly_rate, WEEKDAYS, "nightly_rate.")
  ]
}

export const mergeSettings = (
  channel: SandboxChannel,
  settings: ListingSettings,
  sentSettings: ListingSettings
): ListingSettings => {
  const merged = { ...settings, ...sentSettings }
  return CHANNEL_PROFILES[channel].settingsKind === "vrbo"
    ? mergeVrboSettings(merged, sentSettings)
    : mergeAirbnbSettings(merged, sentSettings)
}

const mergeAirbnbSettings = (merged: ListingSettings, sentSettings: ListingSettings): ListingSettings => {
  if (isPresent(sentSettings["pet_fee_obj"])) return { ...merged, pet_fee: null }
  return isPresent(sentSettings["pet_fee"]) ? { ...merged, pet_fee_obj: null } : merged
}

const VRBO_FEES = ["cleaning_fee", "extra_guest_fee", "security_deposit"]

/**
 * A sent `base_price` sets every weekday's rate. Otherwise it becomes null if the rates differ. A fee of 0 becomes
 * null.
 */
const mergeVrboSettings = (merged: ListingSettings, sentSettings: ListingSettings): ListingSettings => {
  const cleared = Object.fromEntries(VRBO_FEES.filter((fee) => sentSettings[fee] === 0).map((fee) => [fee, null]))
  return { ...merged, ...cleared, ...deriveVrboPrices(merged, sentSettings) }
}

const deriveVrboPrices = (merged: ListingSettings, sentSettings: ListingSettings): ListingSettings => {
  const base = sentSettings["base_price"]
  if (typeof base === "number") return { nightly_rate: Object.fromEntries(WEEKDAYS.map((weekday) => [weekday, base])) }
  const rates = WEEKDAYS.map((weekday) => readWeekdayRate(merged, weekday))
  return { base_price: rates.every((rate) => rate === rates[0]) ? (rates[0] ?? null) : null }
}

const isPresent = (value: Schema.Json | undefined): boolean => value !== undefined && value !== null

const readWeekdayRate = ({ nightly_rate }: ListingSettings, weekday: string): number | undefined => {
  const rate = isObject(nightly_rate) ? nightly_rate[weekday] : undefined
  return typeof rate === "number" ? rate : undefined
}

const isObject = (value: Schema.Json | undefined): value is { readonly [name: string]: Schema.Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const FRIDAY = 5
const SATURDAY = 6

/** Returns minor units. */
export const computeDefaultNightPrice = ({ settings, currency }: SandboxListing, date: string): bigint => {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay()
  const isWeekend = weekday === FRIDAY || weekday === SATURDAY
  const { weekend_price, base_price } = settings
  const weekend = isWeekend && typeof weekend_price === "number" ? weekend_price : undefined
  const price = weekend ?? readWeekdayRate(settings, WEEKDAYS[weekday] ?? "") ?? base_price
  return typeof price === "number" ? toRoundedUnits(price, currency) : 0n
}

export const readNumericSetting = ({ settings }: SandboxListing, name: string): number | undefined => {
  const value = settings[name]
  return typeof value === "number" ? value : undefined
}
