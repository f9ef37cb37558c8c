import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Limits that differ from the table's: one operator's, and a token's tighter ones (admission/windows/limit-overrides.ts).

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE operators ADD COLUMN rate_limits jsonb`
  yield* sql`ALTER TABLE access_tokens ADD COLUMN rate_limits jsonb`
})
