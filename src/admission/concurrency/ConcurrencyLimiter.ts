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
import { EventLoopSlices } from "./EventLoopSlices.ts"
import { FairPermits, type QueuedCall, type RejectionReason } from "./FairPermits.ts"
import { type LimiterName, makeRejectionReporter } from "./rejection-reporter.ts"

/** A larger body waits for an event-loop slice before it is parsed. */
export const SMALL_BODY_BYTES = 16 * 1024

/**
 * Limits how many calls run statements and build responses at once. Operators share permits ({@link FairPermits}) and
 * the thread ({@link EventLoopSlices}) fairly.
 */
export class ConcurrencyLimiter extends Context.Service<
  ConcurrencyLimiter,
  {
    /**
     * Runs work with a permit of an operator. Fails with a ServerError before the work begins, if too many calls are
     * queued or this call has waited too long. `bytes` is the size of the unparsed input.
     */
    readonly withPermit: <A, E, R>(
      operatorId: number,
      work: Effect.Effect<A, E, R>,
      bytes?: number
    ) => Effect.Effect<A, E | ServerError, R>
    /** Returns the error that any call of this operator would get now. */
    readonly findRejection: (operatorId: number) => ServerError | undefined
  }
>()("latchkey/admission/concurrency/ConcurrencyLimiter") {
  static readonly layer = (
    permits: number = CONCURRENCY_PERMITS,
    of: "operators" | "console" = "operators"
  ): Layer.Layer<ConcurrencyLimiter> => Layer.effect(ConcurrencyLimiter, makeLimiter(permits, of))

  static readonly layerUnbounded: Layer.Layer<ConcurrencyLimiter> = Layer.succeed(ConcurrencyLimiter, {
    withPermit: (_, work) => work,
    findRejection: () => undefined
  })
}

const makeLimiter = Effect.fnUntraced(function* (permits: number, of: LimiterName) {
  const deadline = yield* makeDeadline(PERMIT_WAIT_MS)
  const clock = yield* Clock.Clock
  const now = () => Number(clock.currentTimeNanosUnsafe()) / 1e6
  const fairPermits = new FairPermits(permits, QUEUED_CALLS_MAX, QUEUED_BYTES, now)
  const slices = new EventLoopSlices()
  const recordRejection = yield* makeRejectionReporter(of)
  const reject = (operator: number, bytes: number) => {
    const reason = fairPermits.findRejection(operator, bytes)
    if (reason === undefined) return undefined
    recordRejection(reason)
    return REJECTION_ERRORS[reason]
  }
  const queueContext: QueueContext = { fairPermits, deadline, reject, now, ...makeQueueMetrics(of) }
  yield* registerGauge(permitsLimit.withLabels({ of }), () => permits)
  yield* registerGauge(permitsUsed.withLabels({ of }), () => permits - fairPermits.freeCount)
  yield* registerGauge(queuedCalls.withLabels({ of }), () => fairPermits.queuedCount)
  return ConcurrencyLimiter.of({
    findRejection: (operatorId) =>
      fairPermits.freeCount > 0 && fairPermits.countQueued(operatorId) === 0 ? undefined : reject(operatorId, 0),
    withPermit: (operatorId, work, bytes = 0) =>
      Effect.uninterruptibleMask((restore) => {
        const holder = new PermitHolder(queueContext, operatorId, bytes)
        const slice = awaitSlice(slices, operatorId)
        const task = withPermitContext(holder, slice, bytes > SMALL_BODY_BYTES ? Effect.andThen(slice, work) : work)
        return Effect.andThen(
          holder.acquire(restore),
          Effect.onExit(restore(task), () => holder.release)
        )
      })
  })
})

const makeQueueMetrics = (of: string) => ({
  duration: permitWaitDuration.withLabels({ of }),
  tooLong: permitRejections.withLabels({ of, why: "too_long" })
})

/** Anonymous calls have permits of their own, so that they take none from operators. */
export class AnonymousLimiter extends Context.Service<AnonymousLimiter, ConcurrencyLimiter["Service"]>()(
  "latchkey/admission/concurrency/AnonymousLimiter"
) {
  static readonly layer = Layer.effect(AnonymousLimiter, makeLimiter(ANONYMOUS_PERMITS, "strangers"))
}

