import { Predicate, Result, Schema, Struct } from "effect"
import { BadRequest, ValidationFailed } from "../../contract/errors.ts"
import {
  type AirbnbPriceAndRules,
  type Discount,
  type NightlyRate,
  VrboPriceAndRules
} from "../channels/port/price-and-rules.ts"
import type { AirbnbSettings, VrboSettings } from "./contract.ts"

type OneOrMoreDiscounts = Discount | ReadonlyArray<Discount>

const toDiscountList = (discounts: OneOrMoreDiscounts): ReadonlyArray<Discount> =>
  "discount" in discounts ? [discounts] : discounts

/** Setting one kind of pet fee clears the other. */
export const toAirbnbUpdate = (
  settings: AirbnbSettings
): Result.Result<Partial<AirbnbPriceAndRules>, BadRequest | ValidationFailed> => {
  const { early_bird_discount, last_minute_discount, long_term_discount, ...others } = settings
  const hasFee = Predicate.isNotNullish(settings.pet_fee)
  const hasFeeObject = Predicate.isNotNullish(settings.pet_fee_obj)
  if (hasFee && hasFeeObject) return Result.fail(conflictingPetFeesError)
  const { minimum_stay, maximum_stay } = settings
  if (minimum_stay !== undefined && maximum_stay !== undefined && minimum_stay > maximum_stay) {
    return Result.fail(maximumBelowMinimumError)
  }
  return Result.succeed({
    ...others,
    ...(early_bird_discount === undefined ? {} : { early_bird_discount: toDiscountList(early_bird_discount) }),
    ...(last_minute_discount === undefined ? {} : { last_minute_discount: toDiscountList(last_minute_discount) }),
    ...(long_term_discount === undefined ? {} : { long_term_discount: toDiscountList(long_term_discount) }),
    ...(hasFee ? { pet_fee_obj: null } : {}),
    ...(hasFeeObject ? { pet_fee: null } : {})
  })
}

const conflictingPetFeesError = new BadRequest({
  message: "settings.pet_fee: cannot be sent with pet_fee_obj; send one of them."
})

const maximumBelowMinimumError = new ValidationFailed({
  message: "settings.maximum_stay: must not be below minimum_stay."
})

/** Omits one kind of pet fee, so that the result can be sent back. */
export const toAirbnbPriceAndRules = (settings: AirbnbPriceAndRules): AirbnbPriceAndRules =>
  settings.pet_fee_obj === null ? settings : { ...settings, pet_fee: null }

/** The base price takes precedence over weekday prices. */
export const toVrboUpdate = (settings: VrboSettings): VrboSettings =>
  settings.base_price === undefined ? settings : Struct.omit(settings, ["nightly_rate"])

/** Returns the settings to record: base price and weekday prices, and null for a fee of 0. */
export const toVrboSnapshot = (update: VrboSettings): Partial<VrboPriceAndRules> => ({
  ...update,
  ...(update.base_price === undefined && update.nightly_rate === undefined
    ? {}
    : toVrboPrices(update.base_price ?? null, update.nightly_rate ?? null)),
  ...clearZeroFees(update)
})

const clearZeroFees = ({
  cleaning_fee,
  extra_guest_fee,
  security_deposit
}: Partial<VrboPriceAndRules>): Partial<
  Pick<VrboPriceAndRules, "cleaning_fee" | "extra_guest_fee" | "security_deposit">
> => ({
  ...(cleaning_fee === 0 ? { cleaning_fee: null } : {}),
  ...(extra_guest_fee === 0 ? { extra_guest_fee: null } : {}),
  ...(security_deposit === 0 ? { security_deposit: null } : {})
})

const toVrboPrices = (
  base: number | null,
  nightly: NightlyRate | null
): Pick<VrboPriceAndRules, "base_price" | "nightly_rate"> => {
  if (nightly !== null) {
    const prices = new Set(Object.values(nightly))
    return { base_price: prices.size === 1 ? nightly.sunday : null, nightly_rate: nightly }
  }
  return { base_price: base, nightly_rate: base === null ? null : toUniformNightlyRate(base) }
}

const toUniformNightlyRate = (price: number): NightlyRate => ({
  sunday: price,
  monday: price,
  tuesday: price,
  wednesday: price,
  thursday: price,
  friday: price,
  saturday: price
})

const vrboSettingChecks = Object.entries(VrboPriceAndRules.fields).map(
  ([name, field]) => [name, Schema.is(field)] as const
)
const decodeVrboPriceAndRules = Schema.decodeUnknownSync(VrboPriceAndRules)

/** Invalid settings become null. The result can be sent back unchanged. */
export const toVrboPriceAndRules = (snapshot: Schema.Json | null): VrboPriceAndRules => {
  const values = vrboSettingChecks.map(([name, isSetting]) => {
    const value = Predicate.hasProperty(snapshot, name) ? snapshot[name] : null
    return [name, isSetting(value) ? value : null] as const
  })
  const settings = decodeVrboPriceAndRules(Object.fromEntries(values))
  return { ...settings, ...clearZeroFees(settings), ...toVrboPrices(settings.base_price, settings.nightly_rate) }
}
