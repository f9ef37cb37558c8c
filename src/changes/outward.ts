import { Cause, Effect, Exit, Option } from "effect"
import { Acting, type CallKey } from "../contract/acting.ts"
import { Conflict } from "../contract/errors.ts"
import { IDEMPOTENCY_RETRY_SECONDS } from "../limits.ts"
import type { Keys } from "./Keys.ts"

/** An act that happens outside, where no statement of ours can undo it. */
export interface OutwardAct<E, R> {
  readonly act: Effect.Effect<void, E, R>
  /** Whether it happened before, as far as it can be known outside; undefined: it cannot. */
  readonly happened: Effect.Effect<boolean | undefined, E, R>
  /** Whether it surely did not happen where it failed like that. */
  readonly didNothing: (error: E) => boolean
}

/**
 * Acts at most once under the key of the call, if it has one: that the act is under way is written down before it begins.
 * A call that takes over from one that is gone asks outside first, and acts only if nothing happened. The change that follows from the
 * act keeps the key (on-record.ts).
 */
export const atMostOnce =
  (keys: Keys["Service"]) =>
  <E, R>(outward: OutwardAct<E, R>): Effect.Effect<void, E | Conflict, Acting | R> =>
    Effect.gen(function* () {
      const { key } = yield* Acting
      if (key === undefined) return yield* outward.act
      if (key.progress === "claimed") {
        const happened = yield* outward.happened
        if (happened === undefined) return yield* outcomeUnknown
        return happened ? undefined : yield* claimed(keys, key, outward)
      }
      if (!(yield* keys.claim(key))) return yield* underWay
      key.progress = "claimed"
      return yield* claimed(keys, key, outward)
    })

const claimed = <E, R>(keys: Keys["Service"], key: CallKey, { act, didNothing }: OutwardAct<E, R>) =>
  Effect.onExit(act, (exit) => {
    if (Exit.isSuccess(exit)) return Effect.void
    const error = Cause.findErrorOption(exit.cause)
    if (Option.isNone(error) || !didNothing(error.value)) return keys.leave(key)
    key.progress = "none"
    return keys.release(key)
  })

export const underWay = new Conflict({
  message: "Idempotency-Key: another call with this key is under way; repeat it in a moment.",
  retryAfter: IDEMPOTENCY_RETRY_SECONDS
})

export const outcomeUnknown = new Conflict({
  message:
    "Idempotency-Key: the call with this key was cut off and its outcome is unknown; look at the record, then use a new key."
})
