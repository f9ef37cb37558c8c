import { Clock, Effect, Layer } from "effect"
import { CurrentOperator } from "../../../contract/caller.ts"
import { pageOf } from "../../../contract/page.ts"
import { dateInZone } from "../../../contract/time.ts"
import { done, handled, layerHandled } from "../../handled.ts"
import { noSuchProperty } from "../../properties/properties/belonging.ts"
import { ReviewOperations, type search_reviews } from "./contract.ts"
import { HostReviews } from "./HostReviews.ts"
import { searchedDays, searchedStatus } from "./rules/search.ts"
import { ReviewSearchStore } from "./search-store.ts"
import { createReview } from "./writing.ts"

const searchReviews = (store: ReviewSearchStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof search_reviews.payloadSchema.Type) {
    const { operatorId, timeZone } = yield* CurrentOperator
    const { property_id } = payload
    const today = dateInZone(yield* Clock.currentTimeMillis, timeZone)
    const days = yield* Effect.fromResult(searchedDays(payload, today))
    const found = yield* store.search(operatorId, payload, days, searchedStatus(payload), pageOf(payload))
    if (found.total === 0 && property_id !== undefined) {
      if (!(yield* store.knowsProperty(operatorId, property_id))) return yield* noSuchProperty
    }
    return { reviews: found.rows, total: found.total }
  })

export const layerReviews = layerHandled(
  Effect.gen(function* () {
    const [search, { write }] = [yield* ReviewSearchStore, yield* HostReviews]
    return handled(ReviewOperations, {
      search_reviews: searchReviews(search),
      create_review: done(createReview(write))
    })
  })
).pipe(Layer.provide([ReviewSearchStore.layer, HostReviews.layer]))
