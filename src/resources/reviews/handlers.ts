import { Clock, Effect, Layer } from "effect"
import { Keys } from "../../changes/Keys.ts"
import { atMostOnce } from "../../changes/outward.ts"
import { ChannelGateway } from "../../channels/ChannelGateway.ts"
import { CurrentOperator } from "../../contract/caller.ts"
import { pageOf } from "../../contract/page.ts"
import { dateInZone } from "../../contract/time.ts"
import { done, handled, layerHandled } from "../handled.ts"
import { noSuchProperty } from "../properties/belonging.ts"
import { ReviewOperations, type search_reviews } from "./contract.ts"
import { searchedDays } from "./rules/search-days.ts"
import { ReviewSearchStore } from "./search-store.ts"
import { ReviewStore } from "./store.ts"
import { createReview } from "./writing.ts"

const searchReviews = (store: ReviewSearchStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof search_reviews.payloadSchema.Type) {
    const { operatorId, timeZone } = yield* CurrentOperator
    const { property_id, review_status = "reviewed" } = payload
    const today = dateInZone(yield* Clock.currentTimeMillis, timeZone)
    const days = yield* Effect.fromResult(searchedDays(payload, today))
    const found = yield* store.search(operatorId, payload, days, review_status, pageOf(payload))
    if (found.total === 0 && property_id !== undefined) {
      if (!(yield* store.knowsProperty(operatorId, property_id))) return yield* noSuchProperty
    }
    return { reviews: found.rows, total: found.total }
  })

export const layerReviews = layerHandled(
  Effect.gen(function* () {
    const [search, store, gateway] = [yield* ReviewSearchStore, yield* ReviewStore, yield* ChannelGateway]
    const outward = atMostOnce(yield* Keys)
    return handled(ReviewOperations, {
      search_reviews: searchReviews(search),
      create_review: done(createReview(store, gateway, outward))
    })
  })
).pipe(Layer.provide([ReviewSearchStore.layer, ReviewStore.layer]))
