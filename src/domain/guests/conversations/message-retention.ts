import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { releaseImagesSql } from "../images/image-references.ts"
import { eraseMessageAssignmentsSql, hasMessageContentCondition } from "./guest-data.ts"

/** Messages that one statement erases. */
export const MESSAGE_RETENTION_BATCH_ROWS = 500

/**
 * Erases the oldest messages of an operator that came or were sent by then, with their images, and answers how many `rows`. One
 * that waits to be sent stays until it is, and one that somebody has in hand is left to the next time.
 */
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
