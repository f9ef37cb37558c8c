import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { Conflict } from "../../../contract/errors.ts"
import type { Page } from "../../../contract/page.ts"
import { makeRowReaderOrFail } from "../../../platform/database/constraint-violations.ts"
import { makePageReader } from "../../../platform/database/list-pages.ts"
import { genericPlanParameter } from "../../../platform/database/parameters.ts"
import { makeOptionalRowReader, makeSingleRowReader, type RowPage } from "../../../platform/database/rows.ts"
import { MESSAGES_SHOWN } from "../../../platform/limits.ts"
import type { DisplayType } from "../../channels/port/channel-events.ts"
import { OffsetSecondColumn, RowId } from "../../column-schemas.ts"
import type { OperatorScoped } from "../../operator-rows.ts"
import { keepImageSql } from "../images/image-references.ts"
import { ConversationActivity, ConversationGuest, ListedConversation, Message } from "./contract.ts"
import {
  conversationGuestSql,
  conversationListColumns,
  conversationListParts,
  inquiryActivitySql,
  stayActivitiesSql
} from "./conversation-fragments.ts"
import { conversationByCodeSql, conversationExists } from "./conversation-lookup.ts"
import {
  conversationRecordSql,
  conversationsTouchedSql,
  enqueueMessagesSql,
  messageCreatedEventSql,
  operatorNameSql,
  toQueueFullError
} from "./message-queue.ts"

type Sql = SqlClient.SqlClient

const ConversationListRow = Schema.Struct({ ...ListedConversation.fields, last_message_at: OffsetSecondColumn })

interface SearchConversationsParameters extends OperatorScoped {
  readonly today: string
}

const search = (sql: Sql) => {
  const selectPage = makePageReader(
    sql,
    ConversationListRow,
    ({ operatorId, today }: SearchConversationsParameters) => ({
      // Index columns and a generic plan let PostgreSQL read large inboxes in index order.
      matchingRows: sql`SELECT operator_id, id, last_message_at FROM conversations WHERE operator_id = ${genericPlanParameter(sql, "bigint", operatorId)}`,
      ...conversationListParts(sql, today)
    }),
    conversationListColumns(sql)
  )
  return (operatorId: number, today: string, pageRequest: Page) => selectPage({ operatorId, today }, pageRequest)
}

const ActivityRow = Schema.Struct(Struct.omit(ConversationActivity.fields, ["activity_type"]))

const MessageRow = Schema.Struct({
  ...Message.fields,
  created_at: Schema.String
})
export type MessageRow = typeof MessageRow.Type

const ConversationRow = Schema.Struct({
  channel_type: Schema.String,
  guest: ConversationGuest,
  note: Schema.String,
  inquiry: Schema.NullOr(ActivityRow),
  stays: Schema.Array(ActivityRow),
  before_known: Schema.Boolean,
  /** Newest first. A row beyond `MESSAGES_SHOWN` means that older messages exist. */
  messages: Schema.Array(MessageRow)
})
const readConversation = makeOptionalRowReader(ConversationRow)

const messagePageSql = (sql: Sql, hasBefore: boolean): Fragment => sql`
  SELECT m.* FROM own CROSS JOIN LATERAL (
    SELECT * FROM messages m WHERE m.operator_id = own.operator_id AND m.conversation_id = own.id
      AND ${hasBefore ? sql`(m.created_at, m.id) < ((SELECT created_at FROM until), (SELECT id FROM until))` : sql`true`}
    ORDER BY m.created_at DESC, m.id DESC LIMIT ${sql.literal(String(MESSAGES_SHOWN + 1))}) m`

const findConversation = (sql: Sql) => (operatorId: number, code: string, before: string | undefined) =>
  readConversation(sql`
      WITH own AS (${conversationByCodeSql(sql, operatorId, code)}), until AS (${
        before === undefined
          ? sql`SELECT NULL::timestamptz AS created_at, NULL::bigint AS id`
          : sql`SELECT m.created_at, m.id FROM own JOIN messages m
              ON m.operator_id = own.operator_id AND m.conversation_id = own.id AND m.code = ${before}`
      }), shown AS (${messagePageSql(sql, before !== undefined)})
      SELECT own.channel_type, ${conversationGuestSql(sql, sql`own`)} AS guest, own.note, ${inquiryActivitySql(sql, sql`own`)} AS inquiry,
        coalesce(${stayActivitiesSql(sql, sql`own`)}, '[]') AS stays,
        EXISTS (SELECT FROM until) AS before_known,
        (SELECT coalesce(jsonb_agg(jsonb_build_object('id', code, 'sender_role', sender_role, 'sender_name', sender_name,
            'sources', sources, 'display_type', display_type, 'content', content, 'attachment',
            CASE WHEN attachment_url IS NOT NULL THEN jsonb_build_object('fullback_url', attachment_url) END,
            'created_at', created_at, 'delivery', delivery, 'delivery_reason', reason) ORDER BY created_at DESC, id DESC), '[]')
          FROM shown) AS messages
      FROM own`)

