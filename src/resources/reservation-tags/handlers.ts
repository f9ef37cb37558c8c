import { Clock, Effect, Layer } from "effect"
import { CurrentOperator } from "../../contract/caller.ts"
import { Conflict, NotFound } from "../../contract/errors.ts"
import { nameOf } from "../../contract/names.ts"
import { pageOf } from "../../contract/page.ts"
import { colorOf } from "../../contract/palette.ts"
import { wholeSecond } from "../../contract/time.ts"
import { handled, layerHandled } from "../handled.ts"
import { ReservationTags } from "./contract.ts"
import { ReservationTagStore } from "./store.ts"

export const layerReservationTags = layerHandled(
  Effect.gen(function* () {
    const store = yield* ReservationTagStore

    return handled(ReservationTags, {
      search_reservation_tags: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const wanted = { id: payload.id, keyword: payload.keyword }
        const found = yield* store.search(operatorId, wanted, pageOf(payload))
        return { reservation_tags: found.rows, total: found.total }
      }),

      create_reservation_tag: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const tagName = nameOf(payload.tag_name)
        const now = wholeSecond(yield* Clock.currentTimeMillis)
        const { id, color } = yield* store.create(operatorId, tagName, colorOf(tagName), now)
        if (id === null || color === null) return yield* nameTaken
        return { reservation_tag: { id, tag_name: tagName, color, is_default: false } }
      }),

      delete_reservation_tag: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const now = wholeSecond(yield* Clock.currentTimeMillis)
        const removed = yield* store.remove(operatorId, payload.id, now)
        return removed === undefined ? yield* noSuchTag : {}
      })
    })
  })
).pipe(Layer.provide(ReservationTagStore.layer))

const nameTaken = new Conflict({ message: "tag_name: another tag has it already." })
const noSuchTag = new NotFound({ message: "id: no such tag of your own; default tags cannot be deleted." })
