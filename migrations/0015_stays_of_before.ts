import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Counts the stays that were entered before any were counted, so many orders at a time: a change of one of them waits for
// these only. It locks no table, and rows in the order in which changes lock them. A count only rises: one that is as high
// already was made by an entry that came meanwhile, or by another process that is here too.

const ORDERS_AT_ONCE = 1000

interface Key {
  readonly operator_id: number
  readonly order_id: number
}

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  let after: Key | undefined = { operator_id: 0, order_id: 0 }
  while (after !== undefined) {
    const last: ReadonlyArray<Key> = yield* sql<Key>`
      WITH several AS (
        SELECT operator_id, order_id, count(*) AS stays FROM stays
        WHERE (operator_id, order_id) > (${after.operator_id}, ${after.order_id})
        GROUP BY operator_id, order_id ORDER BY operator_id, order_id LIMIT ${ORDERS_AT_ONCE}
      ), locked AS (
        SELECT o.operator_id, o.id, several.stays
        FROM several JOIN orders o ON o.operator_id = several.operator_id AND o.id = several.order_id
        WHERE o.stay_count < several.stays
        ORDER BY o.operator_id, o.id FOR NO KEY UPDATE OF o
      ), counted AS (
        UPDATE orders o SET stay_count = locked.stays
        FROM locked WHERE o.operator_id = locked.operator_id AND o.id = locked.id
      )
      SELECT operator_id, order_id FROM several ORDER BY operator_id DESC, order_id DESC LIMIT 1`
    after = last[0]
  }
})
