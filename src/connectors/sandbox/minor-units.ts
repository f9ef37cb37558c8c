import { Option } from "effect"
import { currencyDecimals } from "../../contract/fields.ts"
import { formatMinorUnits, toMinorUnits, toTenThousandths } from "../../contract/money.ts"

const HUNDRED = 100n

/** Returns undefined if the amount has more decimals than the currency. */
export const toUnits = (amount: number, currency: string): bigint | undefined =>
  Option.getOrUndefined(toMinorUnits(amount, currency))

export const toRoundedUnits = (amount: number, currency: string): bigint =>
  BigInt(Math.round(amount * 10 ** currencyDecimals(currency)))

export const parseUnits = (amount: string, currency: string): bigint =>
  toTenThousandths(amount) / 10n ** BigInt(4 - currencyDecimals(currency))

export const toMajorUnits = (units: bigint, currency: string): number => Number(formatMinorUnits(units, currency))

/** Rounds half up. */
export const computePercentage = (units: bigint, percent: number): bigint =>
  (units * BigInt(percent) + HUNDRED / 2n) / HUNDRED

export const deductPercentage = (units: bigint, percent: number): bigint => units - computePercentage(units, percent)
