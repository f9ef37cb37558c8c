import { Result, Schema } from "effect"
import type { ValidationFailed } from "../../../contract/errors.ts"
import { MAJOR_UNITS_DESCRIPTION } from "../../../contract/fields.ts"
import { parseMinorUnits } from "../../../contract/money.ts"
import { nameKeyOf, nameUpTo, trimName } from "../../../contract/names.ts"
import { AMOUNT_MAX, PRICE_ITEM_NAME_LENGTH, PRICE_ITEMS_MAX } from "../../../platform/limits.ts"

// Fees and taxes of a property. `domain/bookings/quotes` adds them to a quote.

const Amount = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: AMOUNT_MAX }, { expected: `an amount from 0 to ${AMOUNT_MAX}` })
).annotate({ description: MAJOR_UNITS_DESCRIPTION })

const PERCENT_DECIMALS = 2
const PERCENT_TEXT = new RegExp(`^\\d+(\\.\\d{1,${PERCENT_DECIMALS}})?$`)

const Percent = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: 100 }, { expected: "a percentage from 0 to 100" }),
  Schema.makeFilter((percent) => PERCENT_TEXT.test(String(percent)), {
    expected: `a percentage with at most ${PERCENT_DECIMALS} decimals`,
    toJsonSchema: () => [{}, true]
  })
)

export const PriceItem = Schema.Struct({
  name: nameUpTo(PRICE_ITEM_NAME_LENGTH).annotateKey({
    documentation: "Name for guests, one line. The names of one list must differ by more than case."
  }),
  amount: Schema.optionalKey(Amount).annotateKey({
    documentation:
      "Amount in major units of the property's currency, with at most the decimals of that currency. Send either this or `percent`."
  }),
  percent: Schema.optionalKey(Percent).annotateKey({
    documentation:
      "Percentage from 0 to 100 with at most two decimals: a fee in percent of the nights, a tax in percent of the nights and all fees. The result is rounded half up. Send either this or `amount`."
  }),
  per: Schema.Literals(["stay", "night", "guest"]).annotateKey({
    documentation:
      "What the amount is charged for: the whole `stay`, each `night`, or each `guest` once. A percentage is charged once, with `stay` or `night` alike; with `guest` it returns 422."
  })
}).check(
  Schema.makeFilter(
    ({ amount, percent, per }) => {
      if ((amount === undefined) === (percent === undefined)) return "must have either amount or percent"
      return percent === undefined || per !== "guest" || "must have `stay` or `night` in per, because it has percent"
    },
    { toJsonSchema: () => [{}, true] }
  )
)
export type PriceItem = typeof PriceItem.Type

const hasDistinctNames = (items: ReadonlyArray<PriceItem>): boolean =>
  new Set(items.map(({ name }) => nameKeyOf(name))).size === items.length

export const PriceItems = Schema.Array(PriceItem).check(
  Schema.isMaxLength(PRICE_ITEMS_MAX, { expected: `at most ${PRICE_ITEMS_MAX} items` }),
  Schema.makeFilter(hasDistinctNames, {
    expected: "a list of items with different names",
    toJsonSchema: () => [{}, true]
  })
)

export const trimItemNames = (items: ReadonlyArray<PriceItem>): ReadonlyArray<PriceItem> =>
  items.map((item) => ({ ...item, name: trimName(item.name) }))

export interface PropertyPricing {
  readonly currency: string
  readonly fees: ReadonlyArray<PriceItem>
  readonly taxes: ReadonlyArray<PriceItem>
}

/** Fails with 422 and the path of the first amount that has more decimals than the currency, such as `fees[0].amount`. */
export const checkItemDecimals = ({ currency, ...lists }: PropertyPricing): Result.Result<void, ValidationFailed> => {
  for (const field of ["fees", "taxes"] as const) {
    for (const [index, { amount = 0 }] of lists[field].entries()) {
      const units = parseMinorUnits(`${field}[${index}].amount`, amount, currency)
      if (Result.isFailure(units)) return Result.fail(units.failure)
    }
  }
  return Result.void
}
