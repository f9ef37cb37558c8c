import { hash } from "node:crypto"
import { Cause, Clock, Effect, Exit, Predicate, type Schema } from "effect"
import { Acting, type Actor, type CallKey } from "../contract/acting.ts"
import { awayFromPlace } from "../contract/away-from-place.ts"
import type { CurrentOperator } from "../contract/caller.ts"
import { type ApiError, Conflict, ValidationFailed } from "../contract/errors.ts"
import { tookTooLong } from "../platform/database/took-too-long.ts"
import { IDEMPOTENCY_RETRY_SECONDS, IDEMPOTENCY_WAIT_MS } from "../platform/limits.ts"
import type { Keys, KnownKey } from "./Keys.ts"
import { outcomeUnknown, underWay } from "./outward.ts"

/** Milliseconds between two looks at what another call has under way. */
const LOOK_MS = 200

/** A change that a call asks for, as far as its key must know it. */
export interface AskedChange {
  /** The input as it was understood: a repeat must have the same. */
  readonly input: () => Schema.Json
  /** Makes the change, and answers the operation's result and what to keep of what came of it. */
  readonly make: Effect.Effect<Made, ApiError, CurrentOperator | Acting>
  /** The result again, from what was kept. */
  readonly replay: (outcome: Schema.Json) => Effect.Effect<Schema.Json, never, CurrentOperator>
}

export interface Made {
  readonly result: Schema.Json
  readonly outcome: () => Schema.Json
}

/** A result, and whether it is of an earlier call. */
export interface Answered {
  readonly result: Schema.Json
  readonly replayed: boolean
}

type Running = Effect.Effect<Answered, ApiError, CurrentOperator>

/** A call with a key, and how it is tried: each time under its key as if it were new. */
interface KeyedCall {
  readonly keys: Keys["Service"]
  readonly asked: AskedChange
  readonly actor: Actor
  /** `resumes`: it goes on where an earlier call was cut off. */
  readonly keyed: (resumes: boolean) => CallKey
  /** Until when it waits for others, in milliseconds. */
  readonly until: number
}

/**
 * Makes a change at most once under a key: the first call that succeeds keeps it, and whoever repeats that call gets the first
 * result and changes nothing. The key costs a first call no statement: its change keeps it (on-record.ts). That the key
 * was known shows when a repeat is refused, by the key's own constraint or by a rule that the first call's change has
 * made true; so it is looked up whenever a call fails.
 */
export const once = Effect.fnUntraced(function* (
  keys: Keys["Service"],
  asked: AskedChange,
  actor: Actor,
  { operatorId, given }: { readonly operatorId: number; readonly given: string }
): Effect.fn.Return<Answered, ApiError, CurrentOperator> {
  const until = (yield* Clock.currentTimeMillis) + IDEMPOTENCY_WAIT_MS
  const digest = hash("sha256", given, "buffer")
  const fingerprint = hash("sha256", `${actor.operation}\n${canonical(asked.input())}`, "buffer")
  const keyed = (resumes: boolean): CallKey => ({
    operatorId,
    digest,
    fingerprint,
    resumes,
    progress: "none",
    claimedUntil: undefined
  })
  return yield* first({ keys, asked, actor, keyed, until })
})

/** Makes the change. What it has claimed and not written down, though its act is over, is whoever asks next's. */
const making = ({ keys, asked, actor }: KeyedCall, key: CallKey) =>
  Effect.provideService(asked.make, Acting, { ...actor, key }).pipe(
    Effect.onExit((exit) => (Exit.isFailure(exit) && key.progress === "claimed" ? keys.leave(key) : Effect.void)),
    Effect.exit
  )

