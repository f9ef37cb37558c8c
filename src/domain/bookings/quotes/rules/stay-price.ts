import { Option } from "effect"
import { currencyDecimals } from "../../../../contract/fields.ts"
import { formatMinorUnits, toMinorUnits } from "../../../../contract/money.ts"
import type { PriceItem } from "../../../properties/properties/price-items.ts"

// Amounts are whole minor units (such as cents), so that the parts add up to the total exactly.

export interface StayPricing {
  readonly currency: string
  readonly guests: number
  readonly fees: ReadonlyArray<PriceItem>
  readonly taxes: ReadonlyArray<PriceItem>
}

export interface PricedItem {
  readonly name: string
  readonly units: bigint
}

export interface StayPrice {
  readonly fees: ReadonlyArray<PricedItem>
  readonly taxes: ReadonlyArray<PricedItem>
  readonly total: bigint
}

/**
 * Returns minor units. Rounds an amount with too many decimals for the currency: a property may have one after the
 * operator changed its currency.
 */
export const toUnits = (amount: number, currency: string): bigint =>
  Option.getOrElse(toMinorUnits(amount, currency), () => BigInt(Math.round(amount * 10 ** currencyDecimals(currency))))

export const toAmount = (units: bigint, currency: string): number => Number(formatMinorUnits(units, currency))

const HUNDREDTHS_PER_PERCENT = 100
const HUNDREDTHS_PER_WHOLE = 10_000n

/** Returns `percent` of `units`, rounded half up. `percent` has at most two decimals. */
export const computePercentage = (units: bigint, percent: number): bigint =>
  (units * BigInt(Math.round(percent * HUNDREDTHS_PER_PERCENT)) + HUNDREDTHS_PER_WHOLE / 2n) / HUNDREDTHS_PER_WHOLE

const sum = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((total, units) => total + units, 0n)

const countCharges = (per: PriceItem["per"], nightCount: number, guests: number): bigint => {
  switch (per) {
    case "stay":
      return 1n
    case "night":
      return BigInt(nightCount)
    case "guest":
      return BigInt(guests)
  }
}

/** `base` is the amount of which an item takes its percentage. */
const priceItems = (
  items: ReadonlyArray<PriceItem>,
  base: bigint,
  nightCount: number,
  { currency, guests }: StayPricing
): ReadonlyArray<PricedItem> =>
  items.map(({ name, amount = 0, percent, per }) => ({
    name,
    units:
      percent === undefined
        ? toUnits(amount, currency) * countCharges(per, nightCount, guests)
        : computePercentage(base, percent)
  }))

/** Computes a fee in percent from the nights, and a tax in percent from the nights and all fees. */
export const priceStay = (nights: ReadonlyArray<bigint>, pricing: StayPricing): StayPrice => {
  const accommodation = sum(nights)
  const fees = priceItems(pricing.fees, accommodation, nights.length, pricing)
  const taxable = accommodation + sum(fees.map(({ units }) => units))
  const taxes = priceItems(pricing.taxes, taxable, nights.length, pricing)
  return { fees, taxes, total: taxable + sum(taxes.map(({ units }) => units)) }
}
