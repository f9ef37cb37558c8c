import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { busyWith, type Taking } from "../../../jobs/in-turn.ts"
import { leaseEnd } from "../../../jobs/lease.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { patiently } from "../../../platform/database/patience.ts"
import { rowsOf } from "../../../platform/database/rows.ts"
import { Status } from "../../bookings/orders/order.ts"
import { activeRules } from "../rules/store.ts"
import { type MarkingPage, markingPage } from "./marking.ts"
import { type Looked, type Put, puttingOff, settlingLooked } from "./settling.ts"
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
  status: Status,
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

const readTaken = rowsOf(TakenStay)
const readMarked = rowsOf(Schema.Struct({ operator_id: Schema.Int }))

/**
 * Stays whose plans are to be worked out, in the database, for any planner of any process. A mark is timed work
 * (jobs/timed-work.ts) that is gone once nothing follows of its stay; what a dead planner had is taken again when its lease
 * ends. While one is looked at, it may be marked anew: then it stays due.
 */
export class StayMarks extends Context.Service<StayMarks>()("latchkey/resources/StayMarks", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const take = inForms(sql, (taking: Givens<Taking>) => takingDue(sql, taking))
    const looked = inForms(sql, (given: Givens<Looked>) => settlingLooked(sql, given))
    const putOff = inForms(sql, (given: Givens<Put>) => puttingOff(sql, given))
    const mark = inForms(sql, (page: Givens<MarkingPage>) => markingPage(sql, page))
    return {
      /** Takes up to `most` due stays, of operators in turn. */
      take: (now: Date, most: number) =>
        readTaken(take({ now, leaseEnd: leaseEnd(now, PLANNING_LEASE_MS), most, ...busyWith([]) })),

      /** The rules of operators that do something of stays, and are active. */
      rules: activeRules(sql),

      /** Writes down what was worked out of stays that were taken at `takenAt`. */
      looked: ({ stays, plans, takenAt, now }: Omit<Looked, "leaseEnd"> & { readonly takenAt: Date }) =>
        Effect.orDie(patiently(looked({ stays, plans, leaseEnd: leaseEnd(takenAt, PLANNING_LEASE_MS), now }))),

      /** It could not be worked out, and is tried again then. */
      failed: ({ operator_id, stay_id, attempts }: TakenStay, nextTry: Date) =>
        Effect.orDie(putOff({ operator_id, stay_id, attempts, nextTry })),

      /** Marks a page of the stays of rules that were changed, of operators after that one; of each one page. */
      mark: (after: number, now: Date) => readMarked(patiently(mark({ after, now })))
    }
  })
}) {
  static readonly layer = Layer.effect(StayMarks, StayMarks.make)
}
