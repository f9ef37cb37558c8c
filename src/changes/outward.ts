import { Clock, Effect, Fiber } from "effect"
import { Acting, type CallKey } from "../contract/acting.ts"
import { awayWhileActing } from "../contract/away-from-place.ts"
import { Conflict } from "../contract/errors.ts"
import { IDEMPOTENCY_RETRY_SECONDS } from "../platform/limits.ts"
import type { Keys } from "./Keys.ts"

/** An act that happens outside, where no statement of ours can undo it. Its errors are those its caller is told. */
export interface OutwardAct<E, R> {
  /** Our own reasons against it, looked at before it begins. */
  readonly check: Effect.Effect<void, E, R>
  readonly act: Effect.Effect<void, E, R>
  /** Whether it happened before, as far as it can be known outside; undefined: it cannot. */
  readonly happened: Effect.Effect<boolean | undefined, E, R>
  /** Milliseconds that `act`, and `happened` after it, take together at most. */
  readonly lastsMs: number
  /** What it leaves where it failed like that. */
  readonly leaves: (error: E) => Left
}

/**
 * What an act leaves outside: surely `nothing`; it is `over`, and whether it happened is to be asked; or it may be
 * `unfinished`, so that "nothing happened" is no answer yet.
 */
export type Left = "nothing" | "over" | "unfinished"

/**
 * Acts at most once under the key of the call, if it has one: that the act is under way is written down before it begins.
 * A call that takes over from one that is gone asks outside first, and acts only if nothing happened. The change that follows
 * from the act keeps the key (on-record.ts); a call that fails after its act is over leaves the key to the next (once.ts).
 * While the act takes its time, the call holds no place to work in.
 */
export const atMostOnce =
  (keys: Keys["Service"]) =>
  <E, R>(outward: OutwardAct<E, R>): Effect.Effect<void, E | Conflict, Acting | R> =>
    Effect.gen(function* () {
      const { key } = yield* Acting
      if (key === undefined) return yield* Effect.andThen(outward.check, awayWhileActing(outward.act))
      const again = key.resumes
      if (again) {
        const happened = yield* awayWhileActing(outward.happened)
        if (happened === undefined) return yield* outcomeUnknown
        key.resumes = false
        if (happened) return
      }
      yield* Effect.tapError(outward.check, () => (again ? keys.release(key) : Effect.void))
      yield* claimed(keys, key, outward.lastsMs)
      return yield* toItsEnd(keys, key, again ? askingWhereRefused(outward) : ended(outward))
    })

/** Claims the key for longer than the act lasts, or claims it anew: nobody takes over from a call that acts. */
const claimed = (keys: Keys["Service"], key: CallKey, lastsMs: number): Effect.Effect<void, Conflict> =>
  Effect.gen(function* () {
    const isOwn = yield* key.progress === "claimed" ? keys.renew(key) : keys.claim(key)
    if (!isOwn) return yield* underWay
    const left = (key.claimedUntil?.getTime() ?? 0) - (yield* Clock.currentTimeMillis)
    // The database took most of the time: nothing has happened, so whoever comes first may begin anew.
    if (left < lastsMs) return yield* Effect.andThen(keys.release(key), underWay)
  })

/** How an act ended: what it left outside, and what its caller is told. */
interface Ended<E> {
  readonly left: Left
  readonly answer: Effect.Effect<void, E>
}

const ended = <E, R>({ act, leaves }: OutwardAct<E, R>): Effect.Effect<Ended<E>, never, R> =>
  Effect.match(act, {
    onSuccess: () => ({ left: "over", answer: Effect.void }),
    onFailure: (error) => ({ left: leaves(error), answer: Effect.fail(error) })
  })

/** Of an act that may have been done before: a refusal can be due to that, so what happened is asked once more. */
const askingWhereRefused = <E, R>(outward: OutwardAct<E, R>): Effect.Effect<Ended<E | Conflict>, never, R> =>
  Effect.gen(function* () {
    const again: Ended<E | Conflict> = yield* ended(outward)
    if (again.left !== "nothing") return again
    return yield* Effect.match(outward.happened, {
      onSuccess: (happened): Ended<E | Conflict> => {
        if (happened === undefined) return { left: "over", answer: outcomeUnknown }
        return happened ? { left: "over", answer: Effect.void } : again
      },
      onFailure: (error): Ended<E | Conflict> => ({ left: "over", answer: Effect.fail(error) })
    })
  })

/**
 * An act that nobody cuts off: a caller that hangs up no longer waits for it, and then its own end settles the claim. Where
 * the process ends first, or the act breaks, the claim lasts its time.
 */
const toItsEnd = <E, R>(
  keys: Keys["Service"],
  key: CallKey,
  act: Effect.Effect<Ended<E>, never, R>
): Effect.Effect<void, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      let isWaitedFor = true
      const settle = ({ left }: Ended<E>) => {
        if (left === "nothing") return keys.release(key)
        if (left === "unfinished") return Effect.void
        key.progress = "claimed"
        return isWaitedFor ? Effect.void : keys.leave(key)
      }
      key.progress = "acting"
      const acting = yield* Effect.forkDetach(Effect.tap(act, settle))
      // The caller waits without its place; the act itself takes none, since nobody would give that back for it.
      const { answer } = yield* restore(awayWhileActing(Fiber.join(acting))).pipe(
        Effect.onInterrupt(() =>
          Effect.sync(() => {
            isWaitedFor = false
          })
        )
      )
      return yield* answer
    })
  )

export const underWay = new Conflict({
  message: "Idempotency-Key: another call with this key is in progress; repeat this call in a moment.",
  retryAfter: IDEMPOTENCY_RETRY_SECONDS
})

export const outcomeUnknown = new Conflict({
  message:
    "Idempotency-Key: the call with this key was interrupted and its outcome is unknown; check the record, then use a new key."
})
