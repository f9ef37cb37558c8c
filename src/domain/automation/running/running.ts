import { Cause, DateTime, Effect, Layer, Random } from "effect"
import { Acting, byItself } from "../../../contract/acting.ts"
import { periodically } from "../../../jobs/loop.ts"
import { RETENTION_MS } from "../../../jobs/retention.ts"
import { type Backoff, pauseOf } from "../../../jobs/retries.ts"
import { attemptOnce, makeTimedWork } from "../../../jobs/timed-work.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { workWhenWoken } from "../../../jobs/woken-work.ts"
import { PublicUrl } from "../../../platform/installation.ts"
import { asRoot, record, recordFailure } from "../../../platform/telemetry/spans.ts"
import { spanNamed } from "../../../platform/telemetry/traceparent.ts"
import type { RefusedByChannel } from "../../channels/port/api-errors.ts"
import { HostReviews } from "../../guests/reviews/HostReviews.ts"
import { retain } from "../retention.ts"
import { doIt } from "./doing.ts"
import type { PlanGround } from "./ground.ts"
import { type Doing, doingOf, fateOf } from "./judging.ts"
import { PlanQueue } from "./PlanQueue.ts"
import { RUNNING_ROOM, type TakenPlan } from "./taking.ts"

/** Of what cannot be done yet: 5 s, doubling up to 15 min, each a quarter shorter or longer. */
export const RUN_BACKOFF: Backoff = { firstMs: 5_000, longestMs: 15 * 60 * 1000, jitter: 0.25 }

/** What became of an attempt. */
type Ended =
  | { readonly end: "done" }
  /** It is another's by now, or settled. */
  | { readonly end: "nothing" }
  /** Its stay is not what it was planned by: planned anew, it may go, move or stay as it is. */
  | { readonly end: "outdated"; readonly reason: string | null }
  | { readonly end: "skipped"; readonly reason: string }
  /** It may be possible later. */
  | { readonly end: "waits"; readonly reason: string }

/** What no repetition would change is over: of a channel that is away, or an account that is disconnected, it may. */
const endedBy = ({ _tag, message }: RefusedByChannel | { readonly _tag: string; readonly message: string }): Ended =>
  _tag === "NotFound" || _tag === "ValidationFailed" || _tag === "NotImplemented" || _tag === "Conflict"
    ? { end: "skipped", reason: message }
    : { end: "waits", reason: message }

const did = (plan: PlanGround, doing: Doing) =>
  Effect.gen(function* () {
    const run = doIt(yield* PlanQueue, yield* HostReviews)
    const ended: Ended = (yield* run(plan, doing)) === undefined ? { end: "nothing" } : { end: "done" }
    return ended
  }).pipe(
    // A lane that is full has room again.
    Effect.catch((error) =>
      Effect.succeed<Ended>(doing.does === "message" ? { end: "waits", reason: error.message } : endedBy(error))
    )
  )

const ranOf = Effect.fnUntraced(function* ({ operator_id, id }: TakenPlan) {
  const plan = yield* Effect.flatMap(PlanQueue, (queue) => queue.ground(operator_id, id))
  if (plan === undefined || plan.kind === "answer") return { end: "nothing" } satisfies Ended
  const now = yield* DateTime.nowAsDate
  const fate = fateOf(plan, now)
  if (fate.is === "outdated") return { end: "outdated", reason: plan.reason } satisfies Ended
  if (fate.is === "late") return { end: "skipped", reason: fate.reason } satisfies Ended
  const doing = doingOf(plan, now, yield* PublicUrl)
  if (doing._tag === "Success") return yield* did(plan, doing.success)
  const { of, reason } = doing.failure
  return (of === "text" ? { end: "skipped", reason } : { end: "waits", reason }) satisfies Ended
})

/** One attempt. What breaks is tried again as what is away: it holds up nothing else. */
const attemptOf = (taken: TakenPlan) =>
  Effect.catchCauseIf(
    Effect.map(ranOf(taken), (ended): Ended => ended),
    (cause) => !Cause.hasInterruptsOnly(cause),
    (cause) =>
      Effect.as(Effect.logError("an automation action failed with a defect", cause), {
        end: "waits",
        reason: "the service failed"
      } satisfies Ended)
  )

