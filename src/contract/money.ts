import { Option, Result, Schema } from "effect"
import { ValidationFailed } from "./errors.ts"
import { currencyDecimals } from "./fields.ts"

// Amounts are compared, split and summed as whole minor units (cents), so that they stay exact.

const PLAIN_DECIMAL = /^(\d+)(?:\.(\d+))?$/

/**
 * Returns none if the amount has more decimals than the currency (10.005 EUR). Reads the shortest decimal text of the
 * number, which is what the caller wrote.
 */
export const toMinorUnits = (amount: number, currency: string): Option.Option<bigint> => {
  const decimals = currencyDecimals(currency)
  const parts = PLAIN_DECIMAL.exec(toPlainDecimal(amount))
  if (parts === null) return Option.none()
  const [, whole = "0", fraction = ""] = parts
  return fraction.length > decimals ? Option.none() : Option.some(BigInt(whole + fraction.padEnd(decimals, "0")))
}

export const parseMinorUnits = (
  field: string,
  amount: number,
  currency: string
): Result.Result<bigint, ValidationFailed> =>
  Option.match(toMinorUnits(amount, currency), {
    onNone: () => Result.fail(new ValidationFailed({ message: `${field}: has more decimals than ${currency} has.` })),
    onSome: Result.succeed
  })

export const toDecimalText = (
  field: string,
  amount: number,
  currency: string
): Result.Result<string, ValidationFailed> =>
  Result.map(parseMinorUnits(field, amount, currency), (units) => formatMinorUnits(units, currency))

/**
 * A number below 1e-6 prints with an exponent. Its `toFixed` text may be inexact, but it has more decimals than any
 * currency, so the amount is still rejected.
 */
const toPlainDecimal = (amount: number): string => {
  const text = String(amount)
  return text.includes("e-") ? amount.toFixed(20) : text
}

export const formatMinorUnits = (units: bigint, currency: string): string => {
  const decimals = currencyDecimals(currency)
  const digits = units.toString().padStart(decimals + 1, "0")
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** Returns the amount with the decimals of `numeric(18, 4)`, so that equal amounts are equal texts. */
export const padToFourDecimals = (amount: string): string => {
  const [whole = "0", fraction = ""] = amount.split(".")
  return `${whole}.${fraction.padEnd(4, "0")}`
}

export const toTenThousandths = (amount: string): bigint => {
  const point = amount.indexOf(".")
  return BigInt(point < 0 ? `${amount}0000` : `${amount.slice(0, point)}${amount.slice(point + 1).padEnd(4, "0")}`)
}

declare global {
  // ECMAScript 2026: Node has these functions, but the compiler's library lacks them.
  interface JSON {
    rawJSON(text: string): RawJsonNumber
    isRawJSON(value: unknown): value is RawJsonNumber
  }
}

interface RawJsonNumber {
  readonly rawJSON: string
}

/**
 * A sum of amounts, which may have more digits than a double keeps. The schema is `Any`, so that a codec does not check
 * whether each amount is JSON.
 */
export const ExactAmount = Schema.Any.pipe(
  Schema.refine((value): value is number | RawJsonNumber => Number.isFinite(value) || JSON.isRawJSON(value), {
    expected: "an amount",
    toJsonSchema: () => ({ type: "number" })
  })
)

const EXACT_DOUBLE_LIMIT = 10n ** 15n

export const toExactNumber = (units: bigint, decimals: number): number | RawJsonNumber => {
  if (units < EXACT_DOUBLE_LIMIT && units > -EXACT_DOUBLE_LIMIT) return Number(units) / 10 ** decimals
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, "0")
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "")
  const text = `${units < 0n ? "-" : ""}${digits.slice(0, digits.length - decimals)}${fraction === "" ? "" : `.${fraction}`}`
  return String(Number(text)) === text ? Number(text) : JSON.rawJSON(text)
}

/**
 * Splits an amount in proportion to weights. The parts add up to the whole, each less than one unit off its exact
 * share. Rounding units go to the largest remainders, earlier parts first. All-zero weights split evenly.
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
