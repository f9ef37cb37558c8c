import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Connectors that run elsewhere and are spoken to over HTTP, and which of their messages were heard.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE connectors (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text NOT NULL CONSTRAINT connectors_name UNIQUE,
      url text NOT NULL,
      secret text NOT NULL,
      former_secret text,
      former_secret_until timestamptz,
      created_at timestamptz NOT NULL
    )`
  // A message that is sent again is answered as it was, if it is the same one, which digest tells, and signed anew: signed_at
  // is the second that the last of them was signed in.
  yield* sql`
    CREATE TABLE connector_messages (
      connector_id bigint NOT NULL REFERENCES connectors (id) ON DELETE CASCADE,
      message_id text NOT NULL,
      digest bytea NOT NULL,
      outcome text NOT NULL,
      reason text,
      signed_at bigint NOT NULL,
      heard_at timestamptz NOT NULL,
      PRIMARY KEY (connector_id, message_id)
    )`
  yield* sql`CREATE INDEX connector_messages_heard ON connector_messages (heard_at)`
  // An account is looked up by the connector that speaks for it, which does not know whose it is.
  yield* sql`CREATE INDEX channel_accounts_connector ON channel_accounts (connector, id)`
})
