import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

// Gives the stays there were an address for their guests' page, so many at a time. A stay that has one keeps it.

const STAYS_AT_ONCE = 500

interface Key {
  readonly operator_id: number
  readonly id: number
}

/** Goes on after the key that a piece ended with, until one finds nothing. */
const throughAll = Effect.fnUntraced(function* (piece: (after: Key) => Effect.Effect<ReadonlyArray<Key>, SqlError>) {
  let after: Key | undefined = { operator_id: 0, id: 0 }
  while (after !== undefined) {
    const last: ReadonlyArray<Key> = yield* piece(after)
    after = last[0]
  }
})

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const token = sql.literal("'lkguest_' || replace(gen_random_uuid()::text, '-', '')")

  // Who changes an order locks its stays in an order of their own: whoever has some and waits for another could wait in a
  // circle with them. So those that somebody has are left out here,
  yield* throughAll(
    (after) => sql<Key>`
      WITH next AS MATERIALIZED (
        SELECT operator_id, id FROM stays WHERE (operator_id, id) > (${after.operator_id}, ${after.id})
        ORDER BY operator_id, id LIMIT ${sql.literal(`${STAYS_AT_ONCE}`)}
      ), locked AS (
        SELECT s.operator_id, s.id
        FROM next CROSS JOIN LATERAL (
          SELECT operator_id, id FROM stays
          WHERE operator_id = next.operator_id AND id = next.id AND guide_token IS NULL
          FOR NO KEY UPDATE SKIP LOCKED) s
      ), given AS (
        UPDATE stays s SET guide_token = ${token}
        FROM locked WHERE s.operator_id = locked.operator_id AND s.id = locked.id
      )
      SELECT operator_id, id FROM next ORDER BY operator_id DESC, id DESC LIMIT 1`
  )
  // and waited for here, by who has nothing.
  yield* throughAll(
    (after) => sql<Key>`
      WITH next AS MATERIALIZED (
        SELECT operator_id, id FROM stays
        WHERE (operator_id, id) > (${after.operator_id}, ${after.id}) AND guide_token IS NULL
        ORDER BY operator_id, id LIMIT 1
      ), given AS (
        UPDATE stays s SET guide_token = ${token}
        FROM next WHERE s.operator_id = next.operator_id AND s.id = next.id AND s.guide_token IS NULL
      )
      SELECT operator_id, id FROM next`
  )
})
