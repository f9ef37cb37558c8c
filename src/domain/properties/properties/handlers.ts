import { Effect } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { Conflict, NotFound } from "../../../contract/errors.ts"
import { toSortedUniqueIds } from "../../../contract/id-list.ts"
import { makeImmutableFieldCheck, makeImmutableFieldDetector } from "../../../contract/immutable-fields.ts"
import { trimName } from "../../../contract/names.ts"
import { toPage } from "../../../contract/page.ts"
import { currentSecond } from "../../../contract/time.ts"
import { RowId } from "../../column-schemas.ts"
import { changeHandler, handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { withConflictingId } from "../../operator-rows.ts"
import {
  type create_property,
  type create_room_type,
  PropertyOperations,
  type search_properties,
  type search_room_types,
  update_room_type
} from "./contract.ts"
import { unknownGroupIdError, unknownTagIdError } from "./groups-and-tags.ts"
import { formatIds, toMissingReferenceError } from "./ownership.ts"
import { RoomTypeStore } from "./room-type-store.ts"
import { PropertyStore } from "./store.ts"

const searchProperties = (store: PropertyStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof search_properties.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const page = yield* store.search(operatorId, payload, toPage(payload))
    if (page.total === 0 && (payload.group_id ?? payload.tag_id) !== undefined) {
      const existing = yield* store.checkFilters(operatorId, payload)
      if (!existing.group_known) return yield* unknownGroupIdError
      if (!existing.tag_known) return yield* unknownTagIdError
    }
    return { properties: page.rows, total: page.total }
  })

const createProperty = (store: PropertyStore["Service"]) =>
  Effect.fnUntraced(
    function* (payload: typeof create_property.payloadSchema.Type) {
      const { operatorId } = yield* CurrentCaller
      return yield* store.create(operatorId, trimName(payload.title), yield* currentSecond)
    },
    (change, { title }) => withConflictingId(store.findIdByName, change, title)
  )

const searchRoomTypes = (store: RoomTypeStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof search_room_types.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const page = yield* store.search(operatorId, payload, toPage(payload))
    if (page.total === 0 && payload.tag_id !== undefined) {
      const existing = yield* store.checkFilters(operatorId, payload)
      if (!existing.tag_known) return yield* unknownTagIdError
    }
    return { room_types: page.rows, total: page.total }
  })

const createRoomType = (store: RoomTypeStore["Service"]) =>
  Effect.fnUntraced(
    function* (payload: typeof create_room_type.payloadSchema.Type) {
      const { operatorId } = yield* CurrentCaller
      const roomType = { title: trimName(payload.title), property_ids: toSortedUniqueIds(payload.property_ids ?? []) }
      const created = yield* store.create(operatorId, roomType, yield* currentSecond)
      const { id } = created
      return id === null
        ? yield* toMissingReferenceError(created) ?? alreadyInRoomTypeError(created.taken_properties)
        : { id }
    },
    (change, { title }) => withConflictingId(store.findIdByName, change, title)
  )

const updateRoomType = (store: RoomTypeStore["Service"]) =>
  Effect.fnUntraced(
    function* (payload: typeof update_room_type.payloadSchema.Type) {
      const { operatorId } = yield* CurrentCaller
      if (hasFixedFields(payload)) {
        const { rows } = yield* store.search(operatorId, { id: payload.id }, { offset: 0, limit: 1 })
        yield* Effect.fromResult(checkFixedFields(rows[0] ?? (yield* roomTypeNotFoundError), payload))
      }
      const title = payload.title === undefined ? undefined : trimName(payload.title)
      return (yield* store.rename(operatorId, payload.id, title)) ?? (yield* roomTypeNotFoundError)
    },
    (change, { title }) => withConflictingId(store.findIdByName, change, title)
  )

const hasFixedFields = makeImmutableFieldDetector(update_room_type.payloadSchema)
const checkFixedFields = makeImmutableFieldCheck(update_room_type.payloadSchema, {
  changedBy: { tags: "PATCH /tags/{id}" }
})

const roomTypeNotFoundError = new NotFound({ message: "id: no such room type." })

const alreadyInRoomTypeError = (ids: ReadonlyArray<number>) =>
  new Conflict({ message: `property_ids: already in another room type: ${formatIds(ids)}.` })

export const layerProperties = layerOperations(
  Effect.gen(function* () {
    const properties = yield* PropertyStore
    const roomTypes = yield* RoomTypeStore
    return handleOperations(PropertyOperations, {
      search_properties: searchProperties(properties),
      create_property: changeHandler(createProperty(properties), RowId, ({ id }) => ({ property_id: id })),
      search_room_types: searchRoomTypes(roomTypes),
      create_room_type: changeHandler(createRoomType(roomTypes), RowId, ({ id }) => ({ room_type_id: id })),
      update_room_type: voidChangeHandler(updateRoomType(roomTypes))
    })
  })
)
