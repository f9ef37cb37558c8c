import type { Schema } from "effect"
import type { ActionError } from "../../action-outcome.ts"
import type { SubmittedForm } from "../../visit.ts"
import type { SelectOption } from "../form-fields.ts"
import { parseNumber, readSelectedIds } from "../form-values.ts"

// The fields of a change of base prices.

export const WEEKDAY_OPTIONS: ReadonlyArray<SelectOption> = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].map(
  (label, index) => ({ value: index + 1, label })
)

export const PRICE_VALUE_FIELDS = { price: parseNumber, minimum_stay: parseNumber, maximum_stay: parseNumber }

export const CLEARED_VALUES = { price: null, minimum_stay: null, maximum_stay: null }

export const readWeekdays = (form: SubmittedForm): { readonly weekdays?: ReadonlyArray<Schema.Json> } => {
  const weekdays = readSelectedIds(form, "weekdays")
  return weekdays.length === 0 ? {} : { weekdays }
}

/** The form has one range, so an error names the field without the index of the range. */
export const removeRangeIndex = (error: ActionError): ActionError => ({
  ...error,
  message: error.message.replaceAll(/ranges\[0\]\./g, "")
})
