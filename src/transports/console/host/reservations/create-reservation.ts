import { Effect, type Schema } from "effect"
import type { ActionError } from "../../action-outcome.ts"
import type { OfferedProperties } from "../../queries/OfferedProperties.ts"
import type { SignedInVisit, SubmittedForm } from "../../visit.ts"
import type { makeMutation } from "../api-operations.ts"
import { describeConflict } from "../conflict-text.ts"
import { parseLines, parseNumber, parseText, readFilledFields } from "../form-values.ts"
import { makeActionError } from "../host-page.ts"
import { type PrefilledStay, readFormStay } from "./prefilled-stay.ts"

export const QUOTE_PARSERS = {
  property_id: parseNumber,
  check_in_date: parseText,
  check_out_date: parseText,
  number_of_guests: parseNumber
}

const FIELD_PARSERS = {
  ...QUOTE_PARSERS,
  guest_name: parseText,
  custom_channel_id: parseNumber,
  rate_amount: parseNumber,
  commission_amount: parseNumber,
  currency: parseText,
  received_amount: parseNumber,
  income_method_id: parseNumber,
  email: parseText,
  mobile: parseText,
  remarks: parseLines,
  quote_id: parseText
}

export const findPropertyOf = (
  properties: OfferedProperties["Service"],
  { property, nights }: Pick<PrefilledStay, "property" | "nights">
) => Effect.map(properties.of(nights), (all) => all.find(({ id }) => String(id) === property))

/** Creates the reservation of a form. A conflict names the guests in the way. */
export const makeCreateReservation = (
  mutate: ReturnType<typeof makeMutation>,
  properties: OfferedProperties["Service"]
) => {
  /** The untouched currency of another property is replaced by that of the chosen one. */
  const readBooking = Effect.fnUntraced(function* (form: SubmittedForm) {
    const fields: Schema.JsonObject = readFilledFields(form, FIELD_PARSERS)
    const isUntouched = form.get("currency") === form.get("was.currency")
    const isSameProperty = form.get("property_id") === form.get("currency_property")
    if (form.has("quote_id") || isSameProperty || !isUntouched) return fields
    const property = yield* findPropertyOf(properties, readFormStay(form))
    return property === undefined ? fields : { ...fields, currency: property.currency }
  })

  const explainConflict = (form: SubmittedForm) => (error: ActionError) =>
    error.status === 409 && !form.has("quote_id")
      ? Effect.flatMap(findPropertyOf(properties, readFormStay(form)), (property) => {
          const text = property === undefined ? undefined : describeConflict(property)
          return Effect.fail(text === undefined ? error : makeActionError(409, `check_in_date: ${text}`))
        })
      : Effect.fail(error)

  return Effect.fnUntraced(function* (visit: SignedInVisit, form: SubmittedForm) {
    const fields = yield* readBooking(form)
    return yield* Effect.catch(mutate(visit, form, "create_reservation", fields), explainConflict(form))
  })
}
