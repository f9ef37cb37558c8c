import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

export const MESSAGE_IMAGES_PER_STATEMENT = 500

export const releaseOldMessageImagesSql = (
  sql: SqlClient,
  operatorId: number,
  cutoff: Date,
  now: Date
): Fragment => sql`
  WITH let_go AS (
    UPDATE images SET delete_at = ${now} WHERE operator_id = ${operatorId} AND id = ANY (ARRAY(
      SELECT id FROM images
      WHERE operator_id = ${operatorId} AND kind = 'message' AND delete_at IS NULL AND created_at <= ${cutoff}
      ORDER BY created_at, id LIMIT ${sql.literal(String(MESSAGE_IMAGES_PER_STATEMENT))} FOR UPDATE SKIP LOCKED))
    RETURNING id
  )
  SELECT count(*) AS rows FROM let_go`
