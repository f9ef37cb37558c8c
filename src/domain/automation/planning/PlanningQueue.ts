import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { recordChange } from "../../../changes/recorded-change.ts"
import { CurrentActor, systemActor } from "../../../contract/actor.ts"
import { claimedJobFields, type JobTable, makeJobQueue } from "../../../jobs/job-queue.ts"
import { computeLeaseEnd } from "../../../jobs/lease.ts"
import { makeRowsReader } from "../../../platform/database/rows.ts"
import { retryOnLockConflict } from "../../../platform/database/statement-retry.ts"
import { OrderStatus } from "../../bookings/orders/order.ts"
import { responsibleStaffSql } from "../../work/staffs/assignment.ts"
import { LinkedRuleTask, ruleTasksJson } from "../../work/tasks/rule-task-statements.ts"
import { listActiveRules } from "../rules/store.ts"
import { isLastStayCondition } from "../template-facts.ts"
import { markStayPageSql } from "./changed-rule-marks.ts"
import { type SavePlansParameters, savePlansChange } from "./saved-plans.ts"

/** Stays that a process plans at once: in total, and for one operator. */
export const PLANNING_ROOM = 100
export const PLANNING_SHARE = 50

export const PLANNING_LEASE_MS = 30_000

export const STAY_TABLE: JobTable<"stay_id"> = {
  table: "automation_stays",
  keyColumn: "stay_id",
  pendingCondition: "true",
  isIndexedByTime: true,
  operatorLimit: PLANNING_SHARE,
  accountLimit: PLANNING_SHARE,
  leaseMs: PLANNING_LEASE_MS
}

const ClaimedStay = Schema.Struct({
  ...claimedJobFields,
  stay_id: Schema.Int,
  stay_code: Schema.String,
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
  is_last: Schema.Boolean,
  property_title: Schema.NullOr(Schema.String),
  property_staff_id: Schema.NullOr(Schema.Int),
  rule_tasks: Schema.Array(LinkedRuleTask)
})
export type ClaimedStay = typeof ClaimedStay.Type

/** Without such a rule, the query for the responsible staff member is skipped. */
const hasPropertyStaffRulesCondition = (sql: SqlClient.SqlClient): Fragment => sql`
  EXISTS (SELECT FROM automation_rules r WHERE r.operator_id = claimed.operator_id AND r.state = 'active'
    AND r.definition #>> '{task,staff}' = 'property')`

/**
 * `OFFSET 0` fixes the join order: claimed rows, stays, orders. Without table statistics, PostgreSQL would start with
 * all orders.
 */
const selectStaysSql = (sql: SqlClient.SqlClient): Fragment => sql`
  SELECT claimed.operator_id, claimed.stay_id, claimed.attempts, claimed.failures, claimed.traceparent, coalesce(o.channel_account_id, 0) AS account_id,
    o.status, s.property_id, o.channel_type, s.check_in_date, s.check_out_date, o.booked_at,
    to_char(coalesce(p.checkin_time, host.default_checkin_time), 'HH24:MI') AS check_in_time,
    to_char(coalesce(p.checkout_time, host.default_checkout_time), 'HH24:MI') AS check_out_time, host.time_zone,
    ${isLastStayCondition(sql)} AS is_last, s.stay_code, p.title AS property_title,
    CASE WHEN s.property_id IS NOT NULL AND ${hasPropertyStaffRulesCondition(sql)}
      THEN ${responsibleStaffSql(sql, sql`s.operator_id`, sql`s.property_id`)} END AS property_staff_id,
    ${ruleTasksJson(
      sql,
      sql`SELECT * FROM automation_plans plan
        WHERE plan.operator_id = claimed.operator_id AND plan.stay_id = claimed.stay_id AND plan.kind = 'task'`
    )} AS rule_tasks
  FROM claimed
  CROSS JOIN LATERAL (
    SELECT * FROM stays WHERE operator_id = claimed.operator_id AND id = claimed.stay_id OFFSET 0) s
  CROSS JOIN LATERAL (
    SELECT * FROM orders WHERE operator_id = s.operator_id AND id = s.order_id OFFSET 0) o
  JOIN operators host ON host.id = claimed.operator_id
  LEFT JOIN LATERAL (
    SELECT * FROM properties WHERE operator_id = s.operator_id AND id = s.property_id OFFSET 0) p ON true`

const MarkedOperator = Schema.Struct({ operator_id: Schema.Int })
const readMarkedOperators = makeRowsReader(MarkedOperator)

const makePlanningQueue = Effect.map(SqlClient.SqlClient, (sql) => {
  const { claim, postpone } = makeJobQueue(sql, STAY_TABLE, ClaimedStay, {
    returning: sql`j.operator_id, j.stay_id, j.attempts, j.failures, j.traceparent`,
    statement: selectStaysSql(sql)
  })
  return {
    claim: (now: Date, maxJobs: number) => claim(now, maxJobs, []),
    postpone,
    listActiveRules: listActiveRules(sql),
    savePlans: ({
      stays,
      plans,
      tasks,
      claimedAt,
      now
    }: Omit<SavePlansParameters, "leaseEnd"> & { readonly claimedAt: Date }) =>
      Effect.orDie(
        retryOnLockConflict(
          recordChange(
            sql,
            savePlansChange(sql, {
              stays,
              plans,
              tasks,
              leaseEnd: computeLeaseEnd(claimedAt, PLANNING_LEASE_MS),
              now
            })
          )
        ).pipe(Effect.provideService(CurrentActor, systemActor("automation", "plan tasks")))
      ),
    /**
     * After changes of rules, marks one page of stays for each of the next operators after `afterOperatorId`. Returns
     * these operators.
     */
    markStaysOfChangedRules: (afterOperatorId: number, now: Date) =>
      readMarkedOperators(retryOnLockConflict(sql`${markStayPageSql(sql, { afterOperatorId, now })}`))
  }
})

/** A stay that is marked again during its planning remains due. */
export class PlanningQueue extends Context.Service<PlanningQueue>()(
  "latchkey/domain/automation/planning/PlanningQueue",
  { make: makePlanningQueue }
) {
  static readonly layer = Layer.effect(PlanningQueue, PlanningQueue.make)
}
