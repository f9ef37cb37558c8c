import { Effect, Schema } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { NotFound } from "../../../contract/errors.ts"
import { nameConflict, trimName } from "../../../contract/names.ts"
import { toPage } from "../../../contract/page.ts"
import { defaultTagColor, TagColor } from "../../../contract/tag-color.ts"
import { currentSecond } from "../../../contract/time.ts"
import { RowId } from "../../column-schemas.ts"
import { changeHandler, handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { withConflictingId } from "../../operator-rows.ts"
import {
  type create_reservation_tag,
  type delete_reservation_tag,
  ReservationTagOperations,
  type search_reservation_tags
} from "./contract.ts"
import { ReservationTagStore } from "./store.ts"

const searchTags = (store: ReservationTagStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof search_reservation_tags.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const page = yield* store.search(operatorId, payload, toPage(payload))
    return { reservation_tags: page.rows, total: page.total }
  })

const createTag = (store: ReservationTagStore["Service"]) =>
  Effect.fnUntraced(
    function* (payload: typeof create_reservation_tag.payloadSchema.Type) {
      const { operatorId } = yield* CurrentCaller
      const tag_name = trimName(payload.tag_name)
      const now = yield* currentSecond
      const { id, color } = yield* store.create(operatorId, { tag_name, color: defaultTagColor(tag_name) }, now)
      return id === null || color === null ? yield* nameConflict("tag_name", "tag") : { id, color }
    },
    (change, { tag_name }) => withConflictingId(store.findIdByName, change, tag_name)
  )

const CreatedReservationTag = Schema.Struct({ ...RowId.fields, color: TagColor })

const deleteTag = (store: ReservationTagStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof delete_reservation_tag.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const now = yield* currentSecond
    const deletedTag = yield* store.remove(operatorId, payload.id, now)
    return deletedTag === undefined ? yield* reservationTagNotFoundError : undefined
  })

const reservationTagNotFoundError = new NotFound({
  message: "id: no such tag of your own; default tags cannot be deleted."
})

export const layerReservationTags = layerOperations(
  Effect.map(ReservationTagStore, (store) =>
    handleOperations(ReservationTagOperations, {
      search_reservation_tags: searchTags(store),
      create_reservation_tag: changeHandler(createTag(store), CreatedReservationTag, ({ id, color }, payload) => ({
        reservation_tag: { id, tag_name: trimName(payload.tag_name), color, is_default: false }
      })),
      delete_reservation_tag: voidChangeHandler(deleteTag(store))
    })
  )
)
