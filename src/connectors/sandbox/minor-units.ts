import { Option } from "effect"
import { currencyDecimals } from "../../contract/fields.ts"
import { formatMinorUnits, toMinorUnits, toTenThousandths } from "../../contract/money.ts"

// Amounts are reckoned in whole smallest units of their currency.

const HUNDRED = 100n

/** Smallest units of an amount in major units; what is finer than the currency is none. */
export const toUnits = (amount: number, currency: string): bigint | undefined =>
  Option.getOrUndefined(toMinorUnits(amount, currency))

/** The same of a price that a host set: what is finer than the currency is rounded. */
export const toRoundedUnits = (amount: number, currency: string): bigint =>
  BigInt(Math.round(amount * 10 ** currencyDecimals(currency)))

/** The same of decimal text as the database has it, which is never finer than its currency. */
export const parseUnits = (amount: string, currency: string): bigint =>
  toTenThousandths(amount) / 10n ** BigInt(4 - currencyDecimals(currency))

/** The number of major units, as it is told. */
export const toMajorUnits = (units: bigint, currency: string): number => Number(formatMinorUnits(units, currency))

/** So many percent of an amount, the half rounded up. */
export const computePercentage = (units: bigint, percent: number): bigint =>
  (units * BigInt(percent) + HUNDRED / 2n) / HUNDRED

/** What is left of an amount after so many percent of it: 100 at 15 percent is 85. */
export const deductPercentage = (units: bigint, percent: number): bigint => units - computePercentage(units, percent)
