import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { createdOrDeletedRecordsSql, type RecordedChange } from "../../../changes/recorded-change.ts"
import { claimedJobFields, isClaimedCondition, type JobClaim, type JobTable } from "../../../jobs/job-queue.ts"
import { jsonParameter } from "../../../platform/database/parameters.ts"
import type { MessageSource } from "../../guests/conversations/contract.ts"
import {
  conversationsTouchedSql,
  enqueueMessagesSql,
  messageCreatedEventSql
} from "../../guests/conversations/message-queue.ts"
import type { OperatorRowId } from "../../operator-rows.ts"
import { ASSISTANT_NAME } from "../message-sources.ts"
import { channelAccountIdSql, DUE_NOW, markStaysForPlanningSql } from "../planning/planning-marks.ts"
import { requiredStatusSql } from "../rules/store.ts"

/** Plans in progress in a process: in total, per operator, and per channel account. */
export const RUNNING_ROOM = 32
export const RUNNING_SHARE = 8
export const RUNNING_ACCOUNT_SHARE = 4

/** Fewer than RUNNING_ROOM, so that messages can be sent while reviews wait for a channel that hangs. */
export const REVIEWING_ROOM = 16

export const RUN_LEASE_MS = 45_000

export const ClaimedPlan = Schema.Struct({
  ...claimedJobFields,
  id: Schema.Int,
  account_id: Schema.Int,
  kind: Schema.Literals(["send_message", "review"]),
  created_at: Schema.Date,
  traceparent: Schema.NullOr(Schema.String)
})
export type ClaimedPlan = typeof ClaimedPlan.Type

const makePlanTable = (kind: ClaimedPlan["kind"]): JobTable<"id"> => ({
  table: "automation_plans",
  keyColumn: "id",
  pendingCondition: `state = 'waiting' AND kind = '${kind}'`,
  isIndexedByTime: true,
  accountCondition: "(SELECT o.status FROM operators o WHERE o.id = with_work.operator_id) = 'active'",
  operatorLimit: RUNNING_SHARE,
  accountLimit: RUNNING_ACCOUNT_SHARE,
  leaseMs: RUN_LEASE_MS,
  claimedCondition: "state = 'waiting'"
})

/**
 * The `accountCondition` excludes plans of suspended operators. It is a scalar subquery, because a semi-join would
 * start with all operators.
 */
export const PLAN_TABLES = { send_message: makePlanTable("send_message"), review: makePlanTable("review") }

const PLAN_RECORD_TYPE = "automation_plan"

interface SendPlanMessageParameters extends OperatorRowId {
  /** As the worker has read it. If the plan has another one by now, nothing is sent. */
  readonly scheduledAt: Date
  readonly conversationId: number
  readonly code: string
  readonly text: string
  readonly sources: ReadonlyArray<typeof MessageSource.Type>
  readonly now: Date
}

/** A scalar subquery, because a join would start with all orders of the operator. */
const orderStatusSql = (sql: SqlClient): Fragment => sql`
  (SELECT o.status FROM orders o WHERE o.operator_id = p.operator_id
    AND o.id = (SELECT s.order_id FROM stays s WHERE s.operator_id = p.operator_id AND s.id = p.stay_id))`

/**
 * Queues the message and completes the plan in one statement, so the message is sent once. Does nothing if the rule is
 * paused, or if the order no longer has the status that the rule requires.
 */
