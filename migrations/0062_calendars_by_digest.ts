import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { buildIndexConcurrently } from "../src/platform/database/concurrent-index.ts"

// One calendar of a property an address: by the digest of the address, in place of the address, which may be sealed and is then
// too long for an index and another text each time. The release before this names the constraint that goes in no ON CONFLICT,
// and looks an address up among a property's calendars, which the new index finds as well.

const ROWS_AT_ONCE = 500

interface Key {
  readonly operator_id: number
  readonly id: number
}

/** Writes addresses once more, which makes the trigger of 0061 work their digests out. */
const digestedAfter = (sql: SqlClient.SqlClient, after: Key): Effect.Effect<ReadonlyArray<Key>, SqlError> => sql<Key>`
  WITH next AS MATERIALIZED (
    SELECT operator_id, id FROM imported_calendars
    WHERE (operator_id, id) > (${after.operator_id}, ${after.id}) AND url_digest IS NULL
    ORDER BY operator_id, id LIMIT ${sql.literal(`${ROWS_AT_ONCE}`)}
  ), digested AS (
    UPDATE imported_calendars c SET url = c.url FROM next
    WHERE c.operator_id = next.operator_id AND c.id = next.id AND c.url_digest IS NULL
  )
  SELECT operator_id, id FROM next ORDER BY operator_id DESC, id DESC LIMIT 1`

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  let after: Key | undefined = { operator_id: 0, id: 0 }
  while (after !== undefined) {
    const done: ReadonlyArray<Key> = yield* digestedAfter(sql, after)
    after = done[0]
  }
  yield* buildIndexConcurrently({
    name: "imported_calendars_own_url",
    unique: true,
    on: "imported_calendars (operator_id, property_id, url_digest)"
  })
  yield* sql`ALTER TABLE imported_calendars DROP CONSTRAINT IF EXISTS imported_calendars_url`
})
