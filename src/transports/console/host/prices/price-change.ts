import { Effect, Result, Schema } from "effect"
import { daysInRange } from "../../../../contract/time.ts"
import { BasePricePushes } from "../../../../domain/calendars/base-prices/contract.ts"
import { PRICE_TARGETS_MAX, PRICE_UNDO_DAYS } from "../../../../platform/limits.ts"
import type { Service } from "../../../../service/service.ts"
import { html, nothing } from "../../../docs/html.ts"
import type { ActionError } from "../../action-outcome.ts"
import type { PricedTarget, PricedTargets } from "../../queries/PricedTargets.ts"
import { parseRecordId, type SignedInVisit, type SubmittedForm } from "../../visit.ts"
import { makeMutation, makeVoidMutation } from "../api-operations.ts"
import { formatActionError } from "../field-errors.ts"
import { actionForm } from "../form-fields.ts"
import { readFilledFields } from "../form-values.ts"
import { type HostAction, makeActionError, type OneTimeContent } from "../host-page.ts"
import { parseDate } from "../page-parts.ts"
import { CLEARED_VALUES, PRICE_VALUE_FIELDS, readWeekdays, removeRangeIndex } from "./price-fields.ts"
import { type PriceResult, renderPriceResults } from "./price-results.ts"
import { parseEarlierPrices, renderEarlierPrices } from "./price-undo.ts"

export type PriceTargetType = "property" | "room_type"

export const parseTargetType = (text: string | null): PriceTargetType =>
  text === "room_type" ? "room_type" : "property"

/** Returns the ticked properties or room types, or all that the page showed. */
const readTargetIds = (
  form: SubmittedForm,
  type: PriceTargetType
): Effect.Effect<ReadonlyArray<number>, ActionError> => {
  const texts = new Set(form.getAll(form.has("all") ? "shown" : "target"))
  const ids = Array.from(texts).flatMap((text) => parseRecordId(text) ?? [])
  if (texts.size === 0)
    return Effect.fail(makeActionError(422, `${type === "property" ? "property_ids" : "room_type_ids"}: is required.`))
  if (texts.size > PRICE_TARGETS_MAX)
    return Effect.fail(makeActionError(422, `Change at most ${PRICE_TARGETS_MAX} at once.`))
  return ids.length < texts.size ? Effect.fail(makeUnknownTargetError(type)) : Effect.succeed(ids)
}

const makeUnknownTargetError = (type: PriceTargetType): ActionError =>
  makeActionError(404, `${type}_id: no such ${type.replace("_", " ")}.`)

/** Returns the days whose earlier prices an undo needs. Undefined if there are too many. */
const readUndoSpan = (form: SubmittedForm) => {
  const [first, last] = [parseDate(form.get("from") ?? ""), parseDate(form.get("to") ?? "")]
  if (first === undefined || last === undefined) return undefined
  const days = daysInRange(first, last)
  return days >= 1 && days <= PRICE_UNDO_DAYS ? { first, last } : undefined
}

const decodePushes = Schema.decodeUnknownSync(Schema.toCodecJson(BasePricePushes))

const undoForm = (visit: SignedInVisit, type: PriceTargetType, earlierPrices: string | undefined) =>
  earlierPrices === undefined
    ? nothing
    : actionForm(visit, {
        action: "restore_prices",
        label: "Undo",
        kind: "plain",
        fields: html`<input type="hidden" name="type" value="${type}"><input type="hidden" name="earlier" value="${earlierPrices}">`
      })

export const makePriceActions = (service: Service["Service"], pricedTargets: PricedTargets["Service"]) => {
  const [mutate, run] = [makeMutation(service), makeVoidMutation(service)]

  /** Fails if the first target fails, because the others would most likely fail for the same reason. */
  const changeTargets = Effect.fnUntraced(function* (
    visit: SignedInVisit,
    form: SubmittedForm,
    {
      targets,
      type,
      range
    }: {
      readonly targets: ReadonlyArray<PricedTarget>
      readonly type: PriceTargetType
      readonly range: Schema.JsonObject
    }
  ) {
    const results: Array<PriceResult> = []
    for (const target of targets) {
      const change = { [`${type}_id`]: target.id, ranges: [range] }
      const outcome = yield* Effect.result(mutate(visit, form, "set_base_prices", change))
      if (Result.isSuccess(outcome)) results.push({ target, pushes: decodePushes(outcome.success) })
      else if (results.length === 0) return yield* Effect.fail(removeRangeIndex(outcome.failure))
      else results.push({ target, pushes: undefined, failure: formatActionError(removeRangeIndex(outcome.failure)) })
    }
    return results
  })

  const changePrices = Effect.fnUntraced(function* (
    visit: SignedInVisit,
    form: SubmittedForm,
    values: Schema.JsonObject
  ) {
    const type = parseTargetType(form.get("type"))
    const ids = yield* readTargetIds(form, type)
    const targets = yield* pricedTargets.of({ type, ids, span: readUndoSpan(form) })
    if (targets.length < ids.length) return yield* Effect.fail(makeUnknownTargetError(type))
    const weekdays = readWeekdays(form)
    const range = { start_date: form.get("from") ?? "", end_date: form.get("to") ?? "", ...weekdays, ...values }
    const results = yield* changeTargets(visit, form, { targets, type, range })
    const saved = results.flatMap(({ target, pushes }) => (pushes === undefined ? [] : [target]))
    const earlierPrices = renderEarlierPrices(saved, { values, ...weekdays })
    const content: OneTimeContent = {
      _tag: "Told",
      html: renderPriceResults(results, undoForm(visit, type, earlierPrices))
    }
    return content
  })

  return {
    set_prices: {
      doneMessage: "Prices saved.",
      run: (visit, form) => changePrices(visit, form, readFilledFields(form, PRICE_VALUE_FIELDS))
    },
    clear_prices: {
      doneMessage: "Prices cleared.",
      run: (visit, form) => changePrices(visit, form, CLEARED_VALUES)
    },
    restore_prices: {
      doneMessage: "The earlier prices are back. Listings get them within a minute.",
      run: (visit, form) => {
        const type = parseTargetType(form.get("type"))
        return Effect.forEach(
          parseEarlierPrices(form.get("earlier") ?? ""),
          ({ id, ranges }) =>
            run(visit, form, "set_base_prices", { [`${type}_id`]: id, ranges: ranges.map((range) => ({ ...range })) }),
          { discard: true }
        ).pipe(Effect.as(undefined))
      }
    }
  } satisfies Readonly<Record<string, HostAction>>
}
