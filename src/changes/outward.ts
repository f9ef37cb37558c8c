import { Effect } from "effect"
import { Acting, type CallKey } from "../contract/acting.ts"
import { Conflict } from "../contract/errors.ts"
import { IDEMPOTENCY_RETRY_SECONDS } from "../limits.ts"
import type { Keys } from "./Keys.ts"

/** An act that happens outside, where no statement of ours can undo it. Its errors are those its caller is told. */
export interface OutwardAct<E, R> {
  /** Our own reasons against it, looked at before it begins. */
  readonly check: Effect.Effect<void, E, R>
  readonly act: Effect.Effect<void, E, R>
  /** Whether it happened before, as far as it can be known outside; undefined: it cannot. */
  readonly happened: Effect.Effect<boolean | undefined, E, R>
  /** Whether it surely did not happen where it failed like that. */
  readonly didNothing: (error: E | Conflict) => boolean
}

/**
 * Acts at most once under the key of the call, if it has one: that the act is under way is written down before it begins.
 * A call that takes over from one that is gone asks outside first, and acts only if nothing happened. The change that follows
 * from the act keeps the key (on-record.ts); a call that fails after it has claimed the key leaves it to the next (once.ts).
 */
export const atMostOnce =
  (keys: Keys["Service"]) =>
  <E, R>(outward: OutwardAct<E, R>): Effect.Effect<void, E | Conflict, Acting | R> =>
    Effect.gen(function* () {
      const { key } = yield* Acting
      if (key === undefined) return yield* Effect.andThen(outward.check, outward.act)
      if (key.resumes) {
        const happened = yield* outward.happened
        if (happened === undefined) return yield* outcomeUnknown
        key.resumes = false
        if (happened) return
      }
      return yield* claimed(keys, key, outward)
    })

/** The act under a claim, which ends with it where surely nothing happened. */
const claimed = <E, R>(
  keys: Keys["Service"],
  key: CallKey,
  { check, act, didNothing }: OutwardAct<E, R>
): Effect.Effect<void, E | Conflict, R> =>
  Effect.gen(function* () {
    yield* check
    if (key.progress !== "claimed" && !(yield* keys.claim(key))) return yield* underWay
    yield* act
  }).pipe(
    Effect.tapError((error) => (key.progress === "claimed" && didNothing(error) ? keys.release(key) : Effect.void))
  )

export const underWay = new Conflict({
  message: "Idempotency-Key: another call with this key is under way; repeat it in a moment.",
  retryAfter: IDEMPOTENCY_RETRY_SECONDS
})

export const outcomeUnknown = new Conflict({
  message:
    "Idempotency-Key: the call with this key was cut off and its outcome is unknown; look at the record, then use a new key."
})
