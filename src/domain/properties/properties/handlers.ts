import { Effect, Layer } from "effect"
import { CurrentOperator } from "../../../contract/caller.ts"
import { Conflict } from "../../../contract/errors.ts"
import { asList } from "../../../contract/id-list.ts"
import { nameOf } from "../../../contract/names.ts"
import { pageOf } from "../../../contract/page.ts"
import { currentSecond } from "../../../contract/time.ts"
import { change, handled, layerHandled } from "../../handled.ts"
import { Identity } from "../../row-fields.ts"
import { firstOf, noSuchNamed } from "./belonging.ts"
import {
  type create_property,
  type create_room_type,
  Properties,
  type search_properties,
  type search_room_types
} from "./contract.ts"
import { noSuchGroup, noSuchTag } from "./labels.ts"
import { RoomTypeStore } from "./room-type-store.ts"
import { PropertyStore } from "./store.ts"

const searchProperties = (store: PropertyStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof search_properties.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const found = yield* store.search(operatorId, payload, pageOf(payload))
    if (found.total === 0 && (payload.group_id ?? payload.tag_id) !== undefined) {
      const known = yield* store.known(operatorId, payload)
      if (!known.group_known) return yield* noSuchGroup
      if (!known.tag_known) return yield* noSuchTag
    }
    return { properties: found.rows, total: found.total }
  })

const createProperty = (store: PropertyStore["Service"]) =>
  Effect.fnUntraced(
    function* (payload: typeof create_property.payloadSchema.Type) {
      const { operatorId } = yield* CurrentOperator
      return yield* store.create(operatorId, nameOf(payload.title), yield* currentSecond)
    },
    (change, { title }) => store.withNameHolder(change, title)
  )

const searchRoomTypes = (store: RoomTypeStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof search_room_types.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const found = yield* store.search(operatorId, payload, pageOf(payload))
    if (found.total === 0 && payload.tag_id !== undefined) {
      const known = yield* store.known(operatorId, payload)
      if (!known.tag_known) return yield* noSuchTag
    }
    return { room_types: found.rows, total: found.total }
  })

const createRoomType = (store: RoomTypeStore["Service"]) =>
  Effect.fnUntraced(
    function* (payload: typeof create_room_type.payloadSchema.Type) {
      const { operatorId } = yield* CurrentOperator
      const roomType = { title: nameOf(payload.title), property_ids: asList(payload.property_ids ?? []) }
      const created = yield* store.create(operatorId, roomType, yield* currentSecond)
      const { id } = created
      return id === null ? yield* noSuchNamed(created) ?? inAnotherRoomType(created.taken_properties) : { id }
    },
    (change, { title }) => store.withNameHolder(change, title)
  )

const inAnotherRoomType = (ids: ReadonlyArray<number>) =>
  new Conflict({ message: `property_ids: already in another room type: ${firstOf(ids)}.` })

export const layerProperties = layerHandled(
  Effect.gen(function* () {
    const properties = yield* PropertyStore
    const roomTypes = yield* RoomTypeStore
    return handled(Properties, {
      search_properties: searchProperties(properties),
      create_property: change(createProperty(properties), Identity, ({ id }) => ({ property_id: id })),
      search_room_types: searchRoomTypes(roomTypes),
      create_room_type: change(createRoomType(roomTypes), Identity, ({ id }) => ({ room_type_id: id }))
    })
  })
).pipe(Layer.provide([PropertyStore.layer, RoomTypeStore.layer]))
