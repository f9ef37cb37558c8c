import { Clock, Effect, Fiber } from "effect"
import { CurrentActor, type IdempotencyKeyState } from "../contract/actor.ts"
import { Conflict } from "../contract/errors.ts"
import { releasePermitForExternalAct } from "../contract/permit-release.ts"
import { IDEMPOTENCY_RETRY_SECONDS } from "../platform/limits.ts"
import type { IdempotencyKeys } from "./IdempotencyKeys.ts"

/** An act that happens outside, where no statement of ours can undo it. Its errors are those its caller is told. */
interface ExternalAction<E, R> {
  /** Our own reasons against it, looked at before it begins. */
  readonly check: Effect.Effect<void, E, R>
  readonly run: Effect.Effect<void, E, R>
  /** Whether it happened before, as far as it can be known outside; undefined: it cannot. */
  readonly hasHappened: Effect.Effect<boolean | undefined, E, R>
  /** Milliseconds that `run`, and `hasHappened` after it, take together at most. */
  readonly maxDurationMs: number
  /** What it leaves where it failed like that. */
  readonly stateAfterError: (error: E) => ExternalActionState
}

/**
 * What an act leaves outside: surely `nothing`; it is `over`, and whether it happened is to be asked; or it may be
 * `unfinished`, so that "nothing happened" is no answer yet.
 */
export type ExternalActionState = "nothing" | "over" | "unfinished"

/**
 * Acts at most once under the key of the call, if it has one: that the act is under way is written down before it begins.
 * A call that takes over from one that is gone asks outside first, and acts only if nothing happened. The change that follows
 * from the act keeps the key (recorded-change.ts); a call that fails after its act is over leaves the key to the next
 * (idempotency.ts).
 * While the act takes its time, the call holds no place to work in.
 */
export const runAtMostOnce =
  (keys: IdempotencyKeys["Service"]) =>
  <E, R>(action: ExternalAction<E, R>): Effect.Effect<void, E | Conflict, CurrentActor | R> =>
    Effect.gen(function* () {
      const { idempotencyKey } = yield* CurrentActor
      if (idempotencyKey === undefined)
        return yield* Effect.andThen(action.check, releasePermitForExternalAct(action.run))
      const isRetry = idempotencyKey.isResuming
      if (isRetry) {
        const hasHappened = yield* releasePermitForExternalAct(action.hasHappened)
        if (hasHappened === undefined) return yield* outcomeUnknownError
        idempotencyKey.isResuming = false
        if (hasHappened) return
      }
      yield* Effect.tapError(action.check, () => (isRetry ? keys.release(idempotencyKey) : Effect.void))
      yield* claimKey(keys, idempotencyKey, action.maxDurationMs)
      return yield* runToEnd(keys, idempotencyKey, isRetry ? runAndVerify(action) : runAction(action))
    })

/**
 * Fails if a call with the key of this call has been made, so that the entrypoint answers with its result (idempotency.ts). For a change
 * that reads from elsewhere first: a repeat does not read again.
 */
export const failIfKeyIsUsed = (keys: IdempotencyKeys["Service"]): Effect.Effect<void, Conflict, CurrentActor> =>
  Effect.flatMap(CurrentActor, ({ idempotencyKey }) =>
    idempotencyKey === undefined
      ? Effect.void
      : Effect.flatMap(keys.find(idempotencyKey), (stored) =>
          stored === undefined ? Effect.void : Effect.fail(new IdempotencyKeyInUse())
        )
  )

/** Claims the key for longer than the act lasts, or claims it anew: nobody takes over from a call that acts. */
const claimKey = (
  keys: IdempotencyKeys["Service"],
  key: IdempotencyKeyState,
  maxDurationMs: number
): Effect.Effect<void, Conflict> =>
  Effect.gen(function* () {
    const isOwn = yield* key.progress === "claimed" ? keys.renew(key) : keys.claim(key)
    if (!isOwn) return yield* new IdempotencyKeyInUse()
    const remainingMs = (key.claimedUntil?.getTime() ?? 0) - (yield* Clock.currentTimeMillis)
    // The database took most of the time: nothing has happened, so whoever comes first may begin anew.
    if (remainingMs < maxDurationMs) return yield* Effect.andThen(keys.release(key), new IdempotencyKeyInUse())
  })

/** How an act ended: what it left outside, and what its caller is told. */
interface ActionEnd<E> {
  readonly state: ExternalActionState
  readonly result: Effect.Effect<void, E>
}

const runAction = <E, R>({ run, stateAfterError }: ExternalAction<E, R>): Effect.Effect<ActionEnd<E>, never, R> =>
  Effect.match(run, {
    onSuccess: () => ({ state: "over", result: Effect.void }),
    onFailure: (error) => ({ state: stateAfterError(error), result: Effect.fail(error) })
  })

/** Of an act that may have been done before: a refusal can be due to that, so what happened is asked once more. */
const runAndVerify = <E, R>(action: ExternalAction<E, R>): Effect.Effect<ActionEnd<E | Conflict>, never, R> =>
  Effect.gen(function* () {
    const end: ActionEnd<E | Conflict> = yield* runAction(action)
    if (end.state !== "nothing") return end
    return yield* Effect.match(action.hasHappened, {
      onSuccess: (hasHappened): ActionEnd<E | Conflict> => {
        if (hasHappened === undefined) return { state: "over", result: outcomeUnknownError }
        return hasHappened ? { state: "over", result: Effect.void } : end
      },
      onFailure: (error): ActionEnd<E | Conflict> => ({ state: "over", result: Effect.fail(error) })
    })
  })

/**
 * An act that nobody cuts off: a caller that hangs up no longer waits for it, and then its own end settles the claim. Where
 * the process ends first, or the act breaks, the claim lasts its time.
 */
const runToEnd = <E, R>(
  keys: IdempotencyKeys["Service"],
  key: IdempotencyKeyState,
  runningAction: Effect.Effect<ActionEnd<E>, never, R>
): Effect.Effect<void, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      let isWaitedFor = true
      const settleClaim = ({ state }: ActionEnd<E>) => {
        if (state === "nothing") return keys.release(key)
        if (state === "unfinished") return Effect.void
        key.progress = "claimed"
        return isWaitedFor ? Effect.void : keys.abandon(key)
      }
      key.progress = "acting"
      const fiber = yield* Effect.forkDetach(Effect.tap(runningAction, settleClaim))
      // The caller waits without its place; the act itself takes none, since nobody would give that back for it.
      const { result } = yield* restore(releasePermitForExternalAct(Fiber.join(fiber))).pipe(
        Effect.onInterrupt(() =>
          Effect.sync(() => {
            isWaitedFor = false
          })
        )
      )
      return yield* result
    })
  )

/** 409, by which a call that waits knows that it waits for another one. */
export class IdempotencyKeyInUse extends Conflict {
  constructor() {
    super({
      message: "Idempotency-Key: another call with this key is in progress; repeat this call in a moment.",
      retryAfter: IDEMPOTENCY_RETRY_SECONDS
    })
  }
}

export const outcomeUnknownError = new Conflict({
  message:
    "Idempotency-Key: the call with this key was interrupted and its outcome is unknown; check the record, then use a new key."
})
