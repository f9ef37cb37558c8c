import { Cause, DateTime, Effect, type Latch, Layer, Random } from "effect"
import { SqlClient } from "effect/sql"
import { startOfDay } from "../../../contract/time.ts"
import { fairBacklogSql } from "../../../jobs/fair-queue.ts"
import { DUE_POLL_MS } from "../../../jobs/job-worker.ts"
import { findNextDueJob } from "../../../jobs/next-due.ts"
import { POLL_GAP_MS, pollWhenWoken } from "../../../jobs/polling.ts"
import { type Backoff, backoffMs } from "../../../jobs/retries.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { scheduleWork } from "../../../jobs/WorkSchedule.ts"
import { PLAN_RETENTION_MS } from "../../../platform/limits.ts"
import { toStorableDate } from "../rules/scheduling.ts"
import { type ClaimedStay, PLANNING_ROOM, PlanningQueue, STAY_TABLE } from "./PlanningQueue.ts"
import { type ActiveRule, planStay } from "./stay-plans.ts"
import type { PlannedTask } from "./task-plans.ts"

export const PLANNING_BACKOFF: Backoff = { firstMs: 5_000, longestMs: 15 * 60 * 1000, jitter: 0.25 }

/** A plan that is no longer pending is kept until this time. Without its row, it would be created again. */
const computeKeptUntil = ({ check_out_date, time_zone }: ClaimedStay, scheduledAt?: Date): Date =>
  toStorableDate(
    Math.max(startOfDay(check_out_date, time_zone).getTime(), scheduledAt?.getTime() ?? 0) + PLAN_RETENTION_MS
  )

const computeStayPlans = (
  claimedStays: ReadonlyArray<ClaimedStay>,
  rules: ReadonlyMap<number, ReadonlyArray<ActiveRule>>,
  now: Date
) => {
  const stayPlans = claimedStays.map((stay) => ({ stay, ...planStay(rules.get(stay.operator_id) ?? [], stay, now) }))
  return {
    stays: stayPlans.map(({ stay, replanAt, latestAt }) => ({
      operator_id: stay.operator_id,
      stay_id: stay.stay_id,
      attempts: stay.attempts,
      account_id: stay.account_id,
      kept_until: computeKeptUntil(stay, latestAt),
      look_again: replanAt ?? null
    })),
    plans: stayPlans.flatMap(({ stay, plans }) =>
      plans.map((plan) => ({
        operator_id: stay.operator_id,
        stay_id: stay.stay_id,
        kept_until: computeKeptUntil(stay, plan.scheduled_at),
        traceparent: stay.traceparent,
        ...plan
      }))
    ),
    tasks: stayPlans.flatMap(({ stay, tasks }) => tasks.map((task) => toSavedTask(stay, task)))
  }
}

const toSavedTask = (stay: ClaimedStay, { rule_id, scheduled_at, existing, step }: PlannedTask) => ({
  operator_id: stay.operator_id,
  stay_id: stay.stay_id,
  rule_id,
  plan_id: existing?.plan_id ?? null,
  task_id: existing?.task_id ?? null,
  revision: existing?.revision ?? null,
  scheduled_at,
  kept_until: computeKeptUntil(stay, scheduled_at),
  traceparent: stay.traceparent,
  target: step.target,
  ...(step.kind === "create" ? { ...step.target, note: "" } : step.task)
})

const planStays = Effect.fnUntraced(function* (claimedStays: ReadonlyArray<ClaimedStay>, claimedAt: Date) {
  const queue = yield* PlanningQueue
  const rules = yield* queue.listActiveRules(Array.from(new Set(claimedStays.map(({ operator_id }) => operator_id))))
  const now = yield* DateTime.nowAsDate
  const computedPlans = computeStayPlans(
    claimedStays,
    Map.groupBy(rules, ({ operator_id }) => operator_id),
    now
  )
  yield* queue.savePlans({ ...computedPlans, claimedAt, now })
})

