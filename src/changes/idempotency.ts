import { hash } from "node:crypto"
import { Cause, Clock, Effect, Exit, Predicate, type Schema } from "effect"
import { type Actor, CurrentActor, type IdempotencyKeyState, NO_GRANT } from "../contract/actor.ts"
import type { Caller, CurrentCaller } from "../contract/caller.ts"
import { type ApiError, Conflict, ValidationFailed } from "../contract/errors.ts"
import { releasePermitWhile } from "../contract/permit-release.ts"
import { isStatementTimeout } from "../platform/database/statement-timeout.ts"
import { IDEMPOTENCY_RETRY_SECONDS, IDEMPOTENCY_WAIT_MS } from "../platform/limits.ts"
import { IdempotencyKeyInUse, outcomeUnknownError } from "./external-action.ts"
import type { IdempotencyKeys, StoredKey } from "./IdempotencyKeys.ts"

const POLL_MS = 200

export interface IdempotentChange {
  /** The parsed input. A repeated call must have an equal one. */
  readonly input: () => Schema.Json
  readonly make: Effect.Effect<ChangeResult, ApiError, CurrentCaller | CurrentActor>
  readonly replay: (outcome: Schema.Json) => Effect.Effect<Schema.Json, never, CurrentCaller>
}

interface ChangeResult {
  readonly result: Schema.Json
  readonly outcome: () => Schema.Json
}

export interface IdempotentResult {
  readonly result: Schema.Json
  readonly replayed: boolean
}

type RunningChange = Effect.Effect<IdempotentResult, ApiError, CurrentCaller>

interface KeyedCall {
  readonly keys: IdempotencyKeys["Service"]
  readonly change: IdempotentChange
  readonly actor: Actor
  /** `resumes`: whether an earlier call with this key may have begun an external action. */
  readonly makeKey: (resumes: boolean) => IdempotencyKeyState
  readonly waitUntil: number
}

/**
 * Makes a change at most once per key. A repeated call gets the stored result. The change itself stores the key
 * (recorded-change.ts), so a first call needs no other statement. If a call fails, the key is looked up, because the
 * reason may be that an earlier call has made the change.
 */
export const runIdempotently = Effect.fnUntraced(function* (
  keys: IdempotencyKeys["Service"],
  change: IdempotentChange,
  actor: Actor,
  { caller, keyText }: { readonly caller: Caller; readonly keyText: string }
): Effect.fn.Return<IdempotentResult, ApiError, CurrentCaller> {
  const waitUntil = (yield* Clock.currentTimeMillis) + IDEMPOTENCY_WAIT_MS
  const digest = hash("sha256", keyText, "buffer")
  const fingerprint = hash("sha256", `${actor.operation}\n${toCanonicalJson(change.input())}`, "buffer")
  const makeKey = (resumes: boolean): IdempotencyKeyState => ({
    operatorId: caller.operatorId,
    digest,
    fingerprint,
    grantId: caller.grantId ?? NO_GRANT,
    isResuming: resumes,
    progress: "none",
    claimedUntil: undefined
  })
  return yield* runFirst({ keys, change, actor, makeKey, waitUntil })
})

/**
 * If the call fails while the key is `claimed`, its external action is not running (external-action.ts). Then the claim
 * ends at once, so that the next call with the key can take it over.
 */
const runChange = ({ keys, change, actor }: KeyedCall, key: IdempotencyKeyState) =>
  Effect.provideService(change.make, CurrentActor, { ...actor, idempotencyKey: key }).pipe(
    Effect.onExit((exit) => (Exit.isFailure(exit) && key.progress === "claimed" ? keys.abandon(key) : Effect.void)),
    Effect.exit
  )

const runFirst = Effect.fnUntraced(function* (
  call: KeyedCall
): Effect.fn.Return<IdempotentResult, ApiError, CurrentCaller> {
  const { keys } = call
  const key = call.makeKey(false)
  const exit = yield* runChange(call, key)
  if (Exit.isSuccess(exit)) {
    const { result, outcome } = exit.value
    const isSettled = key.progress === "kept" || key.progress === "unneeded"
    // A call with a claim has made its own external action and returns that result, even if another call took the claim
    // over.
    const isOwnResult = isSettled || (yield* keys.store(key, outcome())) || key.claimedUntil !== undefined
    if (isOwnResult) return { result, replayed: false }
  }
  if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
  const stored = yield* keys.find(key)
  // This call has run its own action, so it returns its own error and does not wait for a call that took the claim
  // over.
  const isOwn = key.claimedUntil !== undefined && stored?.outcome === null
  if (stored !== undefined && !isOwn) return yield* replayOrResume(call, key, stored)
  if (Exit.isSuccess(exit)) return { result: exit.value.result, replayed: false }
  if (isUnderWay(exit.cause)) return yield* waitAndResume(call)
  return yield* hasTimedOutUnchanged(key, exit.cause) ? waitedTooLongError : Effect.failCause(exit.cause)
})