export const sendPlanMessageChange = (sql: SqlClient, message: SendPlanMessageParameters): RecordedChange => ({
  change: sql`
    plan AS (
      UPDATE automation_plans p SET state = 'done', reason = NULL, settled_at = ${message.now}::timestamptz
      FROM automation_rules r
      WHERE p.operator_id = ${message.operatorId} AND p.id = ${message.id} AND p.state = 'waiting'
        AND p.scheduled_at = ${message.scheduledAt} AND r.operator_id = p.operator_id AND r.id = p.rule_id AND r.state = 'active'
        AND ${orderStatusSql(sql)} = ${requiredStatusSql(sql)}
      RETURNING p.operator_id, p.id
    ), ${enqueueMessagesSql(
      sql,
      sql`
        SELECT operator_id, ${message.conversationId}::bigint AS conversation_id, ${message.code}::text AS code,
          ${sql.literal(`'${ASSISTANT_NAME}'`)}::text AS sender_name, ${jsonParameter(message.sources)}::jsonb AS sources,
          'Text'::text AS display_type, ${message.text}::text AS content, NULL::text AS attachment_url, NULL::bigint AS image_id
        FROM plan`,
      message.now
    )}`,
  events: [messageCreatedEventSql(sql, message.now)],
  changedRecords: sql`
    SELECT operator_id, ${sql.literal(`'${PLAN_RECORD_TYPE}:'`)} || id AS record, '{state}'::text[] AS fields FROM plan
    UNION ALL ${conversationsTouchedSql(sql)}`,
  outcome: sql`SELECT id FROM plan`
})

interface EndPlanParameters extends OperatorRowId {
  readonly now: Date
}

export const completePlanSql = (sql: SqlClient, { operatorId, id, now }: EndPlanParameters): Fragment => sql`
  UPDATE automation_plans SET state = 'done', reason = NULL, settled_at = ${now}
  WHERE operator_id = ${operatorId} AND id = ${id} AND state = 'waiting'
  RETURNING id`

interface SkipPlanParameters extends JobClaim {
  readonly now: Date
  readonly reason: string
}

export const skipPlanChange = (sql: SqlClient, parameters: SkipPlanParameters): RecordedChange => ({
  change: sql`
    plan AS (
      UPDATE automation_plans SET state = 'skipped', reason = ${parameters.reason}::text, settled_at = ${parameters.now}::timestamptz
      WHERE ${isClaimedCondition(sql, PLAN_TABLES.send_message, parameters)} RETURNING operator_id, id
    )`,
  events: [],
  changedRecords: sql`
    SELECT operator_id, ${sql.literal(`'${PLAN_RECORD_TYPE}:'`)} || id AS record, '{state,reason}'::text[] AS fields FROM plan`,
  outcome: sql`SELECT id FROM plan`
})

interface PostponePlanParameters extends JobClaim {
  readonly reason: string | null
  readonly nextAttempt: Date
}

export const postponePlanSql = (sql: SqlClient, postponement: PostponePlanParameters): Fragment => sql`
  UPDATE automation_plans SET due_at = ${postponement.nextAttempt}, failures = failures + 1, reason = ${postponement.reason}
  WHERE ${isClaimedCondition(sql, PLAN_TABLES.send_message, postponement)}`

/**
 * The worker never deletes or reschedules a plan, because the data that it has read may be outdated. The planner does.
 */
export const markStayOfPlanSql = (sql: SqlClient, { now, ...claim }: JobClaim & { readonly now: Date }): Fragment =>
  markStaysForPlanningSql(
    sql,
    sql`
      SELECT s.operator_id, s.id AS stay_id, ${channelAccountIdSql(sql)} AS account_id, NULL AS traceparent FROM stays s
      WHERE s.operator_id = ${claim.operator_id} AND s.id = (SELECT stay_id FROM automation_plans WHERE ${isClaimedCondition(sql, PLAN_TABLES.send_message, claim)})
      FOR KEY SHARE OF s`,
    now,
    DUE_NOW
  )

/** Keeps the row, so that the planner does not create the plan again. */
export const deletePlanChange = (sql: SqlClient, { operatorId, id, now }: EndPlanParameters): RecordedChange => ({
  change: sql`
    plan AS (
      UPDATE automation_plans SET state = 'deleted', settled_at = ${now}::timestamptz
      WHERE operator_id = ${operatorId} AND id = ${id} AND state = 'waiting'
      RETURNING operator_id, id
    )`,
  events: [],
  changedRecords: createdOrDeletedRecordsSql(sql, PLAN_RECORD_TYPE, "plan"),
  outcome: sql`SELECT id FROM plan`
})
