import { Effect, Layer } from "effect"
import { CurrentOperator } from "../../../contract/caller.ts"
import { NotFound } from "../../../contract/errors.ts"
import { asList } from "../../../contract/id-list.ts"
import { nameOf } from "../../../contract/names.ts"
import { pageOf } from "../../../contract/page.ts"
import { currentSecond } from "../../../contract/time.ts"
import { change, done, handled, layerHandled } from "../../handled.ts"
import { Identity } from "../../row-fields.ts"
import { noSuchNamed, noSuchProperties } from "../properties/belonging.ts"
import {
  type create_property_group,
  type delete_property_group,
  Groups,
  type search_property_groups,
  type update_property_group
} from "./contract.ts"
import { GroupStore } from "./store.ts"

const searchGroups = (store: GroupStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof search_property_groups.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const found = yield* store.search(operatorId, payload, pageOf(payload))
    return { groups: found.rows, total: found.total }
  })

type NewGroup = typeof create_property_group.payloadSchema.Type

const createGroup = (store: GroupStore["Service"]) =>
  Effect.fnUntraced(
    function* (payload: NewGroup) {
      const { operatorId } = yield* CurrentOperator
      const { id, unknown_properties } = yield* store.create(operatorId, groupOf(payload), yield* currentSecond)
      return id === null ? yield* noSuchProperties(unknown_properties) : { id }
    },
    (change, { name }) => store.withNameHolder(change, name)
  )

const groupOf = (payload: NewGroup) => ({
  name: nameOf(payload.name),
  property_ids: asList(payload.property_ids ?? [])
})

const updateGroup = (store: GroupStore["Service"]) =>
  Effect.fnUntraced(
    function* (payload: typeof update_property_group.payloadSchema.Type) {
      const { operatorId } = yield* CurrentOperator
      const updated = yield* store.update(operatorId, payload.id, {
        name: payload.name === undefined ? undefined : nameOf(payload.name),
        property_ids: payload.property_ids === undefined ? undefined : asList(payload.property_ids)
      })
      return updated.id === null ? yield* noSuchNamed(updated) ?? noSuchGroup : undefined
    },
    (change, { name }) => store.withNameHolder(change, name)
  )

const deleteGroup = (store: GroupStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof delete_property_group.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const removed = yield* store.remove(operatorId, payload.id)
    return removed === undefined ? yield* noSuchGroup : undefined
  })

const noSuchGroup = new NotFound({ message: "id: no such group." })

export const layerGroups = layerHandled(
  Effect.map(GroupStore, (store) =>
    handled(Groups, {
      search_property_groups: searchGroups(store),
      create_property_group: change(createGroup(store), Identity, ({ id }, payload) => ({
        group: { id, ...groupOf(payload) }
      })),
      update_property_group: done(updateGroup(store)),
      delete_property_group: done(deleteGroup(store))
    })
  )
).pipe(Layer.provide(GroupStore.layer))
