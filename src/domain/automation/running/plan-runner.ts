import { Cause, DateTime, Effect, Layer, Random } from "effect"
import { CurrentActor, systemActor } from "../../../contract/actor.ts"
import { repeatPeriodically } from "../../../jobs/loop.ts"
import { RETENTION_INTERVAL_MS } from "../../../jobs/retention.ts"
import { type Backoff, backoffMs } from "../../../jobs/retries.ts"
import { attemptOnce, makeTimedWorker } from "../../../jobs/timed-work.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { runWorkerWhenWoken } from "../../../jobs/woken-worker.ts"
import { PublicUrl } from "../../../platform/installation.ts"
import { annotateSpan, recordFailure, withRootSpan } from "../../../platform/telemetry/spans.ts"
import { parseTraceparent } from "../../../platform/telemetry/traceparent.ts"
import type { ChannelApiError } from "../../channels/port/channel-api-errors.ts"
import { HostReviews } from "../../guests/reviews/HostReviews.ts"
import { applyPlanRetention } from "../retention.ts"
import { makeRunAction } from "./action-runner.ts"
import { PlanQueue } from "./PlanQueue.ts"
import type { StayPlanContext } from "./plan-context.ts"
import { decidePlan, type PreparedAction, prepareAction } from "./plan-preparation.ts"
import { RUNNING_ROOM, type TakenPlan } from "./taking.ts"

/** Of what cannot be done yet: 5 s, doubling up to 15 min, each a quarter shorter or longer. */
export const RUN_BACKOFF: Backoff = { firstMs: 5_000, longestMs: 15 * 60 * 1000, jitter: 0.25 }

/** What became of an attempt. */
type RunOutcome =
  | { readonly kind: "done" }
  /** It is another's by now, or settled. */
  | { readonly kind: "nothing" }
  /** Its stay is not what it was planned by: planned anew, it may go, move or stay as it is. */
  | { readonly kind: "outdated"; readonly reason: string | null }
  | { readonly kind: "skipped"; readonly reason: string }
  /** It may be possible later. */
  | { readonly kind: "waits"; readonly reason: string }

/** What no repetition would change is over: of a channel that is away, or an account that is disconnected, it may. */
const toFailedOutcome = ({
  _tag,
  message
}: ChannelApiError | { readonly _tag: string; readonly message: string }): RunOutcome =>
  _tag === "NotFound" || _tag === "ValidationFailed" || _tag === "NotImplemented" || _tag === "Conflict"
    ? { kind: "skipped", reason: message }
    : { kind: "waits", reason: message }

const executeAction = (plan: StayPlanContext, action: PreparedAction) =>
  Effect.gen(function* () {
    const run = makeRunAction(yield* PlanQueue, yield* HostReviews)
    const outcome: RunOutcome = (yield* run(plan, action)) === undefined ? { kind: "nothing" } : { kind: "done" }
    return outcome
  }).pipe(
    // A lane that is full has room again.
    Effect.catch((error) =>
      Effect.succeed<RunOutcome>(
        action.kind === "message" ? { kind: "waits", reason: error.message } : toFailedOutcome(error)
      )
    )
  )

const runClaimedPlan = Effect.fnUntraced(function* ({ operator_id, id }: TakenPlan) {
  const plan = yield* Effect.flatMap(PlanQueue, (queue) => queue.findContext(operator_id, id))
  if (plan === undefined || plan.kind === "answer") return { kind: "nothing" } satisfies RunOutcome
  const now = yield* DateTime.nowAsDate
  const decision = decidePlan(plan, now)
  if (decision.kind === "outdated") return { kind: "outdated", reason: plan.reason } satisfies RunOutcome
  if (decision.kind === "late") return { kind: "skipped", reason: decision.reason } satisfies RunOutcome
  const action = prepareAction(plan, now, yield* PublicUrl)
  if (action._tag === "Success") return yield* executeAction(plan, action.success)
  const { subject, reason } = action.failure
  return (subject === "text" ? { kind: "skipped", reason } : { kind: "waits", reason }) satisfies RunOutcome
})

/** One attempt. What breaks is tried again as what is away: it holds up nothing else. */
const attemptPlan = (taken: TakenPlan) =>
  Effect.catchCauseIf(
    Effect.map(runClaimedPlan(taken), (outcome): RunOutcome => outcome),
    (cause) => !Cause.hasInterruptsOnly(cause),
    (cause) =>
      Effect.as(Effect.logError("an automation action failed with a defect", cause), {
        kind: "waits",
        reason: "the service failed"
      } satisfies RunOutcome)
  )

