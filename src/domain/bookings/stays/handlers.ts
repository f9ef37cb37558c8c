import { Effect, Schema } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { NotFound, ValidationFailed } from "../../../contract/errors.ts"
import { trimName } from "../../../contract/names.ts"
import { defaultTagColor } from "../../../contract/tag-color.ts"
import { currentSecond } from "../../../contract/time.ts"
import { CUSTOM_FIELDS_MAX, CUSTOM_FIELDS_TEXT_LENGTH } from "../../../platform/limits.ts"
import { changeHandler, handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import {
  type add_reservation_tag,
  type query_custom_fields,
  type remove_reservation_tag,
  StayOperations,
  type update_check_in_details,
  type update_reservation_custom_fields,
  type update_stay_status
} from "./contract.ts"
import { stayNotFoundError, toClockText } from "./rules.ts"
import { CustomFields } from "./stay.ts"
import { StayStore } from "./store.ts"

export const layerStays = layerOperations(
  Effect.map(StayStore, (store) =>
    handleOperations(StayOperations, {
      add_reservation_tag: voidChangeHandler(addReservationTag(store)),
      remove_reservation_tag: voidChangeHandler(removeReservationTag(store)),
      update_check_in_details: voidChangeHandler(updateCheckInDetails(store)),
      query_custom_fields: queryCustomFields(store),
      update_reservation_custom_fields: changeHandler(
        updateReservationCustomFields(store),
        SavedCustomFields,
        ({ fields }) => ({
          custom_fields: fields
        })
      ),
      update_stay_status: voidChangeHandler(updateStayStatus(store))
    })
  )
)

type Store = StayStore["Service"]

const SavedCustomFields = Schema.Struct({ fields: Schema.NullOr(CustomFields) })

const addReservationTag = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof add_reservation_tag.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const name = trimName(payload.tag_name)
    const tag = { name, color: defaultTagColor(name) }
    const { found } = yield* store.addTag(operatorId, payload.stay_code, tag, yield* currentSecond)
    return found ? undefined : yield* stayNotFoundError
  })

const removeReservationTag = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof remove_reservation_tag.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const { found, removed } = yield* store.removeTag(operatorId, payload.stay_code, trimName(payload.tag_name))
    if (!found) return yield* stayNotFoundError
    return removed ? undefined : yield* tagNotOnStayError
  })

const updateCheckInDetails = (store: Store) =>
  Effect.fnUntraced(function* ({ stay_code, ...details }: typeof update_check_in_details.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const change = {
      lock_code: details.lock_code === "" ? null : details.lock_code,
      lock_code_visible_after: details.lock_code_visible_after,
      arrival_at: toClockText(details.arrival_at),
      departure_at: toClockText(details.departure_at),
      deposit: details.deposit,
      id_required: details.id_required
    }
    const { found } = yield* store.setCheckInDetails(operatorId, stay_code, change, yield* currentSecond)
    return found ? undefined : yield* stayNotFoundError
  })

const queryCustomFields = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof query_custom_fields.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const stay = yield* store.findCustomFields(operatorId, payload.stay_code)
    return stay === undefined ? yield* stayNotFoundError : { custom_fields: stay.fields }
  })

const updateReservationCustomFields = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof update_reservation_custom_fields.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const { stay_code, custom_fields } = payload
    const stay = yield* store.saveCustomFields(operatorId, stay_code, custom_fields, yield* currentSecond)
    if (stay === undefined) return yield* stayNotFoundError
    return stay.saved ? stay : yield* tooManyCustomFieldsError
  })

const updateStayStatus = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof update_stay_status.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const { stay_code, stay_status } = payload
    const order = yield* store.setStayStatus(operatorId, stay_code, stay_status, yield* currentSecond)
    if (order === undefined) return yield* stayNotFoundError
    return order.status === "accepted" ? undefined : yield* orderNotAcceptedError(order.status)
  })

const tagNotOnStayError = new NotFound({ message: "tag_name: the stay has no such tag." })
const tooManyCustomFieldsError = new ValidationFailed({
  message: `custom_fields: a stay has at most ${CUSTOM_FIELDS_MAX} of them, of at most ${CUSTOM_FIELDS_TEXT_LENGTH} characters in all.`
})
const orderNotAcceptedError = (status: string) =>
  new ValidationFailed({ message: `stay_status: the order is ${status}; only stays of accepted orders can be marked.` })