const postpone = Effect.fnUntraced(function* (stay: ClaimedStay) {
  const queue = yield* PlanningQueue
  const now = yield* DateTime.nowAsDate
  const pause = backoffMs(PLANNING_BACKOFF, stay.failures + 1, yield* Random.next)
  yield* queue.postpone(stay, new Date(now.getTime() + pause))
})

/** If the batch fails, plans each stay alone, so that one bad stay does not block the others. */
const planStaysIsolatingFailures = (
  claimedStays: ReadonlyArray<ClaimedStay>,
  claimedAt: Date
): Effect.Effect<void, never, PlanningQueue> =>
  Effect.catchCauseIf(
    planStays(claimedStays, claimedAt),
    (cause) => !Cause.hasInterruptsOnly(cause),
    (cause) =>
      claimedStays.length > 1
        ? Effect.forEach(claimedStays, (stay) => planStaysIsolatingFailures([stay], claimedAt), { discard: true })
        : Effect.andThen(
            Effect.logWarning("planning the automation of a stay failed and will be retried", cause),
            Effect.forEach(claimedStays, postpone, { discard: true })
          )
  )

const markStaysOfChangedRules = Effect.gen(function* () {
  const queue = yield* PlanningQueue
  let afterOperatorId = 0
  let hasMarked = false
  while (true) {
    const markedOperators = yield* queue.markStaysOfChangedRules(afterOperatorId, yield* DateTime.nowAsDate)
    const last = markedOperators.at(-1)
    if (last === undefined) return hasMarked
    hasMarked = true
    afterOperatorId = last.operator_id
  }
})

export const planDueStays = Effect.gen(function* () {
  const queue = yield* PlanningQueue
  const claimedAt = yield* DateTime.nowAsDate
  const claimedStays = yield* queue.claim(claimedAt, PLANNING_ROOM)
  if (claimedStays.length > 0) yield* planStaysIsolatingFailures(claimedStays, claimedAt)
  return claimedStays.length
})

/** Returns true if further stays may be due. */
export const planOnce = Effect.gen(function* () {
  const hasMarked = yield* markStaysOfChangedRules
  const plannedCount = yield* planDueStays
  return hasMarked || plannedCount > 0
})

export const PLANNING_POLL_GAP_MS = 100

/** Pauses after a cycle that had work, so that other work can use the database. */
export const runPlanningCycle = (wakeLatch: Latch.Latch): Effect.Effect<void, never, PlanningQueue> => {
  const cycle = Effect.tap(planOnce, (hasMore) => (hasMore ? Effect.sleep(POLL_GAP_MS) : Effect.void))
  return pollWhenWoken(wakeLatch, cycle, DUE_POLL_MS, PLANNING_POLL_GAP_MS)
}

export const planningBacklog = [
  {
    kind: "stays_to_plan" as const,
    statement: (sql: SqlClient.SqlClient, time: { readonly now: Date }) => fairBacklogSql(sql, STAY_TABLE, time)
  }
]

/** Rules whose stays are not all marked yet. They are due at once. */
const changedRules = {
  statement: (sql: SqlClient.SqlClient) => sql`
    SELECT count(*) AS due, CASE WHEN count(*) > 0 THEN to_timestamp(0) END AS oldest_at
    FROM automation_rules WHERE mark_before IS NOT NULL`
}

export const layerPlanner = Layer.effectDiscard(
  Effect.gen(function* () {
    const wakeLatch = yield* Effect.flatMap(WakeUp, ({ latch }) => latch)
    const sql = yield* SqlClient.SqlClient
    yield* scheduleWork({
      name: "planning automation",
      iteration: runPlanningCycle(wakeLatch),
      runDue: Effect.asVoid(Effect.repeat(planOnce, { while: (hasMore) => hasMore })),
      findNextDue: (until) => findNextDueJob(sql, [...planningBacklog, changedRules], until)
    })
  })
).pipe(Layer.provide(PlanningQueue.layer))