const RecipientRow = Schema.Struct({
  id: Schema.Int,
  channel_type: Schema.String,
  waiting: Schema.Int
})
const readRecipient = makeOptionalRowReader(RecipientRow)

const findSendTarget = (sql: Sql) => (operatorId: number, code: string) =>
  readRecipient(sql`
      SELECT c.id, c.channel_type, coalesce(l.waiting, 0) AS waiting
      FROM (${conversationByCodeSql(sql, operatorId, code)}) c
      LEFT JOIN message_lanes l ON l.operator_id = c.operator_id AND l.conversation_id = c.id`)

interface NewMessage {
  readonly code: string
  readonly display_type: DisplayType
  readonly content: string
  readonly image: { readonly id: number; readonly url: string } | undefined
}

const readSentMessage = makeRowReaderOrFail(RowId, toQueueFullError)

const sendMessage =
  (sql: Sql) =>
  (operatorId: number, conversationId: number, { code, display_type, content, image }: NewMessage, now: Date) => {
    const imageCte = image === undefined ? sql`` : sql`image AS (${keepImageSql(sql, operatorId, image.id)}), `
    const messageSql = sql`
      SELECT ${operatorId}::bigint AS operator_id, ${conversationId}::bigint AS conversation_id,
        ${code}::text AS code, ${operatorNameSql(sql, operatorId)} AS sender_name, '[]'::jsonb AS sources,
        ${display_type}::text AS display_type, ${content}::text AS content, ${
          image === undefined
            ? sql`NULL::text AS attachment_url, NULL::bigint AS image_id`
            : sql`${image.url}::text AS attachment_url, image.id AS image_id FROM image`
        }`
    return readSentMessage(
      recordChange(sql, {
        change: sql`${imageCte}${enqueueMessagesSql(sql, messageSql, now)}`,
        events: [messageCreatedEventSql(sql, now)],
        changedRecords: conversationsTouchedSql(sql),
        outcome: sql`SELECT id FROM message`
      })
    )
  }

const NoteRow = Schema.Struct({
  id: Schema.Int,
  note: Schema.String,
  updated_at: Schema.NullOr(OffsetSecondColumn)
})
const readNote = makeOptionalRowReader(NoteRow)

const findNote = (sql: Sql) => (operatorId: number, code: string) =>
  readNote(sql`
      SELECT id, note, note_updated_at AS updated_at FROM (${conversationByCodeSql(sql, operatorId, code)}) c`)

export const NoteTimestamp = Schema.Struct({ updated_at: Schema.NullOr(OffsetSecondColumn) })
const readNoteUpdate = makeSingleRowReader(NoteTimestamp)

const writeNote = (sql: Sql) => (operatorId: number, id: number, text: string, now: Date) =>
  readNoteUpdate(
    recordChange(sql, {
      change: sql`
        after AS (
          UPDATE conversations SET note = ${text}::text, note_updated_at = ${now}::timestamptz
          WHERE operator_id = ${operatorId} AND id = ${id}
          RETURNING operator_id, code, note_updated_at
        )`,
      events: [],
      changedRecords: sql`SELECT operator_id, ${conversationRecordSql(sql)} AS record, '{note}'::text[] AS fields FROM after`,
      outcome: sql`SELECT note_updated_at AS updated_at FROM after`
    })
  )

const makeConversationStore = Effect.map(SqlClient.SqlClient, (sql) => ({
  conversationExists: conversationExists(sql),
  search: search(sql),
  findConversation: findConversation(sql),
  findRecipient: findSendTarget(sql),
  sendMessage: sendMessage(sql),
  findNote: findNote(sql),
  writeNote: writeNote(sql)
}))

export class ConversationStore extends Context.Service<
  ConversationStore,
  {
    readonly conversationExists: (code: string) => Effect.Effect<boolean>
    readonly search: (
      operatorId: number,
      today: string,
      page: Page
    ) => Effect.Effect<RowPage<typeof ConversationListRow.Type>>
    /** `before` is the code of a message. The result has only older messages. */
    readonly findConversation: (
      operatorId: number,
      code: string,
      before: string | undefined
    ) => Effect.Effect<typeof ConversationRow.Type | undefined>
    readonly findRecipient: (operatorId: number, code: string) => Effect.Effect<typeof RecipientRow.Type | undefined>
    readonly sendMessage: (
      operatorId: number,
      conversationId: number,
      message: NewMessage,
      now: Date
    ) => Effect.Effect<RowId, Conflict, CurrentActor>
    readonly findNote: (operatorId: number, code: string) => Effect.Effect<typeof NoteRow.Type | undefined>
    readonly writeNote: (
      operatorId: number,
      id: number,
      note: string,
      now: Date
    ) => Effect.Effect<typeof NoteTimestamp.Type, never, CurrentActor>
  }
>()("latchkey/domain/guests/conversations/ConversationStore") {
  static readonly layer = Layer.effect(ConversationStore, makeConversationStore)
}
