import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { RecordedChange } from "../../../changes/recorded-change.ts"
import { jsonParameter } from "../../../platform/database/parameters.ts"
import { lockRuleTasksSql, ruleTaskRecordsSql, writeRuleTasksSql } from "../../work/tasks/rule-task-statements.ts"
import type { CurrentRuleTask, RuleTaskTarget } from "../../work/tasks/rule-tasks.ts"

// Lock order: stays, tasks, marks (rows of `automation_stays`), plans. The deletion of a stay locks the stay first too,
// which prevents a deadlock. `locked_task` sorts its rows, so PostgreSQL locks all stays of `held` before the first
// task.

export interface SavePlansParameters {
  readonly stays: ReadonlyArray<{
    readonly operator_id: number
    readonly stay_id: number
    readonly attempts: number
    readonly account_id: number
    readonly kept_until: Date
    /**
     * When the first action beyond the planning horizon can be planned. Null if there is none. Then the mark is
     * deleted.
     */
    readonly look_again: Date | null
  }>
  readonly plans: ReadonlyArray<{
    readonly operator_id: number
    readonly stay_id: number
    readonly rule_id: number
    readonly kind: "send_message" | "review"
    readonly scheduled_at: Date
    readonly kept_until: Date
    readonly traceparent: string | null
  }>
  /** Tasks to create (`plan_id` is null) and to change. */
  readonly tasks: ReadonlyArray<
    Omit<CurrentRuleTask, "fee"> & {
      readonly operator_id: number
      readonly stay_id: number
      readonly rule_id: number
      readonly plan_id: number | null
      readonly task_id: number | null
      readonly revision: string | null
      readonly scheduled_at: Date
      readonly kept_until: Date
      readonly traceparent: string | null
      readonly target: RuleTaskTarget
    }
  >
  /** `due_at` of the claimed marks. A mark with another `due_at` was renewed during planning. */
  readonly leaseEnd: Date
  readonly now: Date
}

/**
 * The CTE `mine` contains the stays that this worker still claims. It leaves out a stay if a person has changed one of
 * its tasks since the claim. That stay is planned again when the claim ends.
 */
const claimedStaysSql = (sql: SqlClient, { stays, tasks }: SavePlansParameters): Fragment => sql`
  task_step AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(${jsonParameter(tasks)}::jsonb)
      AS step (operator_id bigint, stay_id bigint, rule_id bigint, plan_id bigint, task_id bigint, revision text,
        scheduled_at timestamptz, kept_until timestamptz, traceparent text, target jsonb, type text, level text,
        status text, property_id bigint, staff_id bigint, expected_date date, expected_time time, note text)
  ), looked AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(${jsonParameter(stays)}::jsonb)
      AS looked (operator_id bigint, stay_id bigint, attempts bigint, account_id bigint, kept_until timestamptz,
        look_again timestamptz)
  ), held AS MATERIALIZED (
    SELECT s.operator_id, s.id AS stay_id FROM stays s
    JOIN looked ON looked.operator_id = s.operator_id AND looked.stay_id = s.id
    ORDER BY s.operator_id, s.id FOR KEY SHARE OF s
  ), ${lockRuleTasksSql(sql)}, mine AS MATERIALIZED (
    SELECT looked.* FROM automation_stays m
    JOIN looked ON looked.operator_id = m.operator_id AND looked.stay_id = m.stay_id AND looked.attempts = m.attempts
    JOIN held ON held.operator_id = m.operator_id AND held.stay_id = m.stay_id
    WHERE NOT EXISTS (SELECT FROM outdated_stay o WHERE o.operator_id = m.operator_id AND o.stay_id = m.stay_id)
    ORDER BY m.operator_id, m.stay_id FOR NO KEY UPDATE OF m
  )`

