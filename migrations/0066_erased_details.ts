import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

// Erasing a guest left the descriptions of rates and the tags of ratings until now. Both are cleared where a guest was erased
// before: only an erased stay has no address of its guests' page.
//
// In pieces, because a change of an order waits while its piece runs.

const ORDERS_AT_ONCE = 500

interface Key {
  readonly operator_id: number
  readonly order_id: number
}

const withoutKey = (column: string, key: string, empty: string) => `
  CASE jsonb_typeof(${column}) WHEN 'array' THEN coalesce(
    (SELECT jsonb_agg(part || '{"${key}": ${empty}}'::jsonb ORDER BY nth)
      FROM jsonb_array_elements(${column}) WITH ORDINALITY AS parts (part, nth)), '[]') ELSE ${column} END`

const withoutTags = (side: string) => `
  CASE WHEN jsonb_typeof(r.${side} -> 'sub_score') = 'array'
    THEN jsonb_set(r.${side}, '{sub_score}', ${withoutKey(`(r.${side} -> 'sub_score')`, "review_category_tags", "null")})
    ELSE r.${side} END`

/**
 * Clears the next orders with an erased stay. Returns the last order of the piece, or nothing after the last piece. Orders are locked
 * first, as every change does, so that this cannot deadlock with the release that still serves.
 */
const clearPiece = (sql: SqlClient.SqlClient, after: Key): Effect.Effect<ReadonlyArray<Key>, SqlError> => sql<Key>`
  WITH next AS MATERIALIZED (
    SELECT DISTINCT operator_id, order_id FROM stays
    WHERE guide_token IS NULL AND (operator_id, order_id) > (${after.operator_id}, ${after.order_id})
    ORDER BY operator_id, order_id LIMIT ${sql.literal(`${ORDERS_AT_ONCE}`)}
  ), locked AS MATERIALIZED (
    SELECT o.operator_id, o.id FROM next JOIN orders o ON o.operator_id = next.operator_id AND o.id = next.order_id
    ORDER BY o.operator_id, o.id FOR NO KEY UPDATE OF o
  ), cleared AS (
    UPDATE stays s SET rate_details = ${sql.literal(withoutKey("s.rate_details", "description", '""'))}
    FROM locked WHERE s.operator_id = locked.operator_id AND s.order_id = locked.id
      AND s.guide_token IS NULL AND s.rate_details IS NOT NULL
  ), untagged AS (
    UPDATE reviews r SET version = r.version + 1, guest_review = ${sql.literal(withoutTags("guest_review"))},
      host_review = ${sql.literal(withoutTags("host_review"))}
    FROM locked WHERE r.operator_id = locked.operator_id AND r.order_id = locked.id
      AND NOT EXISTS (
        SELECT FROM stays s
        WHERE s.operator_id = r.operator_id AND s.order_id = r.order_id AND s.guide_token IS NOT NULL)
  )
  SELECT operator_id, order_id FROM next ORDER BY operator_id DESC, order_id DESC LIMIT 1`

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  let after: Key | undefined = { operator_id: 0, order_id: 0 }
  while (after !== undefined) {
    const last: ReadonlyArray<Key> = yield* clearPiece(sql, after)
    after = last[0]
  }
})
