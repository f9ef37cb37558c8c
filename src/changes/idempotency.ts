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

/** Milliseconds between two looks at what another call has under way. */
const POLL_MS = 200

/** A change that a call asks for, as far as its key must know it. */
export interface IdempotentChange {
  /** The input as it was understood: a repeat must have the same. */
  readonly input: () => Schema.Json
  /** Makes the change, and answers the operation's result and what to keep of what came of it. */
  readonly make: Effect.Effect<ChangeResult, ApiError, CurrentCaller | CurrentActor>
  /** The result again, from what was kept. */
  readonly replay: (outcome: Schema.Json) => Effect.Effect<Schema.Json, never, CurrentCaller>
}

interface ChangeResult {
  readonly result: Schema.Json
  readonly outcome: () => Schema.Json
}

/** A result, and whether it is of an earlier call. */
export interface IdempotentResult {
  readonly result: Schema.Json
  readonly replayed: boolean
}

type RunningChange = Effect.Effect<IdempotentResult, ApiError, CurrentCaller>

/** A call with a key, and how it is tried: each time under its key as if it were new. */
interface KeyedCall {
  readonly keys: IdempotencyKeys["Service"]
  readonly change: IdempotentChange
  readonly actor: Actor
  /** `resumes`: it goes on where an earlier call was cut off. */
  readonly makeKey: (resumes: boolean) => IdempotencyKeyState
  /** Until when it waits for others, in milliseconds. */
  readonly waitUntil: number
}

/**
 * Makes a change at most once under a key: the first call that succeeds keeps it, and whoever repeats that call gets the first
 * result and changes nothing. The key costs a first call no statement: its change keeps it (recorded-change.ts). That the key
 * was known shows when a repeat is refused, by the key's own constraint or by a rule that the first call's change has
 * made true; so it is looked up whenever a call fails.
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

/** Makes the change. What it has claimed and not written down, though its act is over, is whoever asks next's. */
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
    // What this call did outside is its answer, also where another one took its claim over.
    const isOwnResult = isSettled || (yield* keys.store(key, outcome())) || key.claimedUntil !== undefined
    if (isOwnResult) return { result, replayed: false }
  }
  if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
  const stored = yield* keys.find(key)
  // What became of an act of its own is this call's answer, not a reason to ask what became of another's.
  const isOwn = key.claimedUntil !== undefined && stored?.outcome === null
  if (stored !== undefined && !isOwn) return yield* replayOrResume(call, key, stored)
  if (Exit.isSuccess(exit)) return { result: exit.value.result, replayed: false }
  if (isUnderWay(exit.cause)) return yield* waitAndResume(call)
  return yield* hasTimedOutUnchanged(key, exit.cause) ? waitedTooLongError : Effect.failCause(exit.cause)
})

/** What a call that is over left under its key. */
const replayOrResume = (call: KeyedCall, key: IdempotencyKeyState, stored: StoredKey): RunningChange => {
  if (!isSameCall(stored, key)) return Effect.fail(keyReusedError)
  if (stored.outcome === null) return waitAndResume(call)
  return Effect.map(call.change.replay(stored.outcome), (result) => ({ result, replayed: true }))
}

/**
 * Returns whether a key was stored for the same operation and input by a call of the same connection. An application that learns a
 * key of its host must not get the result of the host's call, which may contain an address that only its creator may see. A key of
 * unknown connection (null) matches every connection, until retention deletes it.
 */
const isSameCall = (stored: StoredKey, key: IdempotencyKeyState): boolean =>
  Buffer.compare(stored.fingerprint, key.fingerprint) === 0 &&
  (stored.grant_id === null || stored.grant_id === key.grantId)

/** Waits for a call that has its act outside under way, and goes on where one was cut off. */
const waitAndResume = Effect.fnUntraced(function* (
  call: KeyedCall
): Effect.fn.Return<IdempotentResult, ApiError, CurrentCaller> {
  const { keys } = call
  const key = call.makeKey(true)
  while (true) {
    const stored = yield* keys.find(key)
    // Let go and claimed meanwhile, it can be another call's.
    const isSettled = stored !== undefined && (stored.outcome !== null || !isSameCall(stored, key))
    if (isSettled) return yield* replayOrResume(call, key, stored)
    const now = yield* Clock.currentTimeMillis
    const isAbandoned = stored?.under_way_until != null && stored.under_way_until.getTime() <= now
    if (isAbandoned && (yield* keys.takeOver(key))) return yield* runTakenOver(call, key)
    if (now >= call.waitUntil) return yield* new IdempotencyKeyInUse()
    // Let go: the other call was refused, and so may this one be.
    if (stored === undefined) return yield* runFirst(call)
    yield* releasePermitWhile(Effect.sleep(POLL_MS))
  }
})

/** What the channel says now is the answer; what our own rules say is none to a call that may have acted before. */
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

/** Whether a call was stopped before it changed anything: one with an act of its own outside cannot say that. */
const hasTimedOutUnchanged = (key: IdempotencyKeyState, cause: Cause.Cause<ApiError>): boolean =>
  key.claimedUntil === undefined && isStatementTimeout(cause)

/** Whether another call was faster to claim the key: it is waited for, even if it has let the key go since. */
const isUnderWay = (cause: Cause.Cause<ApiError>): boolean =>
  cause.reasons.some((reason) => Cause.isFailReason(reason) && reason.error instanceof IdempotencyKeyInUse)

const isDomainError = (cause: Cause.Cause<ApiError>): boolean =>
  cause.reasons.some((reason) => Cause.isFailReason(reason) && reason.error._tag !== "Upstream")

/** JSON with the fields of each object in one order, so that equal inputs are equal texts. */
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

/** For a call whose answer is a record as it is now, whatever its key: the key is not kept. */
export const skipIdempotencyKey: Effect.Effect<void, never, CurrentActor> = Effect.map(
  CurrentActor,
  ({ idempotencyKey }) => {
    if (idempotencyKey !== undefined) idempotencyKey.progress = "unneeded"
  }
)
