import { Clock, Effect, Layer } from "effect"
import { CurrentOperator } from "../../contract/caller.ts"
import { NotFound } from "../../contract/errors.ts"
import { asList } from "../../contract/id-list.ts"
import { nameOf } from "../../contract/names.ts"
import { pageOf } from "../../contract/page.ts"
import { colorOf } from "../../contract/palette.ts"
import { wholeSecond } from "../../contract/time.ts"
import { handled, layerHandled } from "../handled.ts"
import { noSuchProperties, noSuchRoomTypes } from "../properties/belonging.ts"
import { Tags } from "./contract.ts"
import { nameTaken, TagStore } from "./store.ts"

export const layerTags = layerHandled(
  Effect.gen(function* () {
    const store = yield* TagStore

    return handled(Tags, {
      query_tags: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const found = yield* store.search(operatorId, { id: payload.id }, pageOf(payload))
        return { tags: found.rows, total: found.total }
      }),

      create_property_tag: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const name = nameOf(payload.name)
        const propertyIds = asList(payload.property_ids ?? [])
        const roomTypeIds = asList(payload.room_type_ids ?? [])
        const now = wholeSecond(yield* Clock.currentTimeMillis)
        const tag = { name, color: payload.color, otherwise: colorOf(name), propertyIds, roomTypeIds }
        const created = yield* store.create(operatorId, tag, now)
        const unknown = unknownOf(created)
        if (unknown !== undefined) return yield* unknown
        if (created.id === null || created.color === null) return yield* nameTaken
        return {
          tag: { id: created.id, name, color: created.color, property_ids: propertyIds, room_type_ids: roomTypeIds }
        }
      }),

      update_property_tag: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const updated = yield* store.update(operatorId, payload.id, {
          name: payload.name === undefined ? undefined : nameOf(payload.name),
          color: payload.color,
          propertyIds: payload.property_ids === undefined ? undefined : asList(payload.property_ids),
          roomTypeIds: payload.room_type_ids === undefined ? undefined : asList(payload.room_type_ids)
        })
        const unknown = unknownOf(updated)
        if (unknown !== undefined) return yield* unknown
        return updated.id === null ? yield* noSuchTag : {}
      }),

      delete_property_tag: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const now = wholeSecond(yield* Clock.currentTimeMillis)
        const removed = yield* store.remove(operatorId, payload.id, now)
        return removed === undefined ? yield* noSuchTag : {}
      })
    })
  })
).pipe(Layer.provide(TagStore.layer))

const unknownOf = (written: {
  readonly unknownProperties: ReadonlyArray<number>
  readonly unknownRoomTypes: ReadonlyArray<number>
}): NotFound | undefined =>
  written.unknownProperties.length > 0
    ? noSuchProperties(written.unknownProperties)
    : written.unknownRoomTypes.length > 0
      ? noSuchRoomTypes(written.unknownRoomTypes)
      : undefined

const noSuchTag = new NotFound({ message: "id: no such tag." })
