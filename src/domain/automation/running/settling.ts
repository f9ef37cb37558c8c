import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { createdOrDeletedRecordsSql, type RecordedChange } from "../../../changes/recorded-change.ts"
import type { Givens } from "../../../platform/database/forms.ts"
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

// The statements that write down what became of a plan. One that is settled is settled: whatever comes after it changes nothing.

/** What the trail calls a plan. */
const PLAN_RECORD_TYPE = "automation_plan"

export interface SendPlanMessageParameters extends OperatorRowId {
  /** What it was planned for when it was looked at: one that was moved since waits for its new time. */
  readonly scheduledAt: Date
  readonly conversationId: number
  /** What callers will know the message by. */
  readonly code: string
  readonly text: string
  readonly sources: ReadonlyArray<typeof MessageSource.Type>
  readonly now: Date
}

/** The status of the order of plan `p`. Read so it is found by its key: a join began with all orders of the operator. */
const orderStatusSql = (sql: SqlClient): Fragment => sql`
  (SELECT o.status FROM orders o WHERE o.operator_id = p.operator_id
    AND o.id = (SELECT s.order_id FROM stays s WHERE s.operator_id = p.operator_id AND s.id = p.stay_id))`

/**
 * The message of a plan is written down and put into the lane of its conversation, and the plan is done: both or neither, so
 * whoever does it at the same moment, and however often, says it once. Nothing is said once its rule is
 * paused or its order stands otherwise.
 */
export const sendPlanMessageChange = (sql: SqlClient, message: Givens<SendPlanMessageParameters>): RecordedChange => ({
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

export interface EndPlanParameters extends OperatorRowId {
  readonly now: Date
}

/** It was done, whoever says so. */
export const settlingDone = (sql: SqlClient, { operatorId, id, now }: Givens<EndPlanParameters>): Fragment => sql`
  UPDATE automation_plans SET state = 'done', reason = NULL, settled_at = ${now}
  WHERE operator_id = ${operatorId} AND id = ${id} AND state = 'waiting'
  RETURNING id`

interface ClaimedPlan extends EndPlanParameters {
  readonly attempts: number
}

/** Whether it is still the worker's: nobody has taken, moved or settled it since. */
const isClaimedCondition = (
  sql: SqlClient,
  { operatorId, id, attempts }: Givens<Omit<ClaimedPlan, "now">>
): Fragment => sql`
  operator_id = ${operatorId} AND id = ${id} AND attempts = ${attempts} AND state = 'waiting'`

export interface SkipPlanParameters extends ClaimedPlan {
  readonly reason: string
}

export const skipPlanChange = (sql: SqlClient, parameters: Givens<SkipPlanParameters>): RecordedChange => ({
  change: sql`
    plan AS (
      UPDATE automation_plans SET state = 'skipped', reason = ${parameters.reason}::text, settled_at = ${parameters.now}::timestamptz
      WHERE ${isClaimedCondition(sql, parameters)} RETURNING operator_id, id
    )`,
  events: [],
  changedRecords: sql`
    SELECT operator_id, ${sql.literal(`'${PLAN_RECORD_TYPE}:'`)} || id AS record, '{state,reason}'::text[] AS fields FROM plan`,
  outcome: sql`SELECT id FROM plan`
})

export interface PostponePlanParameters extends Omit<ClaimedPlan, "now"> {
  readonly reason: string | null
  readonly nextTry: Date
}

/** It could not be done, and is tried again then. */
export const postponePlanSql = (sql: SqlClient, postponement: Givens<PostponePlanParameters>): Fragment => sql`
  UPDATE automation_plans SET due_at = ${postponement.nextTry}, failures = failures + 1, reason = ${postponement.reason}
  WHERE ${isClaimedCondition(sql, postponement)}`

/**
 * Its stay is to be looked at now. Who planned since the worker looked has left the plan on purpose: were it taken away, or
 * moved, by what the worker read, nothing would bring it back. So only who plans does either (planning/settling.ts).
 */
export const markStayOfPlanSql = (sql: SqlClient, { now, ...plan }: Givens<ClaimedPlan>): Fragment =>
  markStaysForPlanningSql(
    sql,
    sql`
      SELECT s.operator_id, s.id AS stay_id, ${channelAccountIdSql(sql)} AS account_id, NULL AS traceparent FROM stays s
      WHERE s.operator_id = ${plan.operatorId} AND s.id = (SELECT stay_id FROM automation_plans WHERE ${isClaimedCondition(sql, plan)})
      FOR KEY SHARE OF s`,
    now,
    DUE_NOW
  )

/** Gives it back untried. */
export const releasePlanSql = (sql: SqlClient, { now, ...plan }: Givens<ClaimedPlan>): Fragment => sql`
  UPDATE automation_plans SET due_at = ${now} WHERE ${isClaimedCondition(sql, plan)}`

/** The host takes a plan away: it is not run, and not made again. */
export const deletePlanChange = (
  sql: SqlClient,
  { operatorId, id, now }: Givens<EndPlanParameters>
): RecordedChange => ({
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
