import { Option, Result, Schema } from "effect"
import { ValidationFailed } from "./errors.ts"
import { currencyDecimals } from "./fields.ts"

// Money is exact: it is compared, split and added up in whole smallest units (cents), never as a floating number.

const PLAIN_DECIMAL = /^(\d+)(?:\.(\d+))?$/

/**
 * The amount in the currency's smallest unit, or none when it has more decimals than the currency (10.005 EUR, 0.5
 * JPY). The shortest decimal text of a JSON number is what the caller wrote.
 */
export const toMinorUnits = (amount: number, currency: string): Option.Option<bigint> => {
  const decimals = currencyDecimals(currency)
  const parts = PLAIN_DECIMAL.exec(toPlainDecimal(amount))
  if (parts === null) return Option.none()
  const [, whole = "0", fraction = ""] = parts
  return fraction.length > decimals ? Option.none() : Option.some(BigInt(whole + fraction.padEnd(decimals, "0")))
}

/** {@link toMinorUnits} of a field of a payload: 422 naming it when the amount is finer than the currency. */
export const parseMinorUnits = (
  field: string,
  amount: number,
  currency: string
): Result.Result<bigint, ValidationFailed> =>
  Option.match(toMinorUnits(amount, currency), {
    onNone: () => Result.fail(new ValidationFailed({ message: `${field}: has more decimals than ${currency} has.` })),
    onSome: Result.succeed
  })

/** The same as decimal text, as `numeric` takes it. */
export const toDecimalText = (
  field: string,
  amount: number,
  currency: string
): Result.Result<string, ValidationFailed> =>
  Result.map(parseMinorUnits(field, amount, currency), (units) => formatMinorUnits(units, currency))

/** 1e-7 prints with an exponent; such small amounts only need to be seen as having too many decimals. */
const toPlainDecimal = (amount: number): string => {
  const text = String(amount)
  return text.includes("e-") ? amount.toFixed(20) : text
}

/** Decimal text of an amount in smallest units, as `numeric` takes it. */
export const formatMinorUnits = (units: bigint, currency: string): string => {
  const decimals = currencyDecimals(currency)
  const digits = units.toString().padStart(decimals + 1, "0")
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/**
 * Decimal text with the four decimals that `numeric(18, 4)` has, the most a currency has: amounts of different length are
 * compared and weighed digit by digit.
 */
export const padToFourDecimals = (amount: string): string => {
  const [whole = "0", fraction = ""] = amount.split(".")
  return `${whole}.${fraction.padEnd(4, "0")}`
}

/** The same in whole ten-thousandths. */
export const toTenThousandths = (amount: string): bigint => {
  const point = amount.indexOf(".")
  return BigInt(point < 0 ? `${amount}0000` : `${amount.slice(0, point)}${amount.slice(point + 1).padEnd(4, "0")}`)
}

declare global {
  // ECMAScript 2026, which node has and the compiler's library does not know yet.
  interface JSON {
    rawJSON(text: string): RawJsonNumber
    isRawJSON(value: unknown): value is RawJsonNumber
  }
}

/** A number as JSON text, for `JSON.stringify`. */
interface RawJsonNumber {
  readonly rawJSON: string
}

/**
 * An amount whose every digit is shown: a JSON number is exact text, be it more digits than a floating number keeps.
 * Made by {@link toExactNumber}, for sums: what a caller sends has few enough digits. In JSON it is itself: of `Unknown`, or
 * with a codec of its own, each amount would be searched for what is no JSON.
 */
export const ExactAmount = Schema.Any.pipe(
  Schema.refine((value): value is number | RawJsonNumber => Number.isFinite(value) || JSON.isRawJSON(value), {
    expected: "an amount",
    toJsonSchema: () => ({ type: "number" })
  })
)

/** Units below this have at most fifteen digits, which a floating number keeps. */
const EXACT_DOUBLE_LIMIT = 10n ** 15n

/** The number of that many units of `10^-decimals`. */
export const toExactNumber = (units: bigint, decimals: number): number | RawJsonNumber => {
  if (units < EXACT_DOUBLE_LIMIT && units > -EXACT_DOUBLE_LIMIT) return Number(units) / 10 ** decimals
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, "0")
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "")
  const text = `${units < 0n ? "-" : ""}${digits.slice(0, digits.length - decimals)}${fraction === "" ? "" : `.${fraction}`}`
  return String(Number(text)) === text ? Number(text) : JSON.rawJSON(text)
}

/**
 * Splits an amount in proportion to weights, to the smallest unit: the parts add up to the whole, none is off its
 * exact share by a unit or more, and the units left by rounding go to the largest remainders, first come first.
 * Weights that are all zero split evenly.
 */
export const splitByWeights = (whole: bigint, weights: ReadonlyArray<bigint>): ReadonlyArray<bigint> => {
  const weightSum = weights.reduce((sum, weight) => sum + weight, 0n)
  const effectiveWeights = weightSum === 0n ? weights.map(() => 1n) : weights
  const effectiveSum = weightSum === 0n ? BigInt(weights.length) : weightSum
  const exactShares = effectiveWeights.map((weight) => ({
    part: (whole * weight) / effectiveSum,
    remainder: (whole * weight) % effectiveSum
  }))
  const unitsLeft = Number(whole - exactShares.reduce((sum, { part }) => sum + part, 0n))
  const byRemainder = exactShares
    .map(({ remainder }, index) => ({ remainder, index }))
    .sort((one, other) =>
      one.remainder === other.remainder ? one.index - other.index : one.remainder < other.remainder ? 1 : -1
    )
  const roundedUpIndexes = new Set(byRemainder.slice(0, unitsLeft).map(({ index }) => index))
  return exactShares.map(({ part }, index) => (roundedUpIndexes.has(index) ? part + 1n : part))
}
