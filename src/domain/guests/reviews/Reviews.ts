import { Context, Effect, Layer } from "effect"
import type { Acting } from "../../../contract/acting.ts"
import { type HeardVersion, heardVersion, SaidRefused, type Speaking } from "../../channels/port/heard.ts"
import type { ReviewSaid } from "../../channels/port/said.ts"
import { NOTHING_WRITTEN } from "./review.ts"
import { showsTheSame, unlessReviewChanges } from "./rules/changing.ts"
import { writtenAsSaid } from "./rules/hearing.ts"
import { ReviewStore } from "./store.ts"

/** The reviews of orders, as their channels tell of them. */
export class Reviews extends Context.Service<
  Reviews,
  {
    /** What guest and host have written by now. */
    readonly said: (speaker: Speaking, said: ReviewSaid, at: Date) => Effect.Effect<HeardVersion, SaidRefused, Acting>
  }
>()("latchkey/resources/Reviews") {
  static readonly layer = Layer.effect(
    Reviews,
    Effect.map(ReviewStore, (store) => Reviews.of({ said: hearing(store) }))
  ).pipe(Layer.provide(ReviewStore.layer))
}

const hearing =
  (store: ReviewStore["Service"]): Reviews["Service"]["said"] =>
  (speaker, said, at) => {
    const attempt = Effect.gen(function* () {
      const found = yield* store.findByChannel(speaker, said.channel_id)
      if (found === undefined) return yield* new SaidRefused({ reason: "channel_id: no order of the account" })
      if (found.is_anothers)
        return yield* new SaidRefused({ reason: "channel_id: the order belongs to another account" })
      const heard = heardVersion(found.channel_version ?? 0, said.version)
      if (heard !== "applied") return heard
      const before = found.written ?? NOTHING_WRITTEN
      const written = writtenAsSaid(before, said)
      const becomes = found.written === null ? "created" : showsTheSame(before, written) ? "same" : "updated"
      const content = { ...written, channel_version: said.version }
      const done = yield* store.write(speaker.operatorId, found, content, becomes, at)
      return done === undefined ? undefined : heard
    })
    return Effect.catchTag(unlessReviewChanges(attempt), "Conflict", Effect.die)
  }
