import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// What a host lets the service do by itself, and when.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // definition is what the host wrote (src/domain/automation/rules/rule.ts). since is when it was made or last resumed. Its
  // stays are marked in pages, from the latest on: mark_before is the stay before which they still have to be, null once all are.
  yield* sql`
    CREATE TABLE automation_rules (
      operator_id bigint NOT NULL REFERENCES operators (id),
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT automation_rules_id UNIQUE,
      action text NOT NULL CHECK (action IN ('send_message', 'review', 'answer')),
      definition jsonb NOT NULL,
      state text NOT NULL CHECK (state IN ('active', 'paused', 'removed')),
      since timestamptz NOT NULL,
      mark_before bigint,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, id)
    )`
  yield* sql`
    CREATE INDEX automation_rules_marking ON automation_rules (operator_id, id) WHERE mark_before IS NOT NULL`
  // AUTOMATION_RULES_MAX of src/platform/limits.ts. A rule that was removed never comes back, so only a new one can be too many.
  yield* sql`
    ALTER TABLE operators ADD automation_rule_limit integer NOT NULL DEFAULT 100 CHECK (automation_rule_limit >= 0)`
  yield* sql`
    CREATE TRIGGER automation_rules_limit AFTER INSERT ON automation_rules
      FOR EACH ROW EXECUTE FUNCTION refuse_above_limit('automation_rule_limit', 'state <> ''removed''')`

  // On another clock everything has another time, which may be earlier: all stays are to be marked, as for a rule that is new.
  yield* sql`
    CREATE FUNCTION mark_stays_of_rules() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE automation_rules SET mark_before = 9223372036854775807
      WHERE operator_id = NEW.id AND state = 'active'
        AND definition #>> '{trigger,event}' IN ('booking', 'check_in', 'check_out', 'request');
      RETURN NULL;
    END $$`
  yield* sql`
    CREATE TRIGGER operators_rules_rezoned AFTER UPDATE OF time_zone ON operators
    FOR EACH ROW WHEN (OLD.time_zone <> NEW.time_zone) EXECUTE FUNCTION mark_stays_of_rules()`
})
