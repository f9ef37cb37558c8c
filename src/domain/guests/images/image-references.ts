import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/**
 * Protects an image from retention. Returns no row if the image is protected already, removed, or about to be removed.
 */
export const keepImageSql = (sql: SqlClient, operatorId: number, imageId: number | Fragment): Fragment => sql`
  UPDATE images SET delete_at = NULL
  WHERE operator_id = ${operatorId} AND id = ${imageId} AND delete_at > '-infinity'
  RETURNING operator_id, id, token`

/** Makes retention remove these images soon. */
export const releaseImagesSql = (sql: SqlClient, operatorId: number, ids: Fragment, now: Date): Fragment => sql`
  UPDATE images SET delete_at = least(delete_at, ${now}::timestamptz) WHERE operator_id = ${operatorId} AND id IN (${ids})
  RETURNING id`
