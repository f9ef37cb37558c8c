import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Erasing a guest used to keep the descriptions of rates and the tags of ratings. This migration clears both for guests that were
// erased before. Only an erased stay has no address of the guest portal (`guide_token`).

const withoutKey = (column: string, key: string, empty: string) => `
  CASE jsonb_typeof(${column}) WHEN 'array' THEN coalesce(
    (SELECT jsonb_agg(part || '{"${key}": ${empty}}'::jsonb ORDER BY nth)
      FROM jsonb_array_elements(${column}) WITH ORDINALITY AS parts (part, nth)), '[]') ELSE ${column} END`

const withoutTags = (side: string) => `
  CASE WHEN jsonb_typeof(${side} -> 'sub_score') = 'array'
    THEN jsonb_set(${side}, '{sub_score}', ${withoutKey(`(${side} -> 'sub_score')`, "review_category_tags", "null")})
    ELSE ${side} END`

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Every change of an order locks the order first. This migration does the same, so it cannot deadlock with the running release.
  yield* sql`
    SELECT FROM orders
    WHERE (operator_id, id) IN (SELECT operator_id, order_id FROM stays WHERE guide_token IS NULL)
    ORDER BY operator_id, id FOR NO KEY UPDATE`
  yield* sql`
    UPDATE stays SET rate_details = ${sql.literal(withoutKey("rate_details", "description", '""'))}
    WHERE guide_token IS NULL AND rate_details IS NOT NULL`
  yield* sql`
    UPDATE reviews r SET version = version + 1, guest_review = ${sql.literal(withoutTags("guest_review"))},
      host_review = ${sql.literal(withoutTags("host_review"))}
    WHERE (r.operator_id, r.order_id) IN (SELECT operator_id, order_id FROM stays WHERE guide_token IS NULL)
      AND NOT EXISTS (
        SELECT FROM stays s
        WHERE s.operator_id = r.operator_id AND s.order_id = r.order_id AND s.guide_token IS NOT NULL)`
})
