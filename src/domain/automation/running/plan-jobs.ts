import { DateTime, Effect, Layer } from "effect"
import { CurrentActor, systemActor } from "../../../contract/actor.ts"
import { fairBacklogSql } from "../../../jobs/fair-queue.ts"
import { type AttemptEnd, defineJobs, startJobs } from "../../../jobs/job-runner.ts"
import { RETENTION_INTERVAL_MS } from "../../../jobs/retention.ts"
import type { Backoff } from "../../../jobs/retries.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { repeatPeriodically } from "../../../jobs/WorkSchedule.ts"
import { PublicUrl } from "../../../platform/installation.ts"
import { annotateSpan, recordFailure } from "../../../platform/telemetry/spans.ts"
import { parseTraceparent } from "../../../platform/telemetry/traceparent.ts"
import type { ChannelApiError } from "../../channels/port/channel-api-errors.ts"
import { HostReviews } from "../../guests/reviews/HostReviews.ts"
import { applyPlanRetention } from "../retention.ts"
import { makeRunAction } from "./action-runner.ts"
import { PlanQueue } from "./PlanQueue.ts"
import type { StayPlanContext } from "./plan-context.ts"
import { decidePlan, type PreparedAction, prepareAction } from "./plan-preparation.ts"
import { type ClaimedPlan, PLAN_TABLES, RUNNING_ROOM } from "./plan-statements.ts"

export const RUN_BACKOFF: Backoff = { firstMs: 5_000, longestMs: 15 * 60 * 1000, jitter: 0.25 }

type RunOutcome =
  | { readonly kind: "done" }
  /** The plan is no longer pending, was rescheduled or no longer applies. */
  | { readonly kind: "nothing" }
  /** The stay or the rule has changed since planning. The planner must plan the stay again. */
  | { readonly kind: "outdated"; readonly reason: string | null }
  | { readonly kind: "skipped"; readonly reason: string }
  | { readonly kind: "waits"; readonly reason: string }

/**
 * Skips an action that would fail again. The other errors may end: a channel becomes reachable, or an account is
 * connected again.
 */
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
    // Sending fails only while the conversation's queue is full.
    Effect.catch((error) =>
      Effect.succeed<RunOutcome>(
        action.kind === "message" ? { kind: "waits", reason: error.message } : toFailedOutcome(error)
      )
    )
  )

const runClaimedPlan = Effect.fnUntraced(function* ({ operator_id, id }: ClaimedPlan) {
  const plan = yield* Effect.flatMap(PlanQueue, (queue) => queue.findContext(operator_id, id))
  if (plan === undefined || plan.kind === "answer" || plan.kind === "task")
    return { kind: "nothing" } satisfies RunOutcome
  const now = yield* DateTime.nowAsDate
  const decision = decidePlan(plan, now)
  if (decision.kind === "outdated") return { kind: "outdated", reason: plan.reason } satisfies RunOutcome
  if (decision.kind === "late") return { kind: "skipped", reason: decision.reason } satisfies RunOutcome
  const action = prepareAction(plan, now, yield* PublicUrl)
  if (action._tag === "Success") return yield* executeAction(plan, action.success)
  const { subject, reason } = action.failure
  return (subject === "text" ? { kind: "skipped", reason } : { kind: "waits", reason }) satisfies RunOutcome
})

/** For `done`, the action itself has stored the outcome. */
const completePlan = Effect.fnUntraced(function* (
  claimedPlan: ClaimedPlan,
  outcome: RunOutcome,
  { now, nextAttempt }: AttemptEnd
) {
  const queue = yield* PlanQueue
  yield* annotateSpan("latchkey.outcome", outcome.kind)
  switch (outcome.kind) {
    case "done":
      return yield* (yield* WakeUp).wake
    case "nothing":
      return
    case "outdated":
      yield* queue.markStayForPlanning(claimedPlan, now)
      yield* queue.postpone(claimedPlan, outcome.reason, nextAttempt())
      return yield* (yield* WakeUp).wake
    case "skipped": {
      if ((yield* queue.skip(claimedPlan, outcome.reason, now)) === undefined) return
      yield* recordFailure(outcome.kind, { "latchkey.outcome": outcome.kind })
      const { operator_id, id, kind } = claimedPlan
      const annotate = Effect.annotateLogs({ operator_id, plan_id: id, kind })
      return yield* annotate(Effect.logWarning("an automation action was skipped", outcome.reason))
    }
    case "waits":
      yield* recordFailure(outcome.kind, { "latchkey.outcome": outcome.kind })
      return yield* queue.postpone(claimedPlan, outcome.reason, nextAttempt())
  }
})

/** An older plan gets its own trace. Most plans wait for weeks, too long for one trace. */
const SAME_TRACE_MAX_AGE_MS = 60 * 60 * 1000

const toRootSpan = ({ kind, id, traceparent, created_at }: ClaimedPlan, now: Date) => {
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

const RUN_POLL_GAP_MS = 250

const asWorker = Effect.provideService(CurrentActor, systemActor("automation", "run plan"))

export const planJobs = defineJobs({
  name: "running automation actions",
  maxInProgress: RUNNING_ROOM,
  backoff: RUN_BACKOFF,
  queue: PlanQueue,
  attempt: (plan: ClaimedPlan) => asWorker(Effect.map(runClaimedPlan(plan), (outcome): RunOutcome => outcome)),
  onDefect: (cause) =>
    Effect.as(Effect.logError("an automation action failed with a defect", cause), {
      kind: "waits" as const,
      reason: "the service failed"
    }),
  complete: (plan, outcome, end) => asWorker(completePlan(plan, outcome, end)),
  toRootSpan,
  notStoredMessage: "the outcome of an automation action could not be saved",
  wakeUpLoop: { name: "waking the automation worker", gapMs: RUN_POLL_GAP_MS },
  backlog: [
    { kind: "planned_messages", statement: (sql, time) => fairBacklogSql(sql, PLAN_TABLES.send_message, time) },
    { kind: "planned_reviews", statement: (sql, time) => fairBacklogSql(sql, PLAN_TABLES.review, time) }
  ]
})

/**
 * The database must make commits durable. A message is sent after the commit that completes its plan, so a lost commit
 * would send it twice.
 */
export const layerPlanJobs = Layer.merge(
  Layer.effectDiscard(startJobs(planJobs)),
  Layer.effectDiscard(repeatPeriodically("retention of plans", RETENTION_INTERVAL_MS, applyPlanRetention))
).pipe(Layer.provide([PlanQueue.layer, HostReviews.layer]))
