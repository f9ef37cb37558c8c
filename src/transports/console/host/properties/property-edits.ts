import { Effect } from "effect"
import type { ActionError } from "../../action-outcome.ts"
import type { SignedInVisit, SubmittedForm } from "../../visit.ts"
import { parseRecordId } from "../../visit.ts"
import type { makeVoidMutation } from "../api-operations.ts"
import { nullIfEmpty, parseNumber, parseText, readChangedFields, reverseChangedFields } from "../form-values.ts"
import { type ActionRedirect, type HostAction, makeActionError } from "../host-page.ts"
import { propertyUrl } from "../urls.ts"
import { parsePriceItems } from "./price-item-text.ts"
import { ACTIVATE_ACTION, DEACTIVATE_ACTION } from "./property-facts.ts"
import { SAVE_PROPERTY_ACTION } from "./property-form.ts"

type Mutation = ReturnType<typeof makeVoidMutation>

const PROPERTY_PARSERS = {
  title: parseText,
  capacity: nullIfEmpty(parseNumber),
  address: nullIfEmpty(parseText),
  default_checkin_time: nullIfEmpty(parseText),
  default_checkout_time: nullIfEmpty(parseText),
  currency: nullIfEmpty((text) => text.trim().toUpperCase()),
  fees: parsePriceItems,
  taxes: parsePriceItems,
  latitude: nullIfEmpty(parseText),
  longitude: nullIfEmpty(parseText)
}

const unknownPropertyError = makeActionError(404, "There is no such property.")

const requireId = (form: SubmittedForm): Effect.Effect<number, ActionError> => {
  const id = parseRecordId(form.get("id"))
  return id === undefined ? Effect.fail(unknownPropertyError) : Effect.succeed(id)
}

/** A form has one text area for all fees: `fees[1].amount: has …` becomes `fees: line 2 has …`. */
const nameItemLines = (error: ActionError): ActionError => ({
  ...error,
  message: error.message
    .replaceAll(
      /\b(fees|taxes)\[(\d+)\][.\w]*: must have either amount or percent/g,
      (_all, list, index) =>
        `${list}: line ${Number(index) + 1} needs a name and an amount, such as “Cleaning: 40 per stay”`
    )
    .replaceAll(/\b(fees|taxes)\[(\d+)\][.\w]*: /g, (_all, list, index) => `${list}: line ${Number(index) + 1} `)
})

export const makePropertyEdits = (mutate: Mutation): Readonly<Record<string, HostAction>> => ({
  [SAVE_PROPERTY_ACTION]: {
    doneMessage: "Property saved.",
    run: (visit, form) =>
      Effect.gen(function* () {
        const id = yield* requireId(form)
        const fields = readChangedFields(form, PROPERTY_PARSERS)
        yield* Effect.mapError(mutate(visit, form, "update_property", { id, ...fields }), nameItemLines)
        return toSavedProperty(id, form)
      })
  },
  [DEACTIVATE_ACTION]: makeActivation(mutate, false, {
    text: "Deactivated. Existing stays are kept, and all other days are blocked.",
    undoAction: ACTIVATE_ACTION
  }),
  [ACTIVATE_ACTION]: makeActivation(mutate, true, { text: "Activated.", undoAction: DEACTIVATE_ACTION })
})

const toSavedProperty = (id: number, form: SubmittedForm): ActionRedirect => {
  const former = reverseChangedFields(form, Object.keys(PROPERTY_PARSERS))
  const text = "Property saved."
  return {
    _tag: "GoOn",
    url: propertyUrl(id),
    notice:
      Object.keys(former).length === 0
        ? { text }
        : { text, undo: { action: SAVE_PROPERTY_ACTION, fields: { id: String(id), ...former } } }
  }
}

const makeActivation = (
  mutate: Mutation,
  isActive: boolean,
  { text, undoAction }: { readonly text: string; readonly undoAction: string }
): HostAction => ({
  doneMessage: text,
  run: (visit: SignedInVisit, form: SubmittedForm) =>
    Effect.flatMap(requireId(form), (id) =>
      Effect.as(mutate(visit, form, "update_property", { id, is_active: isActive }), {
        _tag: "GoOn" as const,
        url: propertyUrl(id),
        notice: { text, undo: { action: undoAction, fields: { id: String(id) } } }
      })
    )
})
