import { Context, Effect, Layer } from "effect"
import { runAtMostOnce } from "../../../changes/external-action.ts"
import { IdempotencyKeys } from "../../../changes/IdempotencyKeys.ts"
import { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import { writeReview } from "./review-writing.ts"
import { ReviewStore } from "./store.ts"

/** Reviews that hosts write of their guests, for whoever lets them be written. */
export class HostReviews extends Context.Service<HostReviews>()("latchkey/domain/guests/reviews/HostReviews", {
  make: Effect.gen(function* () {
    const [store, gateway, keys] = [yield* ReviewStore, yield* ChannelGateway, yield* IdempotencyKeys]
    return {
      /** Tells the channel and then writes it down, as `create_review` does, and is refused as that is. */
      write: writeReview(store, gateway, runAtMostOnce(keys))
    }
  })
}) {
  static readonly layer = Layer.effect(HostReviews, HostReviews.make).pipe(Layer.provide(ReviewStore.layer))
}
