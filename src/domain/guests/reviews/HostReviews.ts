import { Context, Effect, Layer } from "effect"
import { IdempotencyKeys } from "../../../changes/Keys.ts"
import { runAtMostOnce } from "../../../changes/outward.ts"
import { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import { ReviewStore } from "./store.ts"
import { writeReview } from "./writing.ts"

/** Reviews that hosts write of their guests, for whoever lets them be written. */
export class HostReviews extends Context.Service<HostReviews>()("latchkey/resources/HostReviews", {
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
