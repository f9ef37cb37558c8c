import { Effect } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { NotFound } from "../../../contract/errors.ts"
import { makeImmutableFieldCheck, makeImmutableFieldDetector } from "../../../contract/immutable-fields.ts"
import { trimName } from "../../../contract/names.ts"
import { changeHandler, handleOperations, layerOperations } from "../../operation-handlers.ts"
import { withConflictingId } from "../../operator-rows.ts"
import { trimItemNames } from "../properties/price-items.ts"
import { PropertyEditOperations, update_property } from "./contract.ts"
import { EditedProperty, PropertyEditStore } from "./PropertyEditStore.ts"

const updateProperty = (edits: PropertyEditStore["Service"]) =>
  Effect.fnUntraced(
    function* (payload: typeof update_property.payloadSchema.Type) {
      const { operatorId } = yield* CurrentCaller
      if (hasFixedFields(payload)) {
        const property = (yield* edits.find(operatorId, payload.id)) ?? (yield* propertyNotFoundError)
        yield* Effect.fromResult(checkFixedFields(property, payload))
      }
      const title = payload.title === undefined ? undefined : trimName(payload.title)
      const edit = {
        ...payload,
        title,
        address: toStoredAddress(payload.address),
        fees: payload.fees && trimItemNames(payload.fees),
        taxes: payload.taxes && trimItemNames(payload.taxes)
      }
      return (yield* edits.update(operatorId, payload.id, edit)) ?? (yield* propertyNotFoundError)
    },
    (change, { title }) => withConflictingId(edits.findIdByName, change, title)
  )

/** Null removes the address. */
const toStoredAddress = (address: string | null | undefined): string | null | undefined => {
  const trimmedAddress = address?.trim()
  return trimmedAddress === "" ? null : (trimmedAddress ?? address)
}

const hasFixedFields = makeImmutableFieldDetector(update_property.payloadSchema)
const checkFixedFields = makeImmutableFieldCheck(update_property.payloadSchema, {
  changedBy: { groups: "PATCH /groups/{id}", tags: "PATCH /tags/{id}" }
})

const propertyNotFoundError = new NotFound({ message: "id: no such property." })

export const layerPropertyEdits = layerOperations(
  Effect.map(PropertyEditStore, (edits) =>
    handleOperations(PropertyEditOperations, {
      update_property: changeHandler(updateProperty(edits), EditedProperty, ({ changed_days }) => ({ changed_days }))
    })
  )
)
