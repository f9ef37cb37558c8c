import { Clock, Effect, Layer } from "effect"
import { CurrentOperator } from "../../contract/caller.ts"
import { NotFound } from "../../contract/errors.ts"
import { asList } from "../../contract/id-list.ts"
import { nameOf } from "../../contract/names.ts"
import { pageOf } from "../../contract/page.ts"
import { wholeSecond } from "../../contract/time.ts"
import { handled, layerHandled } from "../handled.ts"
import { noSuchProperties } from "../properties/belonging.ts"
import { Groups } from "./contract.ts"
import { GroupStore } from "./store.ts"

export const layerGroups = layerHandled(
  Effect.gen(function* () {
    const store = yield* GroupStore

    return handled(Groups, {
      search_property_groups: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const found = yield* store.search(operatorId, { id: payload.id }, pageOf(payload))
        return { groups: found.rows, total: found.total }
      }),

      create_property_group: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const name = nameOf(payload.name)
        const propertyIds = asList(payload.property_ids ?? [])
        const now = wholeSecond(yield* Clock.currentTimeMillis)
        const created = yield* store.create(operatorId, name, propertyIds, now)
        return created.id === null
          ? yield* noSuchProperties(created.unknownProperties)
          : { group: { id: created.id, name, property_ids: propertyIds } }
      }),

      update_property_group: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const updated = yield* store.update(operatorId, payload.id, {
          name: payload.name === undefined ? undefined : nameOf(payload.name),
          propertyIds: payload.property_ids === undefined ? undefined : asList(payload.property_ids)
        })
        if (updated.unknownProperties.length > 0) return yield* noSuchProperties(updated.unknownProperties)
        return updated.id === null ? yield* noSuchGroup : {}
      }),

      delete_property_group: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const removed = yield* store.remove(operatorId, payload.id)
        return removed === undefined ? yield* noSuchGroup : {}
      })
    })
  })
).pipe(Layer.provide(GroupStore.layer))

const noSuchGroup = new NotFound({ message: "id: no such group." })