const withPermitContext = <A, E, R>(
  holder: PermitHolder,
  slice: Effect.Effect<void>,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.updateContext(work, (context: Context.Context<R>) =>
    Context.add(Context.add(context, BeforeDecoding, slice), PermitRelease, makeReleaseWhile(holder))
  )

const awaitSlice = (slices: EventLoopSlices, operator: number): Effect.Effect<void> =>
  Effect.suspend(() =>
    slices.tryBegin()
      ? Effect.void
      : Effect.callback<void>((resume) => {
          const leaveQueue = slices.enqueue(operator, () => resume(Effect.void))
          return Effect.sync(leaveQueue)
        })
  )

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Releases each permit that it acquired exactly once. */
class PermitHolder {
  #isHeld = false
  #acquiredAt = 0
  /** A call that has begun is never rejected. */
  #hasBegun = false
  readonly #queueContext: QueueContext
  readonly #call: Omit<QueuedCall, "onPermit">

  constructor(queueContext: QueueContext, operator: number, bytes: number) {
    this.#queueContext = queueContext
    this.#call = { operator, bytes }
  }

  get isHeld(): boolean {
    return this.#isHeld
  }

  /** If it fails or is interrupted, no permit is held. */
  acquire(restore: Restore): Effect.Effect<void, ServerError> {
    return Effect.suspend(() => {
      const recordHeld = () => {
        this.#isHeld = this.#hasBegun = true
        this.#acquiredAt = this.#queueContext.now()
      }
      const { operator, bytes } = this.#call
      if (!this.#queueContext.fairPermits.tryAcquire(operator)) {
        const error = this.#hasBegun ? undefined : this.#queueContext.reject(operator, bytes)
        return error === undefined
          ? Effect.map(waitForPermit(this.#queueContext, this.#call, restore), recordHeld)
          : Effect.fail(error)
      }
      recordHeld()
      return Effect.void
    })
  }

  readonly release: Effect.Effect<void> = Effect.sync(() => {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#queueContext.fairPermits.release(this.#call.operator, this.#queueContext.now() - this.#acquiredAt)
  })
}

/** Does not acquire the permit again after an interruption or defect, because the work ends then. */
const makeReleaseWhile =
  (holder: PermitHolder): PermitRelease =>
  (effect) =>
    Effect.uninterruptibleMask((restore) => {
      if (!holder.isHeld) return restore(effect)
      return Effect.andThen(holder.release, Effect.exit(restore(effect))).pipe(
        Effect.flatMap((exit) =>
          Exit.isFailure(exit) && !Cause.hasFails(exit.cause) ? exit : Effect.andThen(holder.acquire(restore), exit)
        )
      )
    })

interface QueueContext extends ReturnType<typeof makeQueueMetrics> {
  readonly fairPermits: FairPermits
  readonly deadline: Deadline
  readonly reject: (operator: number, bytes: number) => ServerError | undefined
  readonly now: () => number
}

/**
 * Only `state` decides the outcome. So a permit that arrives at the moment of a timeout or an interruption is not lost.
 */
const waitForPermit = (
  { fairPermits, deadline, ...metrics }: QueueContext,
  { operator, bytes }: Omit<QueuedCall, "onPermit">,
  restore: Restore
): Effect.Effect<void, ServerError> =>
  Effect.withFiber((fiber) => {
    const queuedAt = performance.now()
    let state: "queued" | "granted" | "expired" = "queued"
    const hasLeftQueue = Deferred.makeUnsafe<void>()
    const leaveQueue = (newState: "granted" | "expired") => {
      state = newState
      Deferred.doneUnsafe(hasLeftQueue, Effect.void)
    }
    const call: QueuedCall = { operator, bytes, onPermit: () => leaveQueue("granted") }
    fairPermits.enqueue(call)
    const expire = () => {
      if (state !== "queued") return
      fairPermits.removeQueued(call)
      leaveQueue("expired")
    }
    return Effect.flatMap(deadline.begin(expire), (wait) =>
      restore(Deferred.await(hasLeftQueue)).pipe(
        Effect.onInterrupt(() =>
          Effect.sync(() => (state === "granted" ? fairPermits.release(operator) : fairPermits.removeQueued(call)))
        ),
        Effect.ensuring(
          Effect.sync(() => {
            deadline.end(wait)
            updateSeries(fiber, metrics.duration, (performance.now() - queuedAt) / 1000)
          })
        ),
        // Yields to the call that released the permit. Otherwise calls that never wait would run nested, each inside
        // the release of the one before.
        Effect.flatMap(() =>
          state === "granted" ? Effect.yieldNow : Effect.andThen(incrementCounter(metrics.tooLong), failWaitedTooLong)
        )
      )
    )
  })

const overloadError = (message: string) => new ServerError({ message, retryAfter: BUSY_RETRY_SECONDS, notBegun: true })

const REJECTION_ERRORS: Readonly<Record<RejectionReason, ServerError>> = {
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

/** The work of a rejected call did not begin, so it counts in no rate-limit window. */
export const isPermitRejection = (error: unknown): boolean => error instanceof ServerError && error.notBegun === true
