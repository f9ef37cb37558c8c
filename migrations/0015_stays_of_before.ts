import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Counts the stays that were entered before any were counted, so many orders at a time: a change of one of them waits for
// these only. It locks no table, and rows in the order in which changes lock them. A count only rises: one that is as high
// already was made by an entry that came meanwhile, or by another process that is here too.

/** So few that they are looked up one by one and not by reading all orders; told to the database as it is, for that. */
const ORDERS_AT_ONCE = 200

interface Key {
  readonly operator_id: number
  readonly id: number
}

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  let after: Key | undefined = { operator_id: 0, id: 0 }
  while (after !== undefined) {
    const last: ReadonlyArray<Key> = yield* sql<Key>`
      WITH next AS MATERIALIZED (
        SELECT operator_id, id FROM orders WHERE (operator_id, id) > (${after.operator_id}, ${after.id})
        ORDER BY operator_id, id LIMIT ${sql.literal(`${ORDERS_AT_ONCE}`)}
      ), several AS MATERIALIZED (
        SELECT next.operator_id, next.id, own.stays
        FROM next CROSS JOIN LATERAL (
          SELECT count(*) AS stays FROM stays s WHERE s.operator_id = next.operator_id AND s.order_id = next.id) own
        WHERE own.stays > 1 ORDER BY next.operator_id, next.id
      ), locked AS (
        SELECT o.operator_id, o.id, several.stays
        FROM several CROSS JOIN LATERAL (
          SELECT operator_id, id FROM orders
          WHERE operator_id = several.operator_id AND id = several.id AND stay_count < several.stays
          FOR NO KEY UPDATE) o
      ), counted AS (
        UPDATE orders o SET stay_count = locked.stays
        FROM locked WHERE o.operator_id = locked.operator_id AND o.id = locked.id
      )
      SELECT operator_id, id FROM next ORDER BY operator_id DESC, id DESC LIMIT 1`
    after = last[0]
  }
})
