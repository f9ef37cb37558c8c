import { Effect, Layer, Schema } from "effect"
import { CurrentOperator } from "../../../contract/caller.ts"
import { NotFound } from "../../../contract/errors.ts"
import { asList } from "../../../contract/id-list.ts"
import { nameOf } from "../../../contract/names.ts"
import { pageOf } from "../../../contract/page.ts"
import { colorOf, PaletteColor } from "../../../contract/palette.ts"
import { currentSecond } from "../../../contract/time.ts"
import { change, done, handled, layerHandled } from "../../handled.ts"
import { Identity } from "../../row-fields.ts"
import { noSuchNamed } from "../properties/belonging.ts"
import {
  type create_property_tag,
  type delete_property_tag,
  type query_tags,
  Tags,
  type update_property_tag
} from "./contract.ts"
import { TagStore, tagNameTaken } from "./store.ts"

const searchTags = (store: TagStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof query_tags.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const found = yield* store.search(operatorId, payload, pageOf(payload))
    return { tags: found.rows, total: found.total }
  })

type NewTag = typeof create_property_tag.payloadSchema.Type

const createTag = (store: TagStore["Service"]) =>
  Effect.fnUntraced(
    function* (payload: NewTag) {
      const { operatorId } = yield* CurrentOperator
      const given = tagOf(payload)
      const tag = { ...given, color: payload.color, otherwise: colorOf(given.name) }
      const created = yield* store.create(operatorId, tag, yield* currentSecond)
      const { id, color } = created
      return id === null || color === null ? yield* noSuchNamed(created) ?? tagNameTaken : { id, color }
    },
    (change, { name }) => store.withNameHolder(change, name)
  )

/** Its colour too: a tag that comes back without a new one keeps the one it had. */
const Created = Schema.Struct({ ...Identity.fields, color: PaletteColor })

const tagOf = (payload: NewTag) => ({
  name: nameOf(payload.name),
  property_ids: asList(payload.property_ids ?? []),
  room_type_ids: asList(payload.room_type_ids ?? [])
})

const updateTag = (store: TagStore["Service"]) =>
  Effect.fnUntraced(
    function* (payload: typeof update_property_tag.payloadSchema.Type) {
      const { operatorId } = yield* CurrentOperator
      const updated = yield* store.update(operatorId, payload.id, {
        name: payload.name === undefined ? undefined : nameOf(payload.name),
        color: payload.color,
        property_ids: payload.property_ids === undefined ? undefined : asList(payload.property_ids),
        room_type_ids: payload.room_type_ids === undefined ? undefined : asList(payload.room_type_ids)
      })
      return updated.id === null ? yield* noSuchNamed(updated) ?? noSuchTag : undefined
    },
    (change, { name }) => store.withNameHolder(change, name)
  )

const deleteTag = (store: TagStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof delete_property_tag.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const now = yield* currentSecond
    const removed = yield* store.remove(operatorId, payload.id, now)
    return removed === undefined ? yield* noSuchTag : undefined
  })

const noSuchTag = new NotFound({ message: "id: no such tag." })

export const layerTags = layerHandled(
  Effect.map(TagStore, (store) =>
    handled(Tags, {
      query_tags: searchTags(store),
      create_property_tag: change(createTag(store), Created, ({ id, color }, payload) => ({
        tag: { id, color, ...tagOf(payload) }
      })),
      update_property_tag: done(updateTag(store)),
      delete_property_tag: done(deleteTag(store))
    })
  )
).pipe(Layer.provide(TagStore.layer))
