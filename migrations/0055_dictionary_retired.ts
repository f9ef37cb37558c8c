import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Since when nothing new is entered under an entry of a dictionary; null: it is listed. A built-in entry that is retired has a
// row too, under its own name where the account has no other for it.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE dictionary_entries ADD retired_at timestamptz`
})