/** The plan of a task is `done` from the start, so no worker runs it. */
const saveTasksSql = (sql: SqlClient, now: Date): Fragment => sql`
  ${writeRuleTasksSql(sql, now)}, inserted_task_plan AS (
    INSERT INTO automation_plans (operator_id, stay_id, rule_id, kind, account_id, scheduled_at, due_at, state,
      created_at, settled_at, kept_until, traceparent, task_id, task_target)
    SELECT step.operator_id, step.stay_id, step.rule_id, 'task', mine.account_id, step.scheduled_at, step.scheduled_at,
      'done', ${now}::timestamptz, ${now}::timestamptz, step.kept_until, step.traceparent, step.new_task_id, step.target
    FROM new_task step JOIN mine ON mine.operator_id = step.operator_id AND mine.stay_id = step.stay_id
  ), changed_task_plan AS (
    UPDATE automation_plans p SET task_target = step.target, scheduled_at = step.scheduled_at,
      due_at = step.scheduled_at, kept_until = greatest(p.kept_until, step.kept_until)
    FROM task_step step JOIN mine ON mine.operator_id = step.operator_id AND mine.stay_id = step.stay_id
    WHERE p.operator_id = step.operator_id AND p.id = step.plan_id
  )`

/**
 * Replaces the pending plans of the stays, and creates and changes their tasks. Other plans are kept, because a rule
 * acts on a stay only once. A new scheduled time ends the claim of the plan's worker.
 */
export const savePlansChange = (sql: SqlClient, parameters: SavePlansParameters): RecordedChange => ({
  change: sql`
  ${claimedStaysSql(sql, parameters)}, ${saveTasksSql(sql, parameters.now)}, wanted AS MATERIALIZED (
    SELECT wanted.*, mine.account_id
    FROM jsonb_to_recordset(${jsonParameter(parameters.plans)}::jsonb)
      AS wanted (operator_id bigint, stay_id bigint, rule_id bigint, kind text, scheduled_at timestamptz,
        kept_until timestamptz, traceparent text)
    JOIN mine ON mine.operator_id = wanted.operator_id AND mine.stay_id = wanted.stay_id
  ), gone AS (
    DELETE FROM automation_plans p USING mine
    WHERE p.operator_id = mine.operator_id AND p.stay_id = mine.stay_id AND p.state = 'waiting'
      AND NOT EXISTS (SELECT FROM wanted w
        WHERE w.operator_id = p.operator_id AND w.stay_id = p.stay_id AND w.rule_id = p.rule_id)
  ), kept AS (
    UPDATE automation_plans p SET kept_until = greatest(p.kept_until, mine.kept_until) FROM mine
    WHERE p.operator_id = mine.operator_id AND p.stay_id = mine.stay_id AND p.state <> 'waiting'
      AND p.kept_until < mine.kept_until AND NOT EXISTS (
        SELECT FROM task_step step WHERE step.operator_id = p.operator_id AND step.plan_id = p.id)
  ), made AS (
    INSERT INTO automation_plans AS p (operator_id, stay_id, rule_id, kind, account_id, scheduled_at, due_at, created_at,
      kept_until, traceparent)
    SELECT operator_id, stay_id, rule_id, kind, account_id, scheduled_at, scheduled_at, ${parameters.now}::timestamptz, kept_until,
      traceparent
    FROM wanted ORDER BY operator_id, stay_id, rule_id
    ON CONFLICT (operator_id, stay_id, rule_id) WHERE stay_id IS NOT NULL DO UPDATE
      SET scheduled_at = excluded.scheduled_at, account_id = excluded.account_id, kept_until = excluded.kept_until,
        due_at = CASE WHEN p.scheduled_at = excluded.scheduled_at THEN p.due_at ELSE excluded.due_at END,
        failures = CASE WHEN p.scheduled_at = excluded.scheduled_at THEN p.failures ELSE 0 END,
        reason = CASE WHEN p.scheduled_at = excluded.scheduled_at THEN p.reason END,
        attempts = p.attempts + (p.scheduled_at <> excluded.scheduled_at)::integer
      WHERE p.state = 'waiting' AND (p.scheduled_at, p.account_id, p.kept_until)
        IS DISTINCT FROM (excluded.scheduled_at, excluded.account_id, excluded.kept_until)
  ), over AS (
    DELETE FROM automation_stays m USING mine
    WHERE m.operator_id = mine.operator_id AND m.stay_id = mine.stay_id AND mine.look_again IS NULL
      AND m.due_at = ${parameters.leaseEnd}
  ), renewed AS (
  UPDATE automation_stays m SET due_at = mine.look_again, failures = 0, traceparent = NULL FROM mine
  WHERE m.operator_id = mine.operator_id AND m.stay_id = mine.stay_id AND mine.look_again IS NOT NULL
    AND m.due_at = ${parameters.leaseEnd}
  )`,
  events: [],
  changedRecords: ruleTaskRecordsSql(sql),
  outcome: sql`SELECT FROM mine`
})
