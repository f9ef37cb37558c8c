import { Cause, DateTime, Effect, type Latch, Layer, Random } from "effect"
import { startOfDay } from "../../../contract/time.ts"
import { loop } from "../../../jobs/loop.ts"
import { POLL_GAP_MS, whenWoken } from "../../../jobs/polls.ts"
import { type Backoff, pauseOf } from "../../../jobs/retries.ts"
import { DUE_POLL_MS } from "../../../jobs/timed-work.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { PLANS_KEPT_MS } from "../../../platform/limits.ts"
import { instantAt } from "../rules/scheduling.ts"
import { type ActiveRule, plansOf } from "./plan-stay.ts"
import { StayMarks, type TakenStay } from "./StayMarks.ts"
import { PLANNING_ROOM } from "./taking.ts"

/** Of a stay whose plans could not be worked out: 5 s, doubling up to 15 min, each a quarter shorter or longer. */
export const PLANNING_BACKOFF: Backoff = { firstMs: 5_000, longestMs: 15 * 60 * 1000, jitter: 0.25 }

/**
 * What is settled of a stay is remembered until its time, and its guest, have been gone for a while. Of a stay that moves its time
 * is the one it would have now: forgotten before that, it would be done again.
 */
const keptUntil = ({ check_out_date, time_zone }: TakenStay, scheduledAt?: Date): Date =>
  instantAt(Math.max(startOfDay(check_out_date, time_zone).getTime(), scheduledAt?.getTime() ?? 0) + PLANS_KEPT_MS)

const workedOut = (
  taken: ReadonlyArray<TakenStay>,
  rules: ReadonlyMap<number, ReadonlyArray<ActiveRule>>,
  now: Date
) => {
  const all = taken.map((stay) => ({ stay, ...plansOf(rules.get(stay.operator_id) ?? [], stay, now) }))
  return {
    stays: all.map(({ stay, lookAgain, last }) => ({
      operator_id: stay.operator_id,
      stay_id: stay.stay_id,
      attempts: stay.attempts,
      account_id: stay.account_id,
      kept_until: keptUntil(stay, last),
      look_again: lookAgain ?? null
    })),
    plans: all.flatMap(({ stay, plans }) =>
      plans.map((plan) => ({
        operator_id: stay.operator_id,
        stay_id: stay.stay_id,
        kept_until: keptUntil(stay, plan.scheduled_at),
        traceparent: stay.traceparent,
        ...plan
      }))
    )
  }
}

/** Works out the plans of stays that were taken at `takenAt`, and writes them down. */
const plan = Effect.fnUntraced(function* (taken: ReadonlyArray<TakenStay>, takenAt: Date) {
  const marks = yield* StayMarks
  const rules = yield* marks.rules(Array.from(new Set(taken.map(({ operator_id }) => operator_id))))
  const now = yield* DateTime.nowAsDate
  const out = workedOut(
    taken,
    Map.groupBy(rules, ({ operator_id }) => operator_id),
    now
  )
  yield* marks.looked({ ...out, takenAt, now })
})

const putOff = Effect.fnUntraced(function* (stay: TakenStay) {
  const marks = yield* StayMarks
  const now = yield* DateTime.nowAsDate
  const pause = pauseOf(PLANNING_BACKOFF, stay.failures + 1, yield* Random.next)
  yield* marks.failed(stay, new Date(now.getTime() + pause))
})

/** Where one of several makes it fail, each is worked out by itself, and what cannot be holds up nothing else. */
const planAll = (taken: ReadonlyArray<TakenStay>, takenAt: Date): Effect.Effect<void, never, StayMarks> =>
  Effect.catchCauseIf(
    plan(taken, takenAt),
    (cause) => !Cause.hasInterruptsOnly(cause),
    (cause) =>
      taken.length > 1
        ? Effect.forEach(taken, (stay) => planAll([stay], takenAt), { discard: true })
        : Effect.andThen(
            Effect.logWarning("planning the automation of a stay failed and will be retried", cause),
            Effect.forEach(taken, putOff, { discard: true })
          )
  )

/** Marks a page of every operator with rules that were changed; answers whether there may be more. */
const markChanged = Effect.gen(function* () {
  const marks = yield* StayMarks
  let after = 0
  let any = false
  while (true) {
    const marked = yield* marks.mark(after, yield* DateTime.nowAsDate)
    const last = marked.at(-1)
    if (last === undefined) return any
    any = true
    after = last.operator_id
  }
})

/** Works out a batch of what is due; answers how many stays that were. */
export const planDue = Effect.gen(function* () {
  const marks = yield* StayMarks
  const takenAt = yield* DateTime.nowAsDate
  const taken = yield* marks.take(takenAt, PLANNING_ROOM)
  if (taken.length > 0) yield* planAll(taken, takenAt)
  return taken.length
})

/** One turn: a page of each operator's changed rules, and a batch of stays. True: there may be more. */
export const planOnce = Effect.gen(function* () {
  const marked = yield* markChanged
  const planned = yield* planDue
  return marked || planned > 0
})

/** Milliseconds between two looks for something to plan, however often changes wake the planner. */
export const PLAN_GAP_MS = 100

/** One turn and the wait for the next: where there may be more, others get at the database between the two. */
export const planningTurn = (woken: Latch.Latch): Effect.Effect<void, never, StayMarks> => {
  const turn = Effect.tap(planOnce, (more) => (more ? Effect.sleep(POLL_GAP_MS) : Effect.void))
  return whenWoken(woken, turn, DUE_POLL_MS, PLAN_GAP_MS)
}

/** Plans for as long as the process runs, in any number of processes on one database. */
export const layerPlanning = Layer.effectDiscard(
  Effect.gen(function* () {
    const woken = yield* Effect.flatMap(WakeUp, ({ latch }) => latch)
    yield* Effect.forkScoped(loop("planning automation", planningTurn(woken)))
  })
).pipe(Layer.provide(StayMarks.layer))
