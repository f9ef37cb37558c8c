import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { buildIndexConcurrently, concurrentlyKeyword } from "../src/platform/database/concurrent-index.ts"

// Every unique key of an operator's table holds its operator_id, by which such tables are spread over servers. Those that did
// not are of random texts, which nobody makes twice, and of an id that one sequence draws. In their place come keys that
// begin with the same column, so that the release before this finds what it looks up as fast.
//
// In pieces, because an index is built beside others' writes outside of a transaction only, and because the digests of the
// addresses there are (0057) are for so many rows at a time.

const ROWS_AT_ONCE = 500

interface Replaced {
  readonly table: string
  readonly column: string
  readonly key: string
  /** What the key that goes was made as. */
  readonly was: "constraint" | "index"
}

const REPLACED: ReadonlyArray<Replaced> = [
  { table: "property_feeds", column: "token", key: "property_feeds_token", was: "constraint" },
  { table: "calendar_share_links", column: "token", key: "calendar_share_links_token", was: "index" },
  { table: "automation_rules", column: "id", key: "automation_rules_id", was: "constraint" },
  { table: "images", column: "token", key: "images_token", was: "constraint" },
  { table: "conversations", column: "code", key: "conversations_code", was: "constraint" },
  { table: "messages", column: "code", key: "messages_code", was: "constraint" },
  { table: "stays", column: "guide_token", key: "stays_guide_token", was: "index" }
]

const replace = Effect.fnUntraced(function* ({ table, column, key, was }: Replaced) {
  const sql = yield* SqlClient.SqlClient
  yield* buildIndexConcurrently({
    name: `${table}_own_${column}`,
    unique: true,
    on: `${table} (${column}, operator_id)`
  })
  yield* was === "index"
    ? sql.unsafe(`DROP INDEX ${yield* concurrentlyKeyword} IF EXISTS ${key}`)
    : sql.unsafe(`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${key}`)
})

interface Key {
  readonly operator_id: number
  readonly id: number
}

/** Writes the tokens there are once more, which makes the triggers of 0057 work their digests out. */
const digestAll = Effect.fnUntraced(function* (name: string) {
  const sql = yield* SqlClient.SqlClient
  const table = sql.literal(name)
  let after: Key | undefined = { operator_id: 0, id: 0 }
  while (after !== undefined) {
    const done: ReadonlyArray<Key> = yield* digestedAfter(sql, table, after)
    after = done[0]
  }
})

const digestedAfter = (
  sql: SqlClient.SqlClient,
  table: ReturnType<SqlClient.SqlClient["literal"]>,
  after: Key
): Effect.Effect<ReadonlyArray<Key>, SqlError> => sql<Key>`
  WITH next AS MATERIALIZED (
    SELECT operator_id, id FROM ${table}
    WHERE (operator_id, id) > (${after.operator_id}, ${after.id}) AND token_digest IS NULL
    ORDER BY operator_id, id LIMIT ${sql.literal(`${ROWS_AT_ONCE}`)}
  ), digested AS (
    UPDATE ${table} t SET token = t.token FROM next
    WHERE t.operator_id = next.operator_id AND t.id = next.id AND t.token_digest IS NULL
  )
  SELECT operator_id, id FROM next ORDER BY operator_id DESC, id DESC LIMIT 1`

export default Effect.gen(function* () {
  yield* digestAll("property_feeds")
  yield* digestAll("calendar_share_links")
  yield* Effect.forEach(REPLACED, replace, { discard: true })
})
