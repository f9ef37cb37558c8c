import { Clock, Effect, Layer } from "effect"
import { CurrentOperator } from "../../contract/caller.ts"
import { Conflict, NotFound } from "../../contract/errors.ts"
import { asList } from "../../contract/id-list.ts"
import { nameOf } from "../../contract/names.ts"
import { pageOf } from "../../contract/page.ts"
import { wholeSecond } from "../../contract/time.ts"
import { handled, layerHandled } from "../handled.ts"
import { firstOf, noSuchProperties } from "./belonging.ts"
import { Properties } from "./contract.ts"
import { RoomTypeStore } from "./room-type-store.ts"
import { PropertyStore } from "./store.ts"

export const layerProperties = layerHandled(
  Effect.gen(function* () {
    const properties = yield* PropertyStore
    const roomTypes = yield* RoomTypeStore

    return handled(Properties, {
      search_properties: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const wanted = { id: payload.id, groupId: payload.group_id, tagId: payload.tag_id }
        const found = yield* properties.search(operatorId, wanted, pageOf(payload))
        if (found.total === 0 && (wanted.groupId ?? wanted.tagId) !== undefined) {
          const known = yield* properties.known(operatorId, wanted)
          if (known?.group === false) return yield* noSuchGroup
          if (known?.tag === false) return yield* noSuchTag
        }
        return { properties: found.rows, total: found.total }
      }),

      create_property: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const now = wholeSecond(yield* Clock.currentTimeMillis)
        const created = yield* properties.create(operatorId, nameOf(payload.title), now)
        return { property_id: created.id }
      }),

      search_room_types: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const wanted = { id: payload.id, tagId: payload.tag_id }
        const found = yield* roomTypes.search(operatorId, wanted, pageOf(payload))
        if (found.total === 0 && wanted.tagId !== undefined && !(yield* roomTypes.tagKnown(operatorId, wanted.tagId))) {
          return yield* noSuchTag
        }
        return { room_types: found.rows, total: found.total }
      }),

      create_room_type: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const now = wholeSecond(yield* Clock.currentTimeMillis)
        const created = yield* roomTypes.create(
          operatorId,
          nameOf(payload.title),
          asList(payload.property_ids ?? []),
          now
        )
        if (created.id !== null) return { room_type_id: created.id }
        return created.unknownProperties.length > 0
          ? yield* noSuchProperties(created.unknownProperties)
          : yield* inAnotherRoomType(created.takenProperties)
      })
    })
  })
).pipe(Layer.provide([PropertyStore.layer, RoomTypeStore.layer]))

const noSuchGroup = new NotFound({ message: "group_id: no such group." })
const noSuchTag = new NotFound({ message: "tag_id: no such tag." })

const inAnotherRoomType = (ids: ReadonlyArray<number>) =>
  new Conflict({ message: `property_ids: in another room type already: ${firstOf(ids)}.` })
