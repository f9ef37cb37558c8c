import { Option, Schema } from "effect"
import { addDays } from "../../../../contract/time.ts"
import { BasePriceRange } from "../../../../domain/calendars/base-prices/contract.ts"
import { toWeekday } from "../../../../domain/calendars/base-prices/rules.ts"
import { PRICE_TARGETS_MAX, PRICE_UNDO_LENGTH } from "../../../../platform/limits.ts"
import type { PricedDay, PricedTarget } from "../../queries/PricedTargets.ts"

const VALUE_NAMES = ["price", "minimum_stay", "maximum_stay"] as const
type ValueName = (typeof VALUE_NAMES)[number]

/** Earlier prices of one property or room type. */
const EarlierPrices = Schema.Struct({ id: Schema.Int, ranges: Schema.Array(BasePriceRange) })

const EarlierPriceList = Schema.Array(EarlierPrices).check(Schema.isMaxLength(PRICE_TARGETS_MAX))
export type EarlierPriceList = typeof EarlierPriceList.Type

const decodeEarlierPrices = Schema.decodeUnknownOption(Schema.fromJsonString(EarlierPriceList))

export const parseEarlierPrices = (text: string): EarlierPriceList =>
  Option.getOrElse(decodeEarlierPrices(text), (): EarlierPriceList => [])

interface PriceChange {
  /** The changed values, by their names. */
  readonly values: Schema.JsonObject
  readonly weekdays?: ReadonlyArray<Schema.Json>
}

const listChangedNames = ({ values }: PriceChange): ReadonlyArray<ValueName> =>
  VALUE_NAMES.filter((name) => Object.hasOwn(values, name))

const isChangedDay = ({ date }: PricedDay, { weekdays }: PriceChange): boolean =>
  weekdays === undefined || weekdays.includes(toWeekday(date))

/** Joins consecutive days that had the same values. */
const toEarlierRanges = (days: ReadonlyArray<PricedDay>, names: ReadonlyArray<ValueName>): Array<BasePriceRange> => {
  const ranges: Array<BasePriceRange> = []
  for (const { date, own } of days) {
    const last = ranges.at(-1)
    const isSame = last !== undefined && names.every((name) => last[name] === own[name])
    if (isSame && addDays(last.end_date, 1) === date) ranges[ranges.length - 1] = { ...last, end_date: date }
    else
      ranges.push({
        start_date: date,
        end_date: date,
        ...Object.fromEntries(names.map((name) => [name, own[name]]))
      })
  }
  return ranges
}

/**
 * Returns the JSON text that restores the values before a change. Returns undefined if a value did not exist before:
 * channels keep the last value, so a cleared one would not restore theirs. Also if the text is too long for a form.
 */
export const renderEarlierPrices = (targets: ReadonlyArray<PricedTarget>, change: PriceChange): string | undefined => {
  const names = listChangedNames(change)
  const changedDays = targets.map(({ id, days }) => ({ id, days: days.filter((day) => isChangedDay(day, change)) }))
  const isComplete = changedDays.every(
    ({ days }) => days.length > 0 && days.every((day) => names.every((name) => day[name] !== null))
  )
  if (!isComplete) return undefined
  const text = JSON.stringify(changedDays.map(({ id, days }) => ({ id, ranges: toEarlierRanges(days, names) })))
  return text.length > PRICE_UNDO_LENGTH ? undefined : text
}
