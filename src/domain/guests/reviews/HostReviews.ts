import { Context, Effect, Layer } from "effect"
import { runAtMostOnce } from "../../../changes/external-action.ts"
import { IdempotencyKeys } from "../../../changes/IdempotencyKeys.ts"
import { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import { writeReview } from "./review-writing.ts"
import { ReviewStore } from "./store.ts"

export class HostReviews extends Context.Service<
  HostReviews,
  {
    readonly write: ReturnType<typeof writeReview>
  }
>()("latchkey/domain/guests/reviews/HostReviews") {
  static readonly layer = Layer.effect(
    HostReviews,
    Effect.gen(function* () {
      const [store, gateway, keys] = [yield* ReviewStore, yield* ChannelGateway, yield* IdempotencyKeys]
      return HostReviews.of({ write: writeReview(store, gateway, runAtMostOnce(keys)) })
    })
  ).pipe(Layer.provide(ReviewStore.layer))
}
