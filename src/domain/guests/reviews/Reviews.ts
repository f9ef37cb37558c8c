import { Context, Effect, Layer } from "effect"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { ChannelReviewEvent } from "../../channels/port/channel-events.ts"
import {
  type ChannelAccountRef,
  InvalidChannelEvent,
  toVersionOutcome,
  type VersionOutcome
} from "../../channels/port/event-handling.ts"
import { EMPTY_REVIEW } from "./review.ts"
import { isSameReviewContent, retryWhileReviewChanges } from "./rules/review-changes.ts"
import { applyReviewEvent } from "./rules/review-event.ts"
import { ReviewStore } from "./store.ts"

export class Reviews extends Context.Service<
  Reviews,
  {
    readonly ingest: (
      channelAccount: ChannelAccountRef,
      event: ChannelReviewEvent,
      at: Date
    ) => Effect.Effect<VersionOutcome, InvalidChannelEvent, CurrentActor>
  }
>()("latchkey/domain/guests/reviews/Reviews") {
  static readonly layer = Layer.effect(
    Reviews,
    Effect.map(ReviewStore, (store) => Reviews.of({ ingest: makeIngest(store) }))
  ).pipe(Layer.provide(ReviewStore.layer))
}

const makeIngest =
  (store: ReviewStore["Service"]): Reviews["Service"]["ingest"] =>
  (channelAccount, event, at) => {
    const attempt = Effect.gen(function* () {
      const order = yield* store.findByChannel(channelAccount, event.channel_id)
      if (order === undefined) return yield* new InvalidChannelEvent({ reason: "channel_id: no order of the account" })
      if (order.is_anothers)
        return yield* new InvalidChannelEvent({ reason: "channel_id: the order belongs to another account" })
      const outcome = toVersionOutcome(order.channel_version ?? 0, event.version)
      if (outcome !== "applied") return outcome
      const before = order.written ?? EMPTY_REVIEW
      const written = applyReviewEvent(before, event)
      const change = order.written === null ? "created" : isSameReviewContent(before, written) ? "same" : "updated"
      const content = { ...written, channel_version: event.version }
      const stored = yield* store.writeContent(channelAccount.operatorId, order, content, change, at)
      return stored === undefined ? undefined : outcome
    })
    return Effect.catchTag(retryWhileReviewChanges(attempt), "Conflict", Effect.die)
  }
