import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { recordChange } from "../../../changes/recorded-change.ts"
import { findConstraintViolation } from "../../../platform/database/constraint-violations.ts"
import { makeOptionalRowReader, makeSingleRowReader } from "../../../platform/database/rows.ts"
import { withSavepoint } from "../../../platform/database/savepoint.ts"
import { CHANNEL_CLOCK_SKEW_MS, MESSAGE_FEEDBACK_LOOP_MS } from "../../../platform/limits.ts"
import { channelAccountSql } from "../../channels/channel-accounts/account-conditions.ts"
import type { ChannelMessageEvent, DisplayType } from "../../channels/port/channel-events.ts"
import { type ChannelAccountRef, parseChannelInstant } from "../../channels/port/event-handling.ts"
import { RowId } from "../../column-schemas.ts"
import {
  type ChannelThreadRef,
  conversationByThreadSql,
  NEW_CONVERSATION_COLUMNS,
  newConversationValuesSql
} from "./channel-threads.ts"
import { newPublicCode } from "./conversation-lookup.ts"
import { conversationRecordSql, messageCreatedEventSql, operatorNameSql } from "./message-queue.ts"

type Sql = SqlClient

/** The time of a message is never in the future, even if the channel's clock is ahead. */
const resolveSentAt = (message: ChannelMessageEvent, now: Date): Date =>
  new Date(Math.min(parseChannelInstant(message.sent_at).getTime(), now.getTime()))

const toAttachmentUrl = ({ attachment_url }: ChannelMessageEvent): string | undefined => attachment_url ?? undefined

const LocalMessage = Schema.Struct({ conversation_id: Schema.Int, id: Schema.Int })
/** A message that this service sent. */
type LocalMessage = typeof LocalMessage.Type

const readRecognition = makeSingleRowReader(
  Schema.Struct({
    speaker_known: Schema.Boolean,
    is_known: Schema.Boolean,
    ours: Schema.NullOr(LocalMessage)
  })
)

interface RecognizeMessageParameters extends ChannelThreadRef {
  readonly messageId: string
  /** The code that this service gave to a host message. Without it, text and time identify the message. */
  readonly sentAs: string | undefined
  readonly text: string | undefined
  readonly hasAttachment: boolean
  readonly createdFrom: Date
  readonly createdUntil: Date
}

const localMessageSql = (
  sql: Sql,
  { sentAs, text, hasAttachment, createdFrom, createdUntil }: RecognizeMessageParameters
): Fragment => {
  const conversationMessagesSql = sql`SELECT m.* FROM conversation c JOIN messages m ON m.operator_id = c.operator_id AND m.conversation_id = c.id`
  if (sentAs !== undefined) return sql`${conversationMessagesSql} WHERE m.code = ${sentAs} AND m.delivery IS NOT NULL`
  if (text === undefined) return sql`${conversationMessagesSql} WHERE false`
  // The oldest message with this text that may have been delivered.
  return sql`${conversationMessagesSql}
    WHERE m.created_at BETWEEN ${createdFrom}::timestamptz AND ${createdUntil}::timestamptz AND m.channel_message_id IS NULL
      AND (m.delivery IN ('sent', 'unknown') OR m.delivery = 'queued' AND m.maybe_sent)
      AND m.content = ${text} AND (m.attachment_url IS NOT NULL) = ${hasAttachment}::boolean
    ORDER BY m.created_at, m.id LIMIT 1`
}

