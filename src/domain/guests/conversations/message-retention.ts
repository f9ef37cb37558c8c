import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { releaseImagesSql } from "../images/image-references.ts"
import { eraseMessageAssignmentsSql, hasMessageContentCondition } from "./guest-data.ts"

export const MESSAGE_RETENTION_BATCH_ROWS = 500

/** Erases old messages and their images. Skips queued and locked messages. */
export const eraseOldMessagesSql = (sql: SqlClient, operatorId: number, cutoff: Date, now: Date): Fragment => sql`
  WITH old AS MATERIALIZED (
    SELECT id, image_id FROM messages
    WHERE operator_id = ${operatorId} AND created_at <= ${cutoff} AND delivery IS DISTINCT FROM 'queued' AND ${hasMessageContentCondition(sql)}
    ORDER BY created_at, id LIMIT ${sql.literal(String(MESSAGE_RETENTION_BATCH_ROWS))} FOR UPDATE SKIP LOCKED
  ), let_go AS (${releaseImagesSql(sql, operatorId, sql`SELECT image_id FROM old`, now)}), erased AS (
    UPDATE messages SET ${eraseMessageAssignmentsSql(sql, now)}
    WHERE operator_id = ${operatorId} AND id = ANY (ARRAY(SELECT id FROM old))
    RETURNING id
  )
  SELECT count(*) AS rows FROM erased`
