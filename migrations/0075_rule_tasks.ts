import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Rules that create tasks, and versions of rules.
//
// This migration runs outside a transaction (`nonTransactional`), so that each statement locks only one table for a short time. Every
// statement can be repeated.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A rule gets a new version whenever it is edited.
  yield* sql`
    ALTER TABLE automation_rules
      ADD COLUMN IF NOT EXISTS version integer NOT NULL DEFAULT 1,
      DROP CONSTRAINT IF EXISTS automation_rules_action_check,
      ADD CONSTRAINT automation_rules_action_check
        CHECK (action IN ('send_message', 'review', 'answer', 'task')) NOT VALID`

  // A plan of the kind `task` is done when its task is created. task_target holds the values that the rule last gave the task
  // (src/domain/work/tasks/rule-tasks.ts). A person has edited a task with other values. There is no foreign key, because a
  // plan whose task is gone records that a person deleted the task. All existing rows meet the new check, so they need no validation.
  yield* sql`
    ALTER TABLE automation_plans
      ADD COLUMN IF NOT EXISTS task_id bigint,
      ADD COLUMN IF NOT EXISTS task_target jsonb,
      DROP CONSTRAINT IF EXISTS automation_plans_kind_check,
      ADD CONSTRAINT automation_plans_kind_check
        CHECK (kind IN ('send_message', 'review', 'answer', 'task')) NOT VALID`

  // A channel may remove a stay from an order, which also deletes the plans of the stay. No planner sees that stay again, so
  // this trigger cancels its task. 1000 is TASK_NOTE_LENGTH + AUTOMATIC_LINES_LENGTH of src/platform/limits.ts.
  yield* sql`
    CREATE OR REPLACE FUNCTION cancel_task_of_removed_stay() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      is_untouched boolean;
      new_note text;
      target_staff_id CONSTANT bigint := (OLD.task_target ->> 'staff_id')::bigint;
      line CONSTANT text := 'Automation: the stay was removed. This task was not cancelled, because a person had changed it.';
    BEGIN
      IF EXISTS (SELECT FROM stays WHERE operator_id = OLD.operator_id AND id = OLD.stay_id) THEN RETURN NULL; END IF;
      IF OLD.task_target ->> 'status' = 'cancelled' THEN RETURN NULL; END IF;
      -- The same conditions as isUntouched of src/domain/work/tasks/rule-tasks.ts.
      SELECT t.note = '' AND t.fee = 0
          AND (t.staff_id IS NOT DISTINCT FROM target_staff_id OR (t.staff_id IS NULL
            AND NOT EXISTS (SELECT FROM staffs s WHERE s.operator_id = OLD.operator_id AND s.id = target_staff_id)))
          AND OLD.task_target @> jsonb_build_object('type', t.type, 'level', t.level,
          'status', t.status, 'property_id', t.property_id, 'expected_date', t.expected_date,
          'expected_time', t.expected_time::text), t.note
        INTO is_untouched, new_note
        FROM tasks t
        WHERE t.operator_id = OLD.operator_id AND t.id = OLD.task_id AND t.status <> 'cancelled' FOR NO KEY UPDATE;
      IF is_untouched IS NULL THEN RETURN NULL; END IF;
      IF NOT is_untouched THEN
        -- Like addAutomaticLine of src/domain/work/tasks/note.ts. Without an automatic line to remove, the line is always added.
        WHILE char_length(new_note) + char_length(line) + 1 > 1000 AND new_note ~ E'(^|\n)Automation: ' LOOP
          new_note := regexp_replace(new_note, E'^Automation: [^\n]*\n?|\nAutomation: [^\n]*', '');
        END LOOP;
        new_note := CASE WHEN new_note = '' THEN line ELSE new_note || E'\n' || line END;
      END IF;
      UPDATE tasks t SET
          status = CASE WHEN is_untouched THEN 'cancelled' ELSE t.status END,
          note = new_note,
          updated_at = greatest(t.updated_at, date_trunc('second', now()))
        WHERE t.operator_id = OLD.operator_id AND t.id = OLD.task_id;
      INSERT INTO trail (operator_id, at, application, operation, record, fields)
        VALUES (OLD.operator_id, now(), 'automation', 'plan tasks', 'task:' || OLD.task_id,
          CASE WHEN is_untouched THEN '{status}'::text[] ELSE '{note}'::text[] END);
      RETURN NULL;
    END $$`
  yield* sql`
    CREATE OR REPLACE TRIGGER automation_plans_removed_stay AFTER DELETE ON automation_plans
    FOR EACH ROW WHEN (OLD.kind = 'task') EXECUTE FUNCTION cancel_task_of_removed_stay()`
})
