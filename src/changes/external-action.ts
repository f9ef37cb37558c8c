import { Clock, Effect, Fiber } from "effect"
import { CurrentActor, type IdempotencyKeyState } from "../contract/actor.ts"
import { Conflict } from "../contract/errors.ts"
import { releasePermitForExternalAct } from "../contract/permit-release.ts"
import { IDEMPOTENCY_RETRY_SECONDS } from "../platform/limits.ts"
import type { IdempotencyKeys } from "./IdempotencyKeys.ts"

/** An action outside the database, which no rollback can undo. */
interface ExternalAction<E, R> {
  readonly check: Effect.Effect<void, E, R>
  readonly run: Effect.Effect<void, E, R>
  /** Undefined if this is unknown. */
  readonly hasHappened: Effect.Effect<boolean | undefined, E, R>
  /** Longest time of `run` and a following `hasHappened`. */
  readonly maxDurationMs: number
  readonly stateAfterError: (error: E) => ExternalActionState
}

/**
 * State after a failure. `nothing`: the action did not happen. `over`: the action has ended and may have happened.
 * `unfinished`: the action may still be running.
 */
export type ExternalActionState = "nothing" | "over" | "unfinished"

/**
 * The claim of the key is stored before the action begins. A call that takes over a claim first checks whether the
 * action has happened. Afterwards the caller records its change, which stores the key (recorded-change.ts).
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
 * Fails if the key of this call exists. A change that reads external data calls it first, so that a repeated call does
 * not read again.
 */
export const failIfKeyIsUsed = (keys: IdempotencyKeys["Service"]): Effect.Effect<void, Conflict, CurrentActor> =>
  Effect.flatMap(CurrentActor, ({ idempotencyKey }) =>
    idempotencyKey === undefined
      ? Effect.void
      : Effect.flatMap(keys.find(idempotencyKey), (stored) =>
          stored === undefined ? Effect.void : Effect.fail(new IdempotencyKeyInUse())
        )
  )

/** Claims the key for longer than the action lasts, so that no other call takes over during the action. */
const claimKey = (
  keys: IdempotencyKeys["Service"],
  key: IdempotencyKeyState,
  maxDurationMs: number
): Effect.Effect<void, Conflict> =>
  Effect.gen(function* () {
    const isOwn = yield* key.progress === "claimed" ? keys.renew(key) : keys.claim(key)
    if (!isOwn) return yield* new IdempotencyKeyInUse()
    const remainingMs = (key.claimedUntil?.getTime() ?? 0) - (yield* Clock.currentTimeMillis)
    // Storing the claim took so long that the remaining time is too short for the action. The action has not begun, so
    // another call may begin it.
    if (remainingMs < maxDurationMs) return yield* Effect.andThen(keys.release(key), new IdempotencyKeyInUse())
  })

interface ActionEnd<E> {
  readonly state: ExternalActionState
  readonly result: Effect.Effect<void, E>
}

const runAction = <E, R>({ run, stateAfterError }: ExternalAction<E, R>): Effect.Effect<ActionEnd<E>, never, R> =>
  Effect.match(run, {
    onSuccess: () => ({ state: "over", result: Effect.void }),
    onFailure: (error) => ({ state: stateAfterError(error), result: Effect.fail(error) })
  })

/**
 * If the run fails with the state `nothing`, `hasHappened` runs again, because an earlier run may have caused the
 * failure.
 */
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
 * The action continues if its caller disconnects, and then settles the claim itself. If the process ends first or the
 * action dies, the claim expires.
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
      // Releases the permit here, not inside the action. After a disconnect the action would acquire the permit again,
      // and nothing would release it.
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
