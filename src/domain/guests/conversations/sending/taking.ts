import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type ClaimRequest, claimableRowsSql, type FairQueue } from "../../../../jobs/fair-queue.ts"
import type { Givens } from "../../../../platform/database/forms.ts"

// The statement by which lanes are taken: rows that were found are changed by where they lie.

/** Messages under way at once in a process, those of one operator, and those of one of its accounts. */
export const SENDING_ROOM = 32
export const SENDING_SHARE = 8
export const SENDING_ACCOUNT_SHARE = 4

/** What of it is due, and in which turn. */
export const messageQueue = (sql: SqlClient): FairQueue => ({
  table: sql`message_lanes`,
  keyColumn: sql`conversation_id`,
  pendingCondition: sql`waiting > 0`,
  accountCondition: sql`true`,
  operatorLimit: SENDING_SHARE,
  accountLimit: SENDING_ACCOUNT_SHARE
})

/**
 * Takes lanes that are due and answers the first message of each. That a try of it begins is written down with that: whoever
 * dies in the middle of it leaves this much. A lane that was changed since the statement began lies elsewhere by then and is
 * left to the next: so its first message is the first that waits.
 */
export const takingDue = (sql: SqlClient, taking: Givens<ClaimRequest>): Fragment => {
  const queue = messageQueue(sql)
  return sql`
  WITH RECURSIVE ${claimableRowsSql(sql, queue, taking)}, taken AS (
    UPDATE message_lanes l SET attempts = l.attempts + 1, due_at = ${taking.leaseEnd}
    WHERE l.ctid = ANY (ARRAY(SELECT place FROM chosen)) AND l.waiting > 0 AND l.due_at <= ${taking.now}
    RETURNING l.operator_id, l.conversation_id, l.account_id, l.attempts, l.failures
  ), next AS MATERIALIZED (
    SELECT taken.*, first.* FROM taken CROSS JOIN LATERAL (
      SELECT id AS message_id, code, content, attachment_url, maybe_sent, traceparent FROM messages
      WHERE operator_id = taken.operator_id AND conversation_id = taken.conversation_id AND delivery = 'queued'
      ORDER BY id LIMIT 1) first
  ), begun AS (
    UPDATE messages m SET maybe_sent = true FROM next
    WHERE m.operator_id = next.operator_id AND m.id = next.message_id AND m.delivery = 'queued' AND NOT m.maybe_sent
  )
  SELECT next.operator_id, next.conversation_id, next.attempts, next.failures, next.account_id, c.channel_type, c.thread_id,
    next.message_id, next.code, next.content, next.attachment_url, next.maybe_sent AS again, next.traceparent
  FROM next JOIN conversations c ON c.operator_id = next.operator_id AND c.id = next.conversation_id`
}