export const recognizeMessage = (sql: Sql) => {
  const statement = (parameters: RecognizeMessageParameters) => sql`
      WITH conversation AS (${conversationByThreadSql(sql, parameters)}), ours AS (${localMessageSql(sql, parameters)})
      SELECT EXISTS (${channelAccountSql(sql, parameters)}) AS speaker_known,
        EXISTS (SELECT FROM conversation c JOIN messages m
            ON m.operator_id = c.operator_id AND m.conversation_id = c.id AND m.channel_message_id = ${parameters.messageId})
          OR EXISTS (SELECT FROM ours WHERE channel_message_id IS NOT NULL) AS is_known,
        (SELECT jsonb_build_object('conversation_id', conversation_id, 'id', id) FROM ours) AS ours`
  return ({ operatorId, accountId, channelType }: ChannelAccountRef, message: ChannelMessageEvent, now: Date) => {
    const isHost = message.sender === "host"
    const sentAs = isHost ? (message.sent_as ?? undefined) : undefined
    const at = resolveSentAt(message, now).getTime()
    return readRecognition(
      statement({
        operatorId,
        accountId,
        channelType,
        threadId: message.thread_id,
        messageId: message.message_id,
        sentAs,
        text: isHost ? message.text : undefined,
        hasAttachment: toAttachmentUrl(message) !== undefined,
        createdFrom: new Date(at - MESSAGE_FEEDBACK_LOOP_MS),
        createdUntil: new Date(at + CHANNEL_CLOCK_SKEW_MS)
      })
    )
  }
}

interface InsertMessageParameters extends ChannelThreadRef {
  readonly conversationCode: string
  readonly code: string
  readonly messageId: string
  readonly sender: ChannelMessageEvent["sender"]
  readonly displayType: DisplayType
  readonly text: string
  readonly attachmentUrl: string | undefined
  readonly sentAt: Date
  readonly now: Date
}

const readInsertedId = makeOptionalRowReader(RowId)

/** Returns undefined if another worker is handling the same message or thread. */
export const insertChannelMessage = (sql: Sql) => {
  const statement = (parameters: InsertMessageParameters) => {
    const { conversationCode: code, threadId, attachmentUrl, sentAt, now } = parameters
    return recordChange(sql, {
      // Locks the conversation before its messages. A `last_message_at` other than `created_at` shows that there is an
      // earlier message, even one that the statement's snapshot lacks.
      change: sql`
        speaker AS (${channelAccountSql(sql, parameters)}), known AS (${conversationByThreadSql(sql, parameters)}), made AS (
          INSERT INTO conversations (${sql.literal(NEW_CONVERSATION_COLUMNS)})
          SELECT ${newConversationValuesSql(sql, { code, threadId, at: now }, sentAt)} FROM speaker WHERE NOT EXISTS (SELECT FROM known)
          ON CONFLICT DO NOTHING RETURNING operator_id, id, code
        ), moved AS (
          UPDATE conversations c SET last_message_at = CASE WHEN c.last_message_at <> c.created_at OR EXISTS (
              SELECT FROM messages m WHERE m.operator_id = c.operator_id AND m.conversation_id = c.id)
            THEN greatest(c.last_message_at, ${sentAt}::timestamptz) ELSE ${sentAt}::timestamptz END
          FROM known WHERE c.operator_id = known.operator_id AND c.id = known.id
          RETURNING c.operator_id, c.id, c.code
        ), conversation AS (SELECT * FROM moved UNION ALL SELECT * FROM made), message AS (
          INSERT INTO messages AS m (operator_id, conversation_id, code, channel_message_id, sender_role, sender_name,
            display_type, content, attachment_url, created_at)
          SELECT operator_id, id, ${parameters.code}::text, ${parameters.messageId}::text, ${parameters.sender}::text,
            CASE WHEN ${parameters.sender}::text = 'host' THEN ${operatorNameSql(sql, parameters.operatorId)} END,
            ${parameters.displayType}::text, ${parameters.text}::text,
            ${attachmentUrl === undefined ? sql`NULL` : attachmentUrl}::text, ${sentAt}::timestamptz
          FROM conversation
          ON CONFLICT (operator_id, conversation_id, channel_message_id) DO NOTHING
          RETURNING m.operator_id, m.id, m.conversation_id, m.code
        )`,
      events: [messageCreatedEventSql(sql, now)],
      changedRecords: sql`
        SELECT c.operator_id, ${conversationRecordSql(sql)} AS record,
          CASE WHEN EXISTS (SELECT FROM made) THEN '{}' ELSE '{messages}' END::text[] AS fields
        FROM (SELECT conversation.* FROM conversation, message) c`,
      outcome: sql`SELECT id FROM message`
    })
  }
  return ({ operatorId, accountId, channelType }: ChannelAccountRef, message: ChannelMessageEvent, now: Date) => {
    const attachmentUrl = toAttachmentUrl(message)
    return readInsertedId(
      statement({
        operatorId,
        accountId,
        channelType,
        threadId: message.thread_id,
        conversationCode: newPublicCode(),
        code: newPublicCode(),
        messageId: message.message_id,
        sender: message.sender,
        displayType: message.display_type ?? (attachmentUrl === undefined ? "Text" : "FileAttachment"),
        text: message.text,
        attachmentUrl,
        sentAt: resolveSentAt(message, now),
        now
      })
    )
  }
}

