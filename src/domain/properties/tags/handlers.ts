import { Effect, Schema } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { NotFound } from "../../../contract/errors.ts"
import { toSortedUniqueIds } from "../../../contract/id-list.ts"
import { trimName } from "../../../contract/names.ts"
import { toPage } from "../../../contract/page.ts"
import { defaultTagColor, TagColor } from "../../../contract/tag-color.ts"
import { currentSecond } from "../../../contract/time.ts"
import { RowId } from "../../column-schemas.ts"
import { changeHandler, handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { withConflictingId } from "../../operator-rows.ts"
import { toMissingReferenceError } from "../properties/ownership.ts"
import {
  type create_property_tag,
  type delete_property_tag,
  type query_tags,
  TagOperations,
  type update_property_tag
} from "./contract.ts"
import { TagStore, tagNameConflictError } from "./store.ts"

const searchTags = (store: TagStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof query_tags.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const page = yield* store.search(operatorId, payload, toPage(payload))
    return { tags: page.rows, total: page.total }
  })

type CreateTagPayload = typeof create_property_tag.payloadSchema.Type

const createTag = (store: TagStore["Service"]) =>
  Effect.fnUntraced(
    function* (payload: CreateTagPayload) {
      const { operatorId } = yield* CurrentCaller
      const fields = toTagFields(payload)
      const tag = { ...fields, color: payload.color, defaultColor: defaultTagColor(fields.name) }
      const created = yield* store.create(operatorId, tag, yield* currentSecond)
      const { id, color } = created
      return id === null || color === null
        ? yield* toMissingReferenceError(created) ?? tagNameConflictError
        : { id, color }
    },
    (change, { name }) => withConflictingId(store.findIdByName, change, name)
  )

/** A restored tag keeps its color unless a new one is sent. */
const CreatedTag = Schema.Struct({ ...RowId.fields, color: TagColor })

const toTagFields = (payload: CreateTagPayload) => ({
  name: trimName(payload.name),
  property_ids: toSortedUniqueIds(payload.property_ids ?? []),
  room_type_ids: toSortedUniqueIds(payload.room_type_ids ?? [])
})

const updateTag = (store: TagStore["Service"]) =>
  Effect.fnUntraced(
    function* (payload: typeof update_property_tag.payloadSchema.Type) {
      const { operatorId } = yield* CurrentCaller
      const updated = yield* store.update(operatorId, payload.id, {
        name: payload.name === undefined ? undefined : trimName(payload.name),
        color: payload.color,
        property_ids: payload.property_ids === undefined ? undefined : toSortedUniqueIds(payload.property_ids),
        room_type_ids: payload.room_type_ids === undefined ? undefined : toSortedUniqueIds(payload.room_type_ids)
      })
      return updated.id === null ? yield* toMissingReferenceError(updated) ?? propertyTagNotFoundError : undefined
    },
    (change, { name }) => withConflictingId(store.findIdByName, change, name)
  )

const deleteTag = (store: TagStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof delete_property_tag.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const now = yield* currentSecond
    const deletedTag = yield* store.remove(operatorId, payload.id, now)
    return deletedTag === undefined ? yield* propertyTagNotFoundError : undefined
  })

const propertyTagNotFoundError = new NotFound({ message: "id: no such tag." })

export const layerTags = layerOperations(
  Effect.map(TagStore, (store) =>
    handleOperations(TagOperations, {
      query_tags: searchTags(store),
      create_property_tag: changeHandler(createTag(store), CreatedTag, ({ id, color }, payload) => ({
        tag: { id, color, ...toTagFields(payload) }
      })),
      update_property_tag: voidChangeHandler(updateTag(store)),
      delete_property_tag: voidChangeHandler(deleteTag(store))
    })
  )
)
