import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { buildIndexConcurrently } from "../src/platform/database/concurrent-index.ts"

// Automation rules and property feeds by the OAuth connection that created them, and all that ends with a connection.
//
// This migration runs outside a transaction (`nonTransactional`): each statement locks another table, and indexes are built without blocking writes.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Null: the host created it. There is no foreign key, because it would block writes to oauth_grants. None is needed: what a grant
  // made has ended before the row of the grant is deleted.
  yield* sql`ALTER TABLE automation_rules ADD COLUMN IF NOT EXISTS grant_id bigint`
  yield* buildIndexConcurrently({
    name: "automation_rules_of_grants",
    unique: false,
    on: "automation_rules (operator_id, grant_id) WHERE grant_id IS NOT NULL AND state <> 'removed'"
  })

  // An application has a feed of its own for a property: its address stops working when the host disconnects the application, and the
  // host's address goes on working.
  yield* sql`ALTER TABLE property_feeds ADD COLUMN IF NOT EXISTS grant_id bigint`
  yield* buildIndexConcurrently({
    name: "property_feeds_of_grants",
    unique: false,
    on: "property_feeds (operator_id, grant_id) WHERE grant_id IS NOT NULL"
  })
  yield* buildIndexConcurrently({
    name: "property_feeds_reader_with_grant",
    unique: true,
    on: "property_feeds (operator_id, property_id, calendar_id, grant_id) NULLS NOT DISTINCT"
  })
  yield* sql`
    ALTER TABLE property_feeds
      DROP CONSTRAINT IF EXISTS property_feeds_reader,
      ADD CONSTRAINT property_feeds_reader UNIQUE USING INDEX property_feeds_reader_with_grant`

  // 0053 says why this is a function. Rows are locked in the order tokens, subscriptions, rules, feeds. 9223372036854775807 plans the
  // stays of the operator anew, as for a rule that the host removes (0048).
  yield* sql`
    CREATE OR REPLACE FUNCTION end_what_came_of(of_operator bigint, of_grant bigint, ended timestamptz)
    RETURNS TABLE (record text, fields text[]) LANGUAGE plpgsql VOLATILE AS $$
    BEGIN
      RETURN QUERY
        UPDATE access_tokens t SET revoked_at = ended
        WHERE t.operator_id = of_operator AND t.id = ANY (ARRAY(
          SELECT id FROM access_tokens
          WHERE operator_id = of_operator AND grant_id = of_grant AND revoked_at IS NULL AND expires_at > ended
          ORDER BY id FOR NO KEY UPDATE))
        RETURNING 'token:' || t.id, '{revoked_at}'::text[];
      RETURN QUERY
        UPDATE webhook_subscriptions s SET deleted_at = ended
        WHERE s.operator_id = of_operator AND s.id = ANY (ARRAY(
          SELECT id FROM webhook_subscriptions WHERE operator_id = of_operator AND grant_id = of_grant AND deleted_at IS NULL
          ORDER BY id FOR NO KEY UPDATE))
        RETURNING 'webhook:' || s.id, '{}'::text[];
      RETURN QUERY
        UPDATE automation_rules r SET state = 'removed', mark_before = CASE
          WHEN r.definition #>> '{trigger,event}' IN ('booking', 'check_in', 'check_out', 'request') THEN 9223372036854775807 END
        WHERE r.operator_id = of_operator AND r.id = ANY (ARRAY(
          SELECT id FROM automation_rules WHERE operator_id = of_operator AND grant_id = of_grant AND state <> 'removed'
          ORDER BY id FOR NO KEY UPDATE))
        RETURNING 'automation_rule:' || r.id, '{}'::text[];
      RETURN QUERY
        DELETE FROM property_feeds f
        WHERE f.operator_id = of_operator AND f.id = ANY (ARRAY(
          SELECT id FROM property_feeds WHERE operator_id = of_operator AND grant_id = of_grant
          ORDER BY id FOR UPDATE))
        RETURNING 'property_feed:' || f.id, '{}'::text[];
    END $$`
})