/** It is tried again, ever later. */
const putOff = Effect.fnUntraced(function* (taken: TakenPlan, reason: string | null, now: Date) {
  const pause = pauseOf(RUN_BACKOFF, taken.failures + 1, yield* Random.next)
  yield* (yield* PlanQueue).putOff(taken, reason, new Date(now.getTime() + pause))
})

/** Writes down what became of it, but for what was done: that is written down with the doing. */
const settle = Effect.fnUntraced(function* (taken: TakenPlan, ended: Ended) {
  const queue = yield* PlanQueue
  const now = yield* DateTime.nowAsDate
  yield* record("latchkey.outcome", ended.end)
  switch (ended.end) {
    case "done":
      return yield* (yield* WakeUp).wake
    case "nothing":
      return
    case "outdated":
      yield* queue.markStay(taken, now)
      yield* putOff(taken, ended.reason, now)
      return yield* (yield* WakeUp).wake
    case "skipped": {
      if ((yield* queue.skip(taken, ended.reason, now)) === undefined) return
      yield* recordFailure(ended.end, { "latchkey.outcome": ended.end })
      const { operator_id, id, kind } = taken
      const say = Effect.annotateLogs({ operator_id, plan_id: id, kind })
      return yield* say(Effect.logWarning("an automation action was skipped", ended.reason))
    }
    case "waits":
      yield* recordFailure(ended.end, { "latchkey.outcome": ended.end })
      return yield* putOff(taken, ended.reason, now)
  }
})

/** Milliseconds after it was planned that a plan is still part of the trace it was planned in: most wait for weeks. */
export const SAME_TRACE_MS = 60 * 60 * 1000

/** What is done much later is a trace of its own, which names the one it comes of. */
const rootOf = ({ kind, id, traceparent, created_at }: TakenPlan, now: Date) => {
  const planned = spanNamed(traceparent)
  return {
    name: "automate",
    kind: "consumer" as const,
    attributes: () => ({ "latchkey.plan": id, "latchkey.kind": kind }),
    ...(now.getTime() - created_at.getTime() <= SAME_TRACE_MS ? { parent: planned } : { cause: planned })
  }
}

/** Makes one attempt of a plan that was taken, and writes down how it ended. */
export const runPlan = (taken: TakenPlan) =>
  attemptOnce({
    attempt: attemptOf(taken),
    settle: (ended) => settle(taken, ended),
    handBack: Effect.flatMap(PlanQueue, (queue) =>
      Effect.flatMap(DateTime.nowAsDate, (now) => queue.handBack(taken, now))
    )
  }).pipe(
    Effect.provideService(Acting, byItself("automation", "run plan")),
    (tried) => Effect.flatMap(DateTime.nowAsDate, (now) => asRoot(rootOf(taken, now), tried)),
    Effect.catchCause((cause) => Effect.logWarning("the outcome of an automation action could not be saved", cause))
  )

/** What takes plans that are due and runs them. */
export const makeRunning = Effect.flatMap(PlanQueue, (queue) =>
  makeTimedWork({ what: "running automation actions", room: RUNNING_ROOM, take: queue.take, run: runPlan })
)

/** Milliseconds between two looks for something to do, however often changes wake the worker. */
export const RUN_GAP_MS = 250

/**
 * Does what rules say until the scope closes, in any number of processes on one database. What a guest is told is on the disk before it
 * goes out: to be provided with a database whose commits wait for that.
 */
export const layerRunning = Layer.merge(
  Layer.effectDiscard(
    Effect.flatMap(makeRunning, (running) => workWhenWoken("waking the automation worker", running, RUN_GAP_MS))
  ),
  Layer.effectDiscard(periodically("retention of plans", RETENTION_MS, retain))
).pipe(Layer.provide([PlanQueue.layer, HostReviews.layer]))
