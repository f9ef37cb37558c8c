import { Effect, Layer, Schema } from "effect"
import { CurrentOperator } from "../../../contract/caller.ts"
import { NotFound } from "../../../contract/errors.ts"
import { nameOf, nameTaken } from "../../../contract/names.ts"
import { pageOf } from "../../../contract/page.ts"
import { colorOf, PaletteColor } from "../../../contract/palette.ts"
import { currentSecond } from "../../../contract/time.ts"
import { change, done, handled, layerHandled } from "../../handled.ts"
import { Identity } from "../../row-fields.ts"
import {
  type create_reservation_tag,
  type delete_reservation_tag,
  ReservationTags,
  type search_reservation_tags
} from "./contract.ts"
import { ReservationTagStore } from "./store.ts"

const searchTags = (store: ReservationTagStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof search_reservation_tags.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const found = yield* store.search(operatorId, payload, pageOf(payload))
    return { reservation_tags: found.rows, total: found.total }
  })

const createTag = (store: ReservationTagStore["Service"]) =>
  Effect.fnUntraced(
    function* (payload: typeof create_reservation_tag.payloadSchema.Type) {
      const { operatorId } = yield* CurrentOperator
      const tag_name = nameOf(payload.tag_name)
      const now = yield* currentSecond
      const { id, color } = yield* store.create(operatorId, { tag_name, color: colorOf(tag_name) }, now)
      return id === null || color === null ? yield* nameTaken("tag_name", "tag") : { id, color }
    },
    (change, { tag_name }) => store.withNameHolder(change, tag_name)
  )

/** Its colour too: a tag that comes back keeps the one it had. */
const Created = Schema.Struct({ ...Identity.fields, color: PaletteColor })

const deleteTag = (store: ReservationTagStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof delete_reservation_tag.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const now = yield* currentSecond
    const removed = yield* store.remove(operatorId, payload.id, now)
    return removed === undefined ? yield* noSuchTag : undefined
  })

const noSuchTag = new NotFound({ message: "id: no such tag of your own; default tags cannot be deleted." })

export const layerReservationTags = layerHandled(
  Effect.map(ReservationTagStore, (store) =>
    handled(ReservationTags, {
      search_reservation_tags: searchTags(store),
      create_reservation_tag: change(createTag(store), Created, ({ id, color }, payload) => ({
        reservation_tag: { id, tag_name: nameOf(payload.tag_name), color, is_default: false }
      })),
      delete_reservation_tag: done(deleteTag(store))
    })
  )
).pipe(Layer.provide(ReservationTagStore.layer))
