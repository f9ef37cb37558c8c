import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Access tokens that came of a grant, when one ends by itself, and when it was last used.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // application: whose webhook subscriptions it may change; null: a token of the console, which may change all. deployment: the
  // one it is good in; null: made before there was a second. last_used_at is right to the minute.
  yield* sql`
    ALTER TABLE access_tokens
      ADD grant_id bigint,
      ADD application text,
      ADD deployment text,
      ADD expires_at timestamptz,
      ADD last_used_at timestamptz,
      ADD FOREIGN KEY (operator_id, grant_id) REFERENCES oauth_grants (operator_id, id)`
  yield* sql`CREATE INDEX access_tokens_of_grants ON access_tokens (operator_id, grant_id) WHERE grant_id IS NOT NULL`
  yield* sql`
    CREATE INDEX access_tokens_of_accounts ON access_tokens (operator_id, account_id, id)
    WHERE revoked_at IS NULL AND grant_id IS NULL`
  yield* sql`
    CREATE INDEX access_tokens_revoked ON access_tokens (revoked_at) WHERE revoked_at IS NOT NULL AND grant_id IS NULL`
  yield* sql`CREATE INDEX access_tokens_expired ON access_tokens (expires_at) WHERE expires_at IS NOT NULL`
})
