import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// The accounts at channels that an operator has connected, and which connector each is reached by.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // version is the channel's own of what it said last of the account.
  yield* sql`
    CREATE TABLE channel_accounts (
      operator_id bigint NOT NULL REFERENCES operators (id),
      id bigint GENERATED ALWAYS AS IDENTITY,
      channel_type text NOT NULL,
      username text NOT NULL,
      origin_account_id text NOT NULL,
      auth_status text NOT NULL CHECK (auth_status IN ('active', 'connecting', 'disconnected', 'exception')),
      connector text NOT NULL,
      version bigint NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, id),
      CONSTRAINT channel_accounts_origin UNIQUE (operator_id, channel_type, origin_account_id)
    )`
})
