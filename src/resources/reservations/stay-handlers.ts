import { Clock, Effect, Layer } from "effect"
import { CurrentOperator } from "../../contract/caller.ts"
import { NotFound, ValidationFailed } from "../../contract/errors.ts"
import { nameOf } from "../../contract/names.ts"
import { colorOf } from "../../contract/palette.ts"
import { wholeSecond } from "../../contract/time.ts"
import { CUSTOM_FIELDS, CUSTOM_FIELDS_TEXT } from "../../limits.ts"
import { handled, layerHandled } from "../handled.ts"
import { Stays } from "./stay-contract.ts"
import { StayStore } from "./stay-store.ts"

export const layerStays = layerHandled(
  Effect.gen(function* () {
    const store = yield* StayStore
    const now = Effect.map(Clock.currentTimeMillis, wholeSecond)

    return handled(Stays, {
      add_reservation_tag: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const name = nameOf(payload.tag_name)
        const tag = { name, color: colorOf(name) }
        const { found } = yield* store.addTag(operatorId, payload.stay_code, tag, yield* now)
        return found ? {} : yield* noSuchStay
      }),

      remove_reservation_tag: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const outcome = yield* store.removeTag(operatorId, payload.stay_code, nameOf(payload.tag_name))
        if (!outcome.found) return yield* noSuchStay
        return outcome.removed ? {} : yield* notTagged
      }),

      update_check_in_details: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const wanted = {
          lockCode: payload.lock_code === "" ? null : payload.lock_code,
          lockCodeVisibleAfter: payload.lock_code_visible_after,
          arrivalAt: clockText(payload.arrival_at),
          departureAt: clockText(payload.departure_at),
          deposit: payload.deposit,
          idRequired: payload.id_required
        }
        const changed = yield* store.checkIn(operatorId, payload.stay_code, wanted, yield* now)
        return changed.found ? {} : yield* noSuchStay
      }),

      query_custom_fields: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const stay = yield* store.customFields(operatorId, payload.stay_code)
        return stay === undefined ? yield* noSuchStay : { custom_fields: stay.fields }
      }),

      update_reservation_custom_fields: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const stay = yield* store.saveCustomFields(operatorId, payload.stay_code, payload.custom_fields, yield* now)
        if (stay === undefined) return yield* noSuchStay
        return stay.saved ? { custom_fields: stay.fields } : yield* tooManyFields
      }),

      update_stay_status: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const stay = yield* store.setStayStatus(operatorId, payload.stay_code, payload.stay_status, yield* now)
        if (stay === undefined) return yield* noSuchStay
        return stay.status === "accepted" ? {} : yield* notAccepted(stay.status)
      })
    })
  })
).pipe(Layer.provide(StayStore.layer))

type Time = { readonly hour: number; readonly minute: number } | null | undefined

const clockText = (time: Time): string | null | undefined =>
  time === null || time === undefined
    ? time
    : [time.hour, time.minute].map((part) => String(part).padStart(2, "0")).join(":")

const noSuchStay = new NotFound({ message: "stay_code: no such stay." })
const notTagged = new NotFound({ message: "tag_name: the stay has no such tag." })
const tooManyFields = new ValidationFailed({
  message: `custom_fields: a stay has at most ${CUSTOM_FIELDS} of them, of at most ${CUSTOM_FIELDS_TEXT} characters in all.`
})
const notAccepted = (status: string) =>
  new ValidationFailed({ message: `stay_status: the order is ${status}; only stays of accepted orders are marked.` })
