import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { recordEventSql } from "../../../jobs/events/event-statements.ts"
import type { ConstraintViolation } from "../../../platform/database/constraint-violations.ts"
import { traceparentSql } from "../../../platform/database/traceparent-sql.ts"
import { QUEUED_MESSAGES_MAX } from "../../../platform/limits.ts"
import { messageQueueFullError } from "./rules.ts"

// How a message to a guest is written down and put into the lane of its conversation, by whatever statement says one. Rows are
// locked in one order everywhere: conversation, lane, message.

/** What trail and events call a conversation, by the column that has its code. */
export const conversationRecordSql = (sql: SqlClient, column = "code"): Fragment =>
  sql`'conversation:' || ${sql(column)}`

/** Who is said to write for the host, whichever of his accounts it was: the merchant (specification, Conversation message). */
export const operatorNameSql = (sql: SqlClient, operatorId: number): Fragment =>
  sql`(SELECT name FROM operators WHERE id = ${operatorId})`

/** What a full lane breaks: it would wait for fewer than none. */
const QUEUE_FULL_CONSTRAINT = "message_lanes_waiting_check"

/**
 * CTEs that record messages of the host's side as queued. `said` is a query for `operator_id, conversation_id, code,
 * sender_name, sources, display_type, content, attachment_url, image_id`, one row a conversation at most. The CTE `message` has the
 * rows that came of it, with the `conversation` they are in. An idle lane is due now. A full one breaks its own check, which
 * undoes the whole statement ({@link toQueueFullError}).
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

/** What subscribers are told of the rows of `message`, whose conversations are in `conversation`. */
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

/** The conversations in the CTE `conversation`: each has a new row in `message`. */
export const conversationsTouchedSql = (sql: SqlClient): Fragment => sql`
  SELECT operator_id, ${conversationRecordSql(sql)} AS record, '{messages}'::text[] AS fields FROM conversation`

/** 409 for one more message than may wait in a conversation (platform/database/constraint-violations.ts). */
export const toQueueFullError = ({ name }: ConstraintViolation) =>
  name === QUEUE_FULL_CONSTRAINT ? messageQueueFullError : undefined