const CHANNEL_MESSAGE_ID_CONSTRAINT = "messages_of_channel"

const readConfirmedId = makeOptionalRowReader(RowId)

/**
 * Stores the channel's id of the message, and marks the message as sent. Records no event, because the creation of the
 * message recorded one. Returns undefined if the message already has a channel id, or another message has this one.
 */
export const confirmLocalMessage = (sql: Sql) => {
  // A worker may be sending an older queued message. Then `due_at` stays, so that no other worker sends that message
  // too.
  const olderQueuedMessagesSql = sql`
    SELECT FROM messages older WHERE older.operator_id = after.operator_id
      AND older.conversation_id = after.conversation_id AND older.delivery = 'queued' AND older.id < after.id`
  const inSavepoint = withSavepoint(sql)
  return (operatorId: number, { conversation_id, id }: LocalMessage, { message_id }: ChannelMessageEvent, now: Date) =>
    inSavepoint(
      recordChange(sql, {
        // Locks the row of `message_lanes` before the message, as the worker does.
        change: sql`
          lane AS (
            SELECT operator_id, conversation_id FROM message_lanes
            WHERE operator_id = ${operatorId} AND conversation_id = ${conversation_id} FOR NO KEY UPDATE
          ), before AS (
            SELECT m.* FROM messages m LEFT JOIN lane ON true
            WHERE m.operator_id = ${operatorId} AND m.id = ${id} AND m.channel_message_id IS NULL FOR NO KEY UPDATE OF m
          ), after AS (
            UPDATE messages m
            SET channel_message_id = ${message_id}, delivery = 'sent', reason = NULL,
              settled_at = coalesce(m.settled_at, ${now}::timestamptz)
            FROM before WHERE m.operator_id = before.operator_id AND m.id = before.id AND m.channel_message_id IS NULL
            RETURNING m.operator_id, m.id, m.conversation_id
          ), counted AS (
            UPDATE message_lanes l SET waiting = l.waiting - 1, failures = 0,
              due_at = CASE WHEN EXISTS (${olderQueuedMessagesSql}) THEN l.due_at ELSE ${now}::timestamptz END
            FROM after JOIN before ON before.operator_id = after.operator_id AND before.id = after.id
            WHERE before.delivery = 'queued'
              AND l.operator_id = after.operator_id AND l.conversation_id = after.conversation_id
          )`,
        events: [],
        changedRecords: sql`
          SELECT c.operator_id, ${conversationRecordSql(sql)} AS record, '{messages}'::text[] AS fields
          FROM after JOIN conversations c ON c.operator_id = after.operator_id AND c.id = after.conversation_id`,
        outcome: sql`SELECT id FROM after`
      })
    ).pipe(
      Effect.catchIf(
        (error) => findConstraintViolation(error)?.name === CHANNEL_MESSAGE_ID_CONSTRAINT,
        () => Effect.succeed([])
      ),
      readConfirmedId
    )
}
