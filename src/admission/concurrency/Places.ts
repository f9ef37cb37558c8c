import { Cause, Clock, Context, Deferred, Effect, Exit, Layer } from "effect"
import { ServerError } from "../../contract/errors.ts"
import { PermitRelease } from "../../contract/permit-release.ts"
import { BeforeDecoding } from "../../platform/database/rows.ts"
import {
  ANONYMOUS_PERMITS,
  BUSY_RETRY_SECONDS,
  CONCURRENCY_PERMITS,
  PERMIT_WAIT_MS,
  QUEUED_BYTES,
  QUEUED_CALLS_MAX
} from "../../platform/limits.ts"
import {
  permitRejections,
  permitsLimit,
  permitsUsed,
  permitWaitDuration,
  queuedCalls
} from "../../platform/telemetry/metrics/metric-definitions.ts"
import { registerGauge } from "../../platform/telemetry/metrics/metric-family.ts"
import { incrementCounter, updateSeries } from "../../platform/telemetry/metrics/metric-updates.ts"
import { type Deadline, makeDeadline } from "./deadline.ts"
import { FairPlaces, type NoRoom, type WaitingCall } from "./FairPlaces.ts"
import { FairThread } from "./FairThread.ts"
import { announced, type PlacesOf } from "./overload-told.ts"

/** Bytes of a body up to which a call parses it at once. A larger body waits for an event-loop slice first. */
export const SMALL_BODY_BYTES = 16 * 1024

/**
 * The places to work in: as many calls as may run statements and build answers at once in this process, shared fairly
 * between operators (see {@link FairPlaces}), as is the one thread on which answers are built (see {@link FairThread}). Who
 * calls too much waits behind itself.
 */
export class Places extends Context.Service<
  Places,
  {
    /**
     * Does the work in a place of this operator, once there is one for it. Fails, and nothing of the work was done, when
     * too many calls of the operator wait or when this one has waited too long. `bytes`: the size of the input that the call keeps
     * in memory while it is queued, and which the work parses first.
     * While the work waits in `releasePermitWhile`, the call holds no place.
     */
    readonly within: <A, E, R>(
      operatorId: number,
      work: Effect.Effect<A, E, R>,
      bytes?: number
    ) => Effect.Effect<A, E | ServerError, R>
    /**
     * What a call of this operator would be refused with at this moment, whatever it asks for; undefined: it would get a
     * place, or be let wait for one. Costs next to nothing, so that it can be asked before anything else is done for a call.
     */
    readonly refusal: (operatorId: number) => ServerError | undefined
  }
>()("latchkey/admission/concurrency/Places") {
  static readonly layer = (
    places: number = CONCURRENCY_PERMITS,
    of: "operators" | "console" = "operators"
  ): Layer.Layer<Places> => Layer.effect(Places, makeLimiter(places, of))

  /** Everybody works at once: what a bench compares with. */
  static readonly layerUnbounded: Layer.Layer<Places> = Layer.succeed(Places, {
    within: (_, work) => work,
    refusal: () => undefined
  })
}

/** `of`: whose they are, as metrics tell it. */
const makeLimiter = Effect.fnUntraced(function* (places: number, of: PlacesOf) {
  const deadline = yield* makeDeadline(PERMIT_WAIT_MS)
  const clock = yield* Clock.Clock
  const now = () => Number(clock.currentTimeNanosUnsafe()) / 1e6
  const fair = new FairPlaces(places, QUEUED_CALLS_MAX, QUEUED_BYTES, now)
  const thread = new FairThread()
  const recordRejection = yield* announced(of)
  /** Why nothing is done for a call, noted as told to it. */
  const refusal = (operator: number, bytes: number) => {
    const reason = fair.noRoom(operator, bytes)
    if (reason === undefined) return undefined
    recordRejection(reason)
    return NO_ROOM[reason]
  }
  const queueContext: QueueContext = { fair, deadline, refusal, now, ...waitingMetrics(of) }
  yield* registerGauge(permitsLimit.withLabels({ of }), () => places)
  yield* registerGauge(permitsUsed.withLabels({ of }), () => places - fair.free)
  yield* registerGauge(queuedCalls.withLabels({ of }), () => fair.allWaiting)
  return Places.of({
    refusal: (operatorId) => (fair.free > 0 && fair.waiting(operatorId) === 0 ? undefined : refusal(operatorId, 0)),
    within: (operatorId, work, bytes = 0) =>
      Effect.uninterruptibleMask((restore) => {
        const place = new PermitHolder(queueContext, operatorId, bytes)
        const slice = waitForThread(thread, operatorId)
        const task = withPermitContext(place, slice, bytes > SMALL_BODY_BYTES ? Effect.andThen(slice, work) : work)
        return Effect.andThen(
          place.acquire(restore),
          Effect.onExit(restore(task), () => place.release)
        )
      })
  })
})

const waitingMetrics = (of: string) => ({
  duration: permitWaitDuration.withLabels({ of }),
  tooLong: permitRejections.withLabels({ of, why: "too_long" })
})

/**
 * The places of calls without a token, a few and apart: however many strangers call, and from however many networks, no operator
 * has a place less for it.
 */
export class StrangerPlaces extends Context.Service<StrangerPlaces, Places["Service"]>()(
  "latchkey/admission/concurrency/StrangerPlaces"
) {
  static readonly layer = Layer.effect(StrangerPlaces, makeLimiter(ANONYMOUS_PERMITS, "strangers"))
}

