import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type ClaimRequest, toBusyCounts } from "../../../jobs/fair-queue.ts"
import { computeLeaseEnd } from "../../../jobs/lease.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { makeRowsReader } from "../../../platform/database/rows.ts"
import { retryOnLockConflict } from "../../../platform/database/statement-retry.ts"
import { OrderStatus } from "../../bookings/orders/order.ts"
import { type ActiveRule, listActiveRules } from "../rules/store.ts"
import { type MarkStayPageParameters, markStayPageSql } from "./changed-rule-marks.ts"
import { type PostponeStayParameters, postponeStaySql, type SavePlansParameters, settlingLooked } from "./settling.ts"
import { takingDue } from "./taking.ts"

/** Milliseconds a planner has stays to itself: working out a batch and writing it down fit into it. */
export const PLANNING_LEASE_MS = 30_000

/** A stay that was taken, with all that its plans are worked out from. */
export const TakenStay = Schema.Struct({
  operator_id: Schema.Int,
  stay_id: Schema.Int,
  /** How often it was taken, this time included: no other planner has it with the same number. */
  attempts: Schema.Int,
  /** Failures in a row before this one. */
  failures: Schema.Int,
  /** The trace of the change it was marked for. */
  traceparent: Schema.NullOr(Schema.String),
  account_id: Schema.Int,
  status: OrderStatus,
  property_id: Schema.NullOr(Schema.Int),
  channel_type: Schema.String,
  check_in_date: Schema.String,
  check_out_date: Schema.String,
  booked_at: Schema.Date,
  check_in_time: Schema.String,
  check_out_time: Schema.String,
  time_zone: Schema.String,
  is_last: Schema.Boolean
})
export type TakenStay = typeof TakenStay.Type

const readTaken = makeRowsReader(TakenStay)
const MarkedOperator = Schema.Struct({ operator_id: Schema.Int })
type MarkedOperator = typeof MarkedOperator.Type
const readMarkedOperators = makeRowsReader(MarkedOperator)

const makePlanningQueue = Effect.map(SqlClient.SqlClient, (sql) => {
  const take = inForms(sql, (taking: Givens<ClaimRequest>) => takingDue(sql, taking))
  const savePlans = inForms(sql, (parameters: Givens<SavePlansParameters>) => settlingLooked(sql, parameters))
  const postpone = inForms(sql, (parameters: Givens<PostponeStayParameters>) => postponeStaySql(sql, parameters))
  const markStayPage = inForms(sql, (page: Givens<MarkStayPageParameters>) => markStayPageSql(sql, page))
  return {
    take: (now: Date, maxJobs: number) =>
      readTaken(take({ now, leaseEnd: computeLeaseEnd(now, PLANNING_LEASE_MS), maxJobs, ...toBusyCounts([]) })),
    listActiveRules: listActiveRules(sql),
    savePlans: ({ stays, plans, takenAt, now }: Omit<SavePlansParameters, "leaseEnd"> & { readonly takenAt: Date }) =>
      Effect.orDie(
        retryOnLockConflict(savePlans({ stays, plans, leaseEnd: computeLeaseEnd(takenAt, PLANNING_LEASE_MS), now }))
      ),
    postpone: ({ operator_id, stay_id, attempts }: TakenStay, nextTry: Date) =>
      Effect.orDie(postpone({ operator_id, stay_id, attempts, nextTry })),
    markStaysOfChangedRules: (afterOperatorId: number, now: Date) =>
      readMarkedOperators(retryOnLockConflict(markStayPage({ afterOperatorId, now })))
  }
})

/**
 * Stays whose plans are to be worked out, in the database, for any planner of any process. A mark is timed work
 * (jobs/timed-work.ts) that is gone once nothing follows of its stay; what a dead planner had is taken again when its lease
 * ends. While one is looked at, it may be marked anew: then it stays due.
 */
export class PlanningQueue extends Context.Service<
  PlanningQueue,
  {
    /** Takes up to `maxJobs` due stays, of operators in turn. */
    readonly take: (now: Date, maxJobs: number) => Effect.Effect<ReadonlyArray<TakenStay>>
    /** Returns the active rules of operators that act on stays. */
    readonly listActiveRules: (operatorIds: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<ActiveRule>>
    /** Saves the plans of stays that were taken at `takenAt`. */
    readonly savePlans: (
      planned: Omit<SavePlansParameters, "leaseEnd"> & { readonly takenAt: Date }
    ) => Effect.Effect<void>
    /** Tries a stay again at `nextTry`, after its plans could not be worked out. */
    readonly postpone: (stay: TakenStay, nextTry: Date) => Effect.Effect<void>
    /** Marks one page of stays for each operator after `afterOperatorId` whose rules changed. Returns these operators. */
    readonly markStaysOfChangedRules: (
      afterOperatorId: number,
      now: Date
    ) => Effect.Effect<ReadonlyArray<MarkedOperator>>
  }
>()("latchkey/domain/automation/planning/PlanningQueue") {
  static readonly layer = Layer.effect(PlanningQueue, makePlanningQueue)
}