const replayOrResume = (call: KeyedCall, key: IdempotencyKeyState, stored: StoredKey): RunningChange => {
  if (!isSameCall(stored, key)) return Effect.fail(keyReusedError)
  if (stored.outcome === null) return waitAndResume(call)
  return Effect.map(call.change.replay(stored.outcome), (result) => ({ result, replayed: true }))
}

/**
 * Another application must not get the result of the host's call, which may contain a secret address. A null `grant_id`
 * matches every grant.
 */
const isSameCall = (stored: StoredKey, key: IdempotencyKeyState): boolean =>
  Buffer.compare(stored.fingerprint, key.fingerprint) === 0 &&
  (stored.grant_id === null || stored.grant_id === key.grantId)

const waitAndResume = Effect.fnUntraced(function* (
  call: KeyedCall
): Effect.fn.Return<IdempotentResult, ApiError, CurrentCaller> {
  const { keys } = call
  const key = call.makeKey(true)
  while (true) {
    const stored = yield* keys.find(key)
    // After a release, a call with other input may have claimed the key.
    const isSettled = stored !== undefined && (stored.outcome !== null || !isSameCall(stored, key))
    if (isSettled) return yield* replayOrResume(call, key, stored)
    const now = yield* Clock.currentTimeMillis
    const isAbandoned = stored?.under_way_until != null && stored.under_way_until.getTime() <= now
    if (isAbandoned && (yield* keys.takeOver(key))) return yield* runTakenOver(call, key)
    if (now >= call.waitUntil) return yield* new IdempotencyKeyInUse()
    // The other call was rejected and has released the key, so this call runs as a first one.
    if (stored === undefined) return yield* runFirst(call)
    yield* releasePermitWhile(Effect.sleep(POLL_MS))
  }
})

/**
 * While `isResuming` is set, the earlier call may have performed its action. So an API error other than `Upstream` is
 * replaced by `outcomeUnknownError`.
 */
const runTakenOver = Effect.fnUntraced(function* (
  call: KeyedCall,
  key: IdempotencyKeyState
): Effect.fn.Return<IdempotentResult, ApiError, CurrentCaller> {
  const exit = yield* runChange(call, key)
  if (Exit.isSuccess(exit)) {
    if (key.progress !== "kept") yield* call.keys.store(key, exit.value.outcome())
    return { result: exit.value.result, replayed: false }
  }
  if (isUnderWay(exit.cause)) return yield* waitAndResume(call)
  return yield* key.isResuming && isDomainError(exit.cause) ? outcomeUnknownError : Effect.failCause(exit.cause)
})

/** Excludes a call with an external action, which may have changed something outside the database. */
const hasTimedOutUnchanged = (key: IdempotencyKeyState, cause: Cause.Cause<ApiError>): boolean =>
  key.claimedUntil === undefined && isStatementTimeout(cause)

/** Another call had claimed the key, but may have released it by now. */
const isUnderWay = (cause: Cause.Cause<ApiError>): boolean =>
  cause.reasons.some((reason) => Cause.isFailReason(reason) && reason.error instanceof IdempotencyKeyInUse)

const isDomainError = (cause: Cause.Cause<ApiError>): boolean =>
  cause.reasons.some((reason) => Cause.isFailReason(reason) && reason.error._tag !== "Upstream")

export const toCanonicalJson = (value: Schema.Json): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    Predicate.isObject(part) && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part
  )

const keyReusedError = new ValidationFailed({
  message: "Idempotency-Key: was used for another call; use a new key."
})

const waitedTooLongError = new Conflict({
  message: "Idempotency-Key: this call waited too long and changed nothing; repeat it with the same key.",
  retryAfter: IDEMPOTENCY_RETRY_SECONDS
})

/** Prevents the key of this call from being stored, because the call only returns a record as it is now. */
export const skipIdempotencyKey: Effect.Effect<void, never, CurrentActor> = Effect.map(
  CurrentActor,
  ({ idempotencyKey }) => {
    if (idempotencyKey !== undefined) idempotencyKey.progress = "unneeded"
  }
)
