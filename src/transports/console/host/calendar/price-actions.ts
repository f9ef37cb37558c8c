import { Effect, Schema } from "effect"
import { listDates } from "../../../../domain/calendars/availability/rules.ts"
import { BasePricePushes } from "../../../../domain/calendars/base-prices/contract.ts"
import { LISTING_RANGES_MAX, PRICED_PROPERTIES_MAX } from "../../../../platform/limits.ts"
import type { Service } from "../../../../service/service.ts"
import type { ActionError } from "../../action-outcome.ts"
import type { DaysBefore, PropertyDays, StoredDay } from "../../queries/DaysBefore.ts"
import type { SubmittedForm } from "../../visit.ts"
import { makeMutation } from "../api-operations.ts"
import { parseNumber, readFilledFields } from "../form-values.ts"
import { type HostAction, makeActionError } from "../host-page.ts"
import { pluralize } from "../page-parts.ts"
import {
  type DaySelection,
  decodeUndo,
  describeSelection,
  joinDays,
  readDayFields,
  readSelection,
  redirectWithNotice,
  UNDONE_NOTICE
} from "./day-selection.ts"

const Value = Schema.optionalKey(Schema.NullOr(Schema.Int))
const PriceRange = Schema.Struct({
  start_date: Schema.String,
  end_date: Schema.String,
  price: Value,
  minimum_stay: Value,
  maximum_stay: Value
})
type PriceRange = typeof PriceRange.Type

const PropertyPrices = Schema.Array(
  Schema.Struct({
    property: Schema.Int,
    ranges: Schema.Array(PriceRange).check(Schema.isMaxLength(LISTING_RANGES_MAX))
  })
).check(Schema.isMaxLength(PRICED_PROPERTIES_MAX))

const PRICE_FIELDS = ["price", "minimum_stay", "maximum_stay"] as const
type PriceField = (typeof PRICE_FIELDS)[number]

const CLEARED_VALUES: Schema.JsonObject = { price: null, minimum_stay: null, maximum_stay: null }

const readValues = (form: SubmittedForm): Schema.JsonObject =>
  readFilledFields(form, { price: parseNumber, minimum_stay: parseNumber })

/** Returns the property's own values of the changed fields, as ranges of days. A day without values gets null. */
export const toStoredRanges = (
  { days }: PropertyDays,
  { first, last }: Pick<DaySelection, "first" | "last">,
  fields: ReadonlyArray<PriceField>
): ReadonlyArray<PriceRange> => {
  const storedDays = new Map<string, StoredDay>(days.map((day) => [day.day, day]))
  const valuesByDay = listDates(first, last).map((day) => ({
    day,
    value: fields.map((field) => storedDays.get(day)?.[field] ?? null)
  }))
  return joinDays(valuesByDay, (one, other) => one.join() === other.join()).map((range) => ({
    start_date: range.first,
    end_date: range.last,
    ...Object.fromEntries(fields.map((field, index) => [field, range.value[index] ?? null]))
  }))
}

const decodePushes = Schema.decodeUnknownSync(Schema.toCodecJson(BasePricePushes))
const decodePropertyPrices = decodeUndo(PropertyPrices)

const describePushes = (pushes: ReadonlyArray<BasePricePushes>): string => {
  const [sent, left] = [
    pushes.reduce((sum, { pushed }) => sum + pushed.length, 0),
    pushes.reduce((sum, { skipped }) => sum + skipped.length, 0)
  ]
  const sentText = sent === 0 ? "" : ` ${pluralize(sent, "listing")} updated within a minute.`
  return left === 0 ? sentText : `${sentText} ${pluralize(left, "listing")} not updated: see Prices.`
}

/** Names how many properties were saved, because each of them is a call of its own. */
const withSavedCount = (error: ActionError, saved: number, count: number): ActionError =>
  saved === 0 ? error : { ...error, message: `${error.message} Saved for ${saved} of ${count} properties.` }

const noValueError = makeActionError(422, "price: must not be empty.")

export const makePriceActions = (service: Service["Service"], daysBefore: DaysBefore["Service"]) => {
  const mutate = makeMutation(service)
  const makeAction = (text: string, toValues: (form: SubmittedForm) => Schema.JsonObject): HostAction => ({
    doneMessage: `${text}.`,
    run: (visit, form) =>
      Effect.gen(function* () {
        const [values, selection] = [toValues(form), yield* readSelection(form, PRICED_PROPERTIES_MAX)]
        const fields = PRICE_FIELDS.filter((field) => Object.hasOwn(values, field))
        if (fields.length === 0) return yield* Effect.fail(noValueError)
        const before = selection === undefined ? [] : yield* daysBefore.of(selection.propertyIds, selection)
        const { properties, ...days } = readDayFields(form)
        const propertyIds = properties.length === 0 ? [""] : properties.slice(0, PRICED_PROPERTIES_MAX)
        const pushes = yield* Effect.forEach(propertyIds, (property_id, index) =>
          mutate(visit, form, "set_base_prices", { property_id, ranges: [{ ...days, ...values }] }).pipe(
            Effect.mapBoth({
              onSuccess: (pushed) => decodePushes(pushed),
              onFailure: (error) => withSavedCount(error, index, propertyIds.length)
            })
          )
        )
        if (selection === undefined) return undefined
        const stored = before.map((property) => ({
          property: property.id,
          ranges: toStoredRanges(property, selection, fields)
        }))
        return redirectWithNotice(visit, {
          text: `${text} for ${describeSelection(selection, before)}.${describePushes(pushes)}`,
          undo: { action: "restore_prices", fields: { before: JSON.stringify(stored) } }
        })
      })
  })
  const restorePrices: HostAction = {
    doneMessage: UNDONE_NOTICE.text,
    run: (visit, form) =>
      Effect.gen(function* () {
        const stored = yield* decodePropertyPrices(form)
        yield* Effect.forEach(stored, ({ property, ranges }) =>
          mutate(visit, form, "set_base_prices", {
            property_id: property,
            ranges: ranges.map((range) => ({ ...range }))
          })
        )
        return redirectWithNotice(visit, UNDONE_NOTICE)
      })
  }
  return {
    set_prices: makeAction("Prices saved", readValues),
    clear_prices: makeAction("Prices cleared", () => CLEARED_VALUES),
    restore_prices: restorePrices
  }
}
