import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Idempotency keys by the OAuth connection of their calls, so that an application does not get the result of a call of its host or of
// another application.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // 0: the call came by no connection. Null: a release before this migration stored the key, so the connection is not known. In other
  // tables null means that the host created the record.
  yield* sql`ALTER TABLE idempotency_keys ADD COLUMN grant_id bigint`
})