const first = Effect.fnUntraced(function* (call: KeyedCall): Effect.fn.Return<Answered, ApiError, CurrentOperator> {
  const { keys } = call
  const key = call.keyed(false)
  const exit = yield* making(call, key)
  if (Exit.isSuccess(exit)) {
    const { result, outcome } = exit.value
    const settled = key.progress === "kept" || key.progress === "unneeded"
    // What this call did outside is its answer, also where another one took its claim over.
    const isItsOwn = settled || (yield* keys.keep(key, outcome())) || key.claimedUntil !== undefined
    if (isItsOwn) return { result, replayed: false }
  }
  if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
  const known = yield* keys.known(key)
  // What became of an act of its own is this call's answer, not a reason to ask what became of another's.
  const isOwn = key.claimedUntil !== undefined && known?.outcome === null
  if (known !== undefined && !isOwn) return yield* repeated(call, key, known)
  if (Exit.isSuccess(exit)) return { result: exit.value.result, replayed: false }
  if (isUnderWay(exit.cause)) return yield* resuming(call)
  return yield* ranOutOfTime(key, exit.cause) ? notThrough : Effect.failCause(exit.cause)
})

/** What a call that is over left under its key. */
const repeated = (call: KeyedCall, key: CallKey, known: KnownKey): Running => {
  if (!isOfTheSameCall(known, key)) return Effect.fail(anotherCall)
  if (known.outcome === null) return resuming(call)
  return Effect.map(call.asked.replay(known.outcome), (result) => ({ result, replayed: true }))
}

const isOfTheSameCall = (known: KnownKey, key: CallKey): boolean =>
  Buffer.compare(known.fingerprint, key.fingerprint) === 0

/** Waits for a call that has its act outside under way, and goes on where one was cut off. */
const resuming = Effect.fnUntraced(function* (call: KeyedCall): Effect.fn.Return<Answered, ApiError, CurrentOperator> {
  const { keys } = call
  const key = call.keyed(true)
  while (true) {
    const known = yield* keys.known(key)
    // Let go and claimed meanwhile, it can be another call's.
    const isSettled = known !== undefined && (known.outcome !== null || !isOfTheSameCall(known, key))
    if (isSettled) return yield* repeated(call, key, known)
    const now = yield* Clock.currentTimeMillis
    const isLeft = known?.under_way_until != null && known.under_way_until.getTime() <= now
    if (isLeft && (yield* keys.takeOver(key))) return yield* takenOver(call, key)
    if (now >= call.until) return yield* underWay
    // Let go: the other call was refused, and so may this one be.
    if (known === undefined) return yield* first(call)
    yield* awayFromPlace(Effect.sleep(LOOK_MS))
  }
})

/** What the channel says now is the answer; what our own rules say is none to a call that may have acted before. */
const takenOver = Effect.fnUntraced(function* (
  call: KeyedCall,
  key: CallKey
): Effect.fn.Return<Answered, ApiError, CurrentOperator> {
  const exit = yield* making(call, key)
  if (Exit.isSuccess(exit)) {
    if (key.progress !== "kept") yield* call.keys.keep(key, exit.value.outcome())
    return { result: exit.value.result, replayed: false }
  }
  if (isUnderWay(exit.cause)) return yield* resuming(call)
  return yield* key.resumes && isRefusal(exit.cause) ? outcomeUnknown : Effect.failCause(exit.cause)
})

/** Whether a call was stopped before it changed anything: one with an act of its own outside cannot say that. */
const ranOutOfTime = (key: CallKey, cause: Cause.Cause<ApiError>): boolean =>
  key.claimedUntil === undefined && tookTooLong(cause)

/** Whether another call was faster to claim the key: it is waited for, even if it has let the key go since. */
const isUnderWay = (cause: Cause.Cause<ApiError>): boolean =>
  cause.reasons.some((reason) => Cause.isFailReason(reason) && reason.error === underWay)

const isRefusal = (cause: Cause.Cause<ApiError>): boolean =>
  cause.reasons.some((reason) => Cause.isFailReason(reason) && reason.error._tag !== "Upstream")

/** JSON with the fields of each object in one order, so that equal inputs are equal texts. */
export const canonical = (value: Schema.Json): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    Predicate.isObject(part) && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part
  )

const anotherCall = new ValidationFailed({
  message: "Idempotency-Key: was used for another call; use a new key."
})

const notThrough = new Conflict({
  message: "Idempotency-Key: this call waited too long and changed nothing; repeat it with the same key.",
  retryAfter: IDEMPOTENCY_RETRY_SECONDS
})
