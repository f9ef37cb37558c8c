import { Effect } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { NotFound } from "../../../contract/errors.ts"
import { toSortedUniqueIds } from "../../../contract/id-list.ts"
import { trimName } from "../../../contract/names.ts"
import { toPage } from "../../../contract/page.ts"
import { currentSecond } from "../../../contract/time.ts"
import { RowId } from "../../column-schemas.ts"
import { changeHandler, handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { withConflictingId } from "../../operator-rows.ts"
import { toMissingReferenceError, toUnknownPropertiesError } from "../properties/ownership.ts"
import {
  type create_property_group,
  type delete_property_group,
  GroupOperations,
  type search_property_groups,
  type update_property_group
} from "./contract.ts"
import { GroupStore } from "./store.ts"

const searchGroups = (store: GroupStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof search_property_groups.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const page = yield* store.search(operatorId, payload, toPage(payload))
    return { groups: page.rows, total: page.total }
  })

type CreateGroupPayload = typeof create_property_group.payloadSchema.Type

const createGroup = (store: GroupStore["Service"]) =>
  Effect.fnUntraced(
    function* (payload: CreateGroupPayload) {
      const { operatorId } = yield* CurrentCaller
      const { id, unknown_properties } = yield* store.create(operatorId, toNewGroup(payload), yield* currentSecond)
      return id === null ? yield* toUnknownPropertiesError(unknown_properties) : { id }
    },
    (change, { name }) => withConflictingId(store.findIdByName, change, name)
  )

const toNewGroup = (payload: CreateGroupPayload) => ({
  name: trimName(payload.name),
  property_ids: toSortedUniqueIds(payload.property_ids ?? [])
})

const updateGroup = (store: GroupStore["Service"]) =>
  Effect.fnUntraced(
    function* (payload: typeof update_property_group.payloadSchema.Type) {
      const { operatorId } = yield* CurrentCaller
      const updated = yield* store.update(operatorId, payload.id, {
        name: payload.name === undefined ? undefined : trimName(payload.name),
        property_ids: payload.property_ids === undefined ? undefined : toSortedUniqueIds(payload.property_ids)
      })
      return updated.id === null ? yield* toMissingReferenceError(updated) ?? groupNotFoundError : undefined
    },
    (change, { name }) => withConflictingId(store.findIdByName, change, name)
  )

const deleteGroup = (store: GroupStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof delete_property_group.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const removed = yield* store.remove(operatorId, payload.id)
    return removed === undefined ? yield* groupNotFoundError : undefined
  })

const groupNotFoundError = new NotFound({ message: "id: no such group." })

export const layerGroups = layerOperations(
  Effect.map(GroupStore, (store) =>
    handleOperations(GroupOperations, {
      search_property_groups: searchGroups(store),
      create_property_group: changeHandler(createGroup(store), RowId, ({ id }, payload) => ({
        group: { id, ...toNewGroup(payload) }
      })),
      update_property_group: voidChangeHandler(updateGroup(store)),
      delete_property_group: voidChangeHandler(deleteGroup(store))
    })
  )
)
