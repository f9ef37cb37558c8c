import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/**
 * For a CTE of the statement that refers to an image, by its id or by a query for it: it stays from now on. No row where it is
 * gone already, or going: then its delete_at is -infinity (store.ts).
 */
export const keepImageSql = (sql: SqlClient, operatorId: number, imageId: number | Fragment): Fragment => sql`
  UPDATE images SET delete_at = NULL
  WHERE operator_id = ${operatorId} AND id = ${imageId} AND delete_at > '-infinity'
  RETURNING operator_id, id, token`

/** For a CTE of the statement that lets go of images, whose ids the query `ids` answers: they are removed soon. */
export const releaseImagesSql = (sql: SqlClient, operatorId: number, ids: Fragment, now: Date): Fragment => sql`
  UPDATE images SET delete_at = least(delete_at, ${now}::timestamptz) WHERE operator_id = ${operatorId} AND id IN (${ids})
  RETURNING id`
