import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { CurrentRuleTask, RuleTaskTarget } from "./rule-tasks.ts"

/** A task that a rule created, as {@link ruleTasksJson} reads it. */
export const LinkedRuleTask = Schema.Struct({
  plan_id: Schema.Int,
  rule_id: Schema.Int,
  task_id: Schema.Int,
  scheduled_at: Schema.toCodecJson(Schema.Date),
  target: RuleTaskTarget,
  task: Schema.NullOr(CurrentRuleTask),
  staff_exists: Schema.Boolean,
  /** Changes whenever the task changes. Null if the task was deleted. */
  revision: Schema.NullOr(Schema.String)
})
export type LinkedRuleTask = typeof LinkedRuleTask.Type

const revisionSql = (sql: SqlClient, task: Fragment): Fragment => sql`md5(to_jsonb(${task})::text)`

/** Selects the tasks that belong to the rows of `plans`, as a JSON list. `plans` selects from `automation_plans`. */
export const ruleTasksJson = (sql: SqlClient, plans: Fragment): Fragment => sql`(
  SELECT coalesce(jsonb_agg(jsonb_build_object('plan_id', plan.id, 'rule_id', plan.rule_id, 'task_id', plan.task_id,
      'scheduled_at', plan.scheduled_at, 'target', plan.task_target,
      'task', CASE WHEN t.id IS NOT NULL THEN jsonb_build_object('type', t.type, 'level', t.level,
        'property_id', t.property_id, 'staff_id', t.staff_id, 'expected_date', t.expected_date,
        'expected_time', t.expected_time::text, 'status', t.status, 'fee', t.fee, 'note', t.note) END,
      'staff_exists', EXISTS (SELECT FROM staffs person WHERE person.operator_id = plan.operator_id
        AND person.id = (plan.task_target ->> 'staff_id')::bigint),
      'revision', CASE WHEN t.id IS NOT NULL THEN ${revisionSql(sql, sql`t`)} END)), '[]')
  FROM (${plans}) plan LEFT JOIN tasks t ON t.operator_id = plan.operator_id AND t.id = plan.task_id)`

/**
 * Returns CTEs that create and change tasks. They need {@link lockRuleTasksSql} and two CTEs before them:
 *
 * - `task_step`: `operator_id`, `stay_id`, `rule_id`, `task_id`, `revision` and the new columns of the task. A step
 *   without `task_id` creates a task.
 * - `mine`: the stays whose tasks may be written.
 */
export const writeRuleTasksSql = (sql: SqlClient, now: Date): Fragment => sql`
  new_task AS MATERIALIZED (
    SELECT step.*, nextval(pg_get_serial_sequence('tasks', 'id')) AS new_task_id FROM task_step step
    JOIN mine ON mine.operator_id = step.operator_id AND mine.stay_id = step.stay_id
    WHERE step.task_id IS NULL ORDER BY step.operator_id, step.stay_id, step.rule_id
  ), inserted_task AS (
    INSERT INTO tasks (operator_id, id, type, status, level, property_id, staff_id, stay_id, expected_date,
      expected_time, currency, fee, note, created_at, updated_at)
    OVERRIDING SYSTEM VALUE
    SELECT step.operator_id, step.new_task_id, step.type, step.status, step.level, step.property_id, step.staff_id,
      step.stay_id, step.expected_date, step.expected_time, host.currency, 0, '', ${now}::timestamptz, ${now}::timestamptz
    FROM new_task step JOIN operators host ON host.id = step.operator_id
    RETURNING operator_id, id
  ), changed_task AS (
    UPDATE tasks t SET type = step.type, status = step.status, level = step.level, property_id = step.property_id,
      staff_id = step.staff_id, expected_date = step.expected_date, expected_time = step.expected_time, note = step.note,
      updated_at = ${now}::timestamptz
    FROM task_step step JOIN mine ON mine.operator_id = step.operator_id AND mine.stay_id = step.stay_id
    WHERE t.operator_id = step.operator_id AND t.id = step.task_id
    RETURNING t.*
  )`

/**
 * Returns CTEs that lock the tasks of `task_step`, after the stays of `held`. `outdated_stay` contains the stays of
 * which a person has changed or deleted a task since it was read. The caller must write nothing for them.
 */
export const lockRuleTasksSql = (sql: SqlClient): Fragment => sql`
  locked_task AS MATERIALIZED (
    SELECT t.* FROM tasks t
    JOIN task_step step ON step.operator_id = t.operator_id AND step.task_id = t.id
    JOIN held ON held.operator_id = step.operator_id AND held.stay_id = step.stay_id
    ORDER BY t.operator_id, t.id FOR NO KEY UPDATE OF t
  ), outdated_stay AS MATERIALIZED (
    SELECT step.operator_id, step.stay_id FROM task_step step
    LEFT JOIN locked_task locked ON locked.operator_id = step.operator_id AND locked.id = step.task_id
    WHERE step.task_id IS NOT NULL AND (locked.id IS NULL OR ${revisionSql(sql, sql`locked`)} <> step.revision)
  )`

/** Selects the created and changed tasks for the audit log. */
export const ruleTaskRecordsSql = (sql: SqlClient): Fragment => sql`
  SELECT operator_id, 'task:' || id AS record, '{}'::text[] AS fields FROM inserted_task
  UNION ALL
  SELECT now.operator_id, 'task:' || now.id, changed_fields(to_jsonb(locked), to_jsonb(now))
  FROM locked_task locked JOIN changed_task now ON now.operator_id = locked.operator_id AND now.id = locked.id`
