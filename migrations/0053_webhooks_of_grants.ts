import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Webhook subscriptions by who made them.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Who made it: what ends with a grant, and what a sub-account sees. Null account_id: made before this was kept. One that has
  // ended may outlast the row of its grant: it is there for its deliveries.
  yield* sql`
    ALTER TABLE webhook_subscriptions
      ADD account_id bigint,
      ADD grant_id bigint,
      ADD FOREIGN KEY (operator_id, grant_id) REFERENCES oauth_grants (operator_id, id) ON DELETE SET NULL (grant_id)`
  yield* sql`
    CREATE INDEX webhook_subscriptions_of_grants ON webhook_subscriptions (operator_id, grant_id)
    WHERE grant_id IS NOT NULL AND deleted_at IS NULL`

  // Ends what came of a grant, and answers which records. To be called by the statement that ends the grant, once it has its row:
  // whoever makes a token or a subscription by it holds that row meanwhile, so nothing more is made, and what was is seen here,
  // as a statement of a function sees all that was committed up to then. The statement that calls it would not: what it sees is
  // older than the row it waited for.
  yield* sql`
    CREATE FUNCTION end_what_came_of(of_operator bigint, of_grant bigint, ended timestamptz)
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
    END $$`
})