const withPermitContext = <A, E, R>(
  place: PermitHolder,
  slice: Effect.Effect<void>,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.updateContext(work, (context: Context.Context<R>) =>
    Context.add(Context.add(context, BeforeDecoding, slice), PermitRelease, makeReleaseWhile(place))
  )

/** Waits until an answer of this operator may be built. */
const waitForThread = (thread: FairThread, operator: number): Effect.Effect<void> =>
  Effect.suspend(() =>
    thread.free()
      ? Effect.void
      : Effect.callback<void>((resume) => {
          const stopWaiting = thread.wait(operator, () => resume(Effect.void))
          return Effect.sync(stopWaiting)
        })
  )

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** The place of one call: that it is given back once for each time it is taken is decided here alone. */
class PermitHolder {
  #held = false
  /** Since when, in milliseconds since any moment. */
  #since = 0
  /** Whether it was held before: what has begun is not sent away for what came after it. */
  #begun = false
  readonly #waiting: QueueContext
  readonly #call: Omit<WaitingCall, "seat">

  constructor(waiting: QueueContext, operator: number, bytes: number) {
    this.#waiting = waiting
    this.#call = { operator, bytes }
  }

  get held(): boolean {
    return this.#held
  }

  /** Takes it, after waiting for it if need be. Interrupted or failed, it is not taken. */
  acquire(restore: Restore): Effect.Effect<void, ServerError> {
    return Effect.suspend(() => {
      const hold = () => {
        this.#held = this.#begun = true
        this.#since = this.#waiting.now()
      }
      const { operator, bytes } = this.#call
      if (!this.#waiting.fair.take(operator)) {
        const error = this.#begun ? undefined : this.#waiting.refusal(operator, bytes)
        return error === undefined
          ? Effect.map(waitForPermit(this.#waiting, this.#call, restore), hold)
          : Effect.fail(error)
      }
      hold()
      return Effect.void
    })
  }

  /** Gives it back, if it is held. */
  readonly release: Effect.Effect<void> = Effect.sync(() => {
    if (!this.#held) return
    this.#held = false
    this.#waiting.fair.giveBack(this.#call.operator, this.#waiting.now() - this.#since)
  })
}

/** Interrupted, or broken, what waits takes no place again: nothing goes on after it. */
const makeReleaseWhile =
  (place: PermitHolder): PermitRelease =>
  (effect) =>
    Effect.uninterruptibleMask((restore) => {
      if (!place.held) return restore(effect)
      return Effect.andThen(place.release, Effect.exit(restore(effect))).pipe(
        Effect.flatMap((exit) =>
          Exit.isFailure(exit) && !Cause.hasFails(exit.cause) ? exit : Effect.andThen(place.acquire(restore), exit)
        )
      )
    })

/** What waiting calls share. */
interface QueueContext extends ReturnType<typeof waitingMetrics> {
  readonly fair: FairPlaces
  readonly deadline: Deadline
  readonly refusal: (operator: number, bytes: number) => ServerError | undefined
  /** Milliseconds since any moment. */
  readonly now: () => number
}

/**
 * Waits until the place is this call's. Whether it is, `state` alone knows: a call that is interrupted or has waited
 * long enough at the very moment it is seated gives the place back, or keeps it.
 */
const waitForPermit = (
  { fair, deadline, ...metrics }: QueueContext,
  { operator, bytes }: Omit<WaitingCall, "seat">,
  restore: Restore
): Effect.Effect<void, ServerError> =>
  Effect.withFiber((fiber) => {
    const since = performance.now()
    let state: "waits" | "seated" | "late" = "waits"
    const over = Deferred.makeUnsafe<void>()
    const end = (as: "seated" | "late") => {
      state = as
      Deferred.doneUnsafe(over, Effect.void)
    }
    const call: WaitingCall = { operator, bytes, seat: () => end("seated") }
    fair.wait(call)
    const giveUp = () => {
      if (state !== "waits") return
      fair.withdraw(call)
      end("late")
    }
    return Effect.flatMap(deadline.begin(giveUp), (wait) =>
      restore(Deferred.await(over)).pipe(
        Effect.onInterrupt(() =>
          Effect.sync(() => (state === "seated" ? fair.giveBack(operator) : fair.withdraw(call)))
        ),
        Effect.ensuring(
          Effect.sync(() => {
            deadline.end(wait)
            updateSeries(fiber, metrics.duration, (performance.now() - since) / 1000)
          })
        ),
        // Whoever gave the place back goes on first: else calls that never wait for anything would run inside one another.
        Effect.flatMap(() =>
          state === "seated" ? Effect.yieldNow : Effect.andThen(incrementCounter(metrics.tooLong), failWaitedTooLong)
        )
      )
    )
  })

const overloadError = (message: string) => new ServerError({ message, retryAfter: BUSY_RETRY_SECONDS, notBegun: true })

const NO_ROOM: Readonly<Record<NoRoom, ServerError>> = {
  "too many": overloadError(
    `This operator has more than ${QUEUED_CALLS_MAX} calls, or ${QUEUED_BYTES} bytes of calls, in the queue. Nothing was done; retry later with fewer calls at once.`
  ),
  overloaded: overloadError(
    "The service is overloaded: this call would have waited too long. Nothing was done; retry it later."
  )
}
const waitedTooLong = overloadError(
  "This call waited too long in the queue. Nothing was done; retry it with fewer calls at once."
)
const failWaitedTooLong = Effect.fail(waitedTooLong)

/** Returns whether a call got no permit, so that its work did not begin and it counts in no rate-limit window. */
export const foundNoPlace = (error: unknown): boolean => error instanceof ServerError && error.notBegun === true
