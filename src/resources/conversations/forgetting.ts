import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { lettingImagesGo } from "../images/keeping.ts"

/** Messages that one statement deletes. */
export const FORGETTING_MESSAGES = 500

/**
 * Deletes the oldest messages of an operator that came or were sent by then, with their images, and answers how many `rows`. One
 * that waits to be sent stays until it is, and one that somebody has in hand is left to the next time.
 */
export const forgettingMessages = (sql: SqlClient, operatorId: number, then: Date, now: Date): Fragment => sql`
  WITH gone AS (
    DELETE FROM messages WHERE operator_id = ${operatorId} AND id = ANY (ARRAY(
      SELECT id FROM messages
      WHERE operator_id = ${operatorId} AND created_at <= ${then} AND delivery IS DISTINCT FROM 'queued'
      ORDER BY created_at, id LIMIT ${sql.literal(String(FORGETTING_MESSAGES))} FOR UPDATE SKIP LOCKED))
    RETURNING image_id
  ), let_go AS (${lettingImagesGo(sql, operatorId, sql`SELECT image_id FROM gone`, now)})
  SELECT count(*) AS rows FROM gone`
