import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { OperatorRowId } from "../../operator-rows.ts"
import { MessageRule, ReviewRule } from "../rules/rule.ts"
import { StayFacts, stayFactsSql } from "../template-facts.ts"

const stayPlanFields = {
  ...StayFacts.fields,
  plan_id: Schema.Int,
  scheduled_at: Schema.Date,
  /** Why the last attempt did not succeed. */
  reason: Schema.NullOr(Schema.String),
  rule_id: Schema.Int,
  since: Schema.Date,
  is_active: Schema.Boolean,
  conversation_id: Schema.NullOr(Schema.Int),
  host_review: Schema.NullOr(
    Schema.Struct({ score: Schema.NullOr(Schema.Finite), content: Schema.NullOr(Schema.String) })
  )
}

const MessagePlanContext = Schema.Struct({
  ...stayPlanFields,
  kind: Schema.Literal("send_message"),
  definition: MessageRule
})
const ReviewPlanContext = Schema.Struct({ ...stayPlanFields, kind: Schema.Literal("review"), definition: ReviewRule })
export type MessagePlanContext = typeof MessagePlanContext.Type
export type ReviewPlanContext = typeof ReviewPlanContext.Type

export type StayPlanContext = MessagePlanContext | ReviewPlanContext

const AnswerPlanContext = Schema.Struct({ kind: Schema.Literal("answer") })

const TaskPlanContext = Schema.Struct({ kind: Schema.Literal("task") })

export const PlanContext = Schema.Union([MessagePlanContext, ReviewPlanContext, AnswerPlanContext, TaskPlanContext])
export type PlanContext = typeof PlanContext.Type

/** Also selects plans of tasks, although they are never `waiting`, so that running one returns its own error. */
export const planContextSql = (sql: SqlClient, { operatorId, id }: OperatorRowId): Fragment => sql`
  WITH plan AS MATERIALIZED (
    SELECT * FROM automation_plans WHERE operator_id = ${operatorId} AND id = ${id} AND (state = 'waiting' OR kind = 'task')
  )
  SELECT plan.id AS plan_id, plan.kind, plan.scheduled_at, plan.reason, r.id AS rule_id, r.definition, r.since,
    r.state = 'active' AS is_active,
    c.id AS conversation_id, review.host_review, facts.*
  FROM plan
  LEFT JOIN automation_rules r ON r.operator_id = plan.operator_id AND r.id = plan.rule_id
  LEFT JOIN stays s ON s.operator_id = plan.operator_id AND s.id = plan.stay_id
  LEFT JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
  LEFT JOIN conversations c ON c.operator_id = o.operator_id AND c.code = o.conversation_id
  LEFT JOIN reviews review ON review.operator_id = o.operator_id AND review.order_id = o.id
  LEFT JOIN LATERAL (
    ${stayFactsSql(sql, sql`s.operator_id = plan.operator_id AND s.id = plan.stay_id`)}
  ) facts ON true`
