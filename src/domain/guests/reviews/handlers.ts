import { Clock, Effect } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { toPage } from "../../../contract/page.ts"
import { dateInZone } from "../../../contract/time.ts"
import { handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { unknownPropertyIdError } from "../../properties/properties/ownership.ts"
import { ReviewOperations, type search_reviews } from "./contract.ts"
import { HostReviews } from "./HostReviews.ts"
import { createReview } from "./review-writing.ts"
import { parseReviewSearchDays, resolveReviewStatusFilter } from "./rules/review-search.ts"
import { ReviewSearchStore } from "./search-store.ts"

const searchReviews = (store: ReviewSearchStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof search_reviews.payloadSchema.Type) {
    const { operatorId, timeZone } = yield* CurrentCaller
    const { property_id } = payload
    const today = dateInZone(yield* Clock.currentTimeMillis, timeZone)
    const days = yield* Effect.fromResult(parseReviewSearchDays(payload, today))
    const page = yield* store.search(operatorId, payload, days, resolveReviewStatusFilter(payload), toPage(payload))
    if (page.total === 0 && property_id !== undefined) {
      if (!(yield* store.checkPropertyExists(operatorId, property_id))) return yield* unknownPropertyIdError
    }
    return { reviews: page.rows, total: page.total }
  })

export const layerReviews = layerOperations(
  Effect.gen(function* () {
    const [searchStore, { write }] = [yield* ReviewSearchStore, yield* HostReviews]
    return handleOperations(ReviewOperations, {
      search_reviews: searchReviews(searchStore),
      create_review: voidChangeHandler(createReview(write))
    })
  })
)