/** It is tried again, ever later. */
const postpone = Effect.fnUntraced(function* (taken: TakenPlan, reason: string | null, now: Date) {
  const pause = backoffMs(RUN_BACKOFF, taken.failures + 1, yield* Random.next)
  yield* (yield* PlanQueue).postpone(taken, reason, new Date(now.getTime() + pause))
})

/** Writes down what became of it, but for what was done: that is written down with the doing. */
const recordOutcome = Effect.fnUntraced(function* (taken: TakenPlan, outcome: RunOutcome) {
  const queue = yield* PlanQueue
  const now = yield* DateTime.nowAsDate
  yield* annotateSpan("latchkey.outcome", outcome.kind)
  switch (outcome.kind) {
    case "done":
      return yield* (yield* WakeUp).wake
    case "nothing":
      return
    case "outdated":
      yield* queue.markStayForPlanning(taken, now)
      yield* postpone(taken, outcome.reason, now)
      return yield* (yield* WakeUp).wake
    case "skipped": {
      if ((yield* queue.skip(taken, outcome.reason, now)) === undefined) return
      yield* recordFailure(outcome.kind, { "latchkey.outcome": outcome.kind })
      const { operator_id, id, kind } = taken
      const annotate = Effect.annotateLogs({ operator_id, plan_id: id, kind })
      return yield* annotate(Effect.logWarning("an automation action was skipped", outcome.reason))
    }
    case "waits":
      yield* recordFailure(outcome.kind, { "latchkey.outcome": outcome.kind })
      return yield* postpone(taken, outcome.reason, now)
  }
})

/** Milliseconds after it was planned that a plan is still part of the trace it was planned in: most wait for weeks. */
const SAME_TRACE_MAX_AGE_MS = 60 * 60 * 1000

/** What is done much later is a trace of its own, which names the one it comes of. */
const toRootSpan = ({ kind, id, traceparent, created_at }: TakenPlan, now: Date) => {
  const plannedSpan = parseTraceparent(traceparent)
  return {
    name: "automate",
    kind: "consumer" as const,
    attributes: () => ({ "latchkey.plan": id, "latchkey.kind": kind }),
    ...(now.getTime() - created_at.getTime() <= SAME_TRACE_MAX_AGE_MS
      ? { parent: plannedSpan }
      : { cause: plannedSpan })
  }
}

/** Makes one attempt of a plan that was taken, and writes down how it ended. */
export const runPlan = (taken: TakenPlan) =>
  attemptOnce({
    attempt: attemptPlan(taken),
    complete: (outcome) => recordOutcome(taken, outcome),
    release: Effect.flatMap(PlanQueue, (queue) =>
      Effect.flatMap(DateTime.nowAsDate, (now) => queue.release(taken, now))
    )
  }).pipe(
    Effect.provideService(CurrentActor, systemActor("automation", "run plan")),
    (attempt) => Effect.flatMap(DateTime.nowAsDate, (now) => withRootSpan(toRootSpan(taken, now), attempt)),
    Effect.catchCause((cause) => Effect.logWarning("the outcome of an automation action could not be saved", cause))
  )

/** What takes plans that are due and runs them. */
export const makePlanRunner = Effect.flatMap(PlanQueue, (queue) =>
  makeTimedWorker({ name: "running automation actions", maxInProgress: RUNNING_ROOM, claim: queue.take, run: runPlan })
)

/** Milliseconds between two looks for something to do, however often changes wake the worker. */
const RUN_POLL_GAP_MS = 250

/**
 * Does what rules say until the scope closes, in any number of processes on one database. What a guest is told is on the disk before it
 * goes out: to be provided with a database whose commits wait for that.
 */
export const layerPlanRunner = Layer.merge(
  Layer.effectDiscard(
    Effect.flatMap(makePlanRunner, (runner) =>
      runWorkerWhenWoken("waking the automation worker", runner, RUN_POLL_GAP_MS)
    )
  ),
  Layer.effectDiscard(repeatPeriodically("retention of plans", RETENTION_INTERVAL_MS, applyPlanRetention))
).pipe(Layer.provide([PlanQueue.layer, HostReviews.layer]))
