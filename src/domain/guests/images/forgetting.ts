import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** Images that one statement lets go of. */
export const FORGETTING_MESSAGE_IMAGES = 500

/** Lets go of the oldest images that came in messages of an operator by then, and answers how many `rows`. */
export const forgettingMessageImages = (sql: SqlClient, operatorId: number, then: Date, now: Date): Fragment => sql`
  WITH let_go AS (
    UPDATE images SET delete_at = ${now} WHERE operator_id = ${operatorId} AND id = ANY (ARRAY(
      SELECT id FROM images
      WHERE operator_id = ${operatorId} AND kind = 'message' AND delete_at IS NULL AND created_at <= ${then}
      ORDER BY created_at, id LIMIT ${sql.literal(String(FORGETTING_MESSAGE_IMAGES))} FOR UPDATE SKIP LOCKED))
    RETURNING id
  )
  SELECT count(*) AS rows FROM let_go`
