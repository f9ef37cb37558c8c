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
      created_at timestamptz NOT NULL
    )`
  yield* sql`
    CREATE TABLE connector_messages (
      connector_id bigint NOT NULL REFERENCES connectors (id),
      message_id text NOT NULL,
      heard_at timestamptz NOT NULL,
      PRIMARY KEY (connector_id, message_id)
    )`
  yield* sql`CREATE INDEX connector_messages_heard ON connector_messages (heard_at)`
})
