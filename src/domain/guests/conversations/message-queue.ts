import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { recordEventSql } from "../../../jobs/events/event-statements.ts"
import type { ConstraintViolation } from "../../../platform/database/constraint-violations.ts"
import { traceparentSql } from "../../../platform/database/traceparent-sql.ts"
import { QUEUED_MESSAGES_MAX } from "../../../platform/limits.ts"
import { messageQueueFullError } from "./rules.ts"

// Every statement locks in this order: conversation, `message_lanes`, message.

/** Name of a conversation in the audit log and in events. */
export const conversationRecordSql = (sql: SqlClient, column = "code"): Fragment =>
  sql`'conversation:' || ${sql(column)}`

/** The sender is always the main account (specification, Conversation message). */
export const operatorNameSql = (sql: SqlClient, operatorId: number): Fragment =>
  sql`(SELECT name FROM operators WHERE id = ${operatorId})`

/** A full queue makes `waiting` negative, which violates this constraint. */
const QUEUE_FULL_CONSTRAINT = "message_lanes_waiting_check"

/**
 * `messagesSql` selects `operator_id, conversation_id, code, sender_name, sources, display_type, content,
 * attachment_url, image_id`, at most one row per conversation. The CTEs `message` and `conversation` have the inserted
 * rows and their conversations.
 */
export const enqueueMessagesSql = (sql: SqlClient, messagesSql: Fragment, now: Date): Fragment => sql`
  said AS (${messagesSql}), conversation AS (
    UPDATE conversations c SET last_message_at = greatest(c.last_message_at, ${now}::timestamptz)
    FROM said WHERE c.operator_id = said.operator_id AND c.id = said.conversation_id
    RETURNING c.operator_id, c.id, c.code, c.account_id
  ), lane AS (
    INSERT INTO message_lanes AS l (operator_id, conversation_id, account_id, waiting, due_at)
    SELECT operator_id, id, account_id, 1, ${now}::timestamptz FROM conversation
    ON CONFLICT (operator_id, conversation_id) DO UPDATE
      SET waiting = CASE WHEN l.waiting < ${sql.literal(String(QUEUED_MESSAGES_MAX))} THEN l.waiting + 1 ELSE -1 END,
        due_at = CASE WHEN l.waiting = 0 THEN excluded.due_at ELSE l.due_at END
    RETURNING operator_id, conversation_id
  ), message AS (
    INSERT INTO messages AS m (operator_id, conversation_id, code, sender_role, sender_name, sources, display_type,
      content, attachment_url, image_id, delivery, created_at, traceparent)
    SELECT said.operator_id, said.conversation_id, said.code, 'host', said.sender_name, said.sources, said.display_type,
      said.content, said.attachment_url, said.image_id, 'queued', ${now}::timestamptz, ${traceparentSql(sql)}
    FROM said JOIN lane ON lane.operator_id = said.operator_id AND lane.conversation_id = said.conversation_id
    RETURNING m.operator_id, m.id, m.conversation_id, m.code
  )`

/** Needs the CTEs `message` and `conversation`. */
export const messageCreatedEventSql = (sql: SqlClient, now: Date): Fragment =>
  recordEventSql(sql, "message_created", {
    from: sql`(
      SELECT message.operator_id, conversation.code AS conversation_code, message.code AS message_code
      FROM message JOIN conversation
        ON conversation.operator_id = message.operator_id AND conversation.id = message.conversation_id) created`,
    record: conversationRecordSql(sql, "conversation_code"),
    fields: { conversation_id: sql`conversation_code`, message_id: sql`message_code` },
    at: now
  })

export const conversationsTouchedSql = (sql: SqlClient): Fragment => sql`
  SELECT operator_id, ${conversationRecordSql(sql)} AS record, '{messages}'::text[] AS fields FROM conversation`

export const toQueueFullError = ({ name }: ConstraintViolation) =>
  name === QUEUE_FULL_CONSTRAINT ? messageQueueFullError : undefined
