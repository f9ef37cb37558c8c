import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { onRecordInForms } from "../../../changes/on-record.ts"
import type { Page } from "../../../contract/page.ts"
import { rowUnless } from "../../../platform/database/constraints.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { pagesOf } from "../../../platform/database/pages.ts"
import { onlyRowOf, rowOf } from "../../../platform/database/rows.ts"
import { MESSAGES_SHOWN } from "../../../platform/limits.ts"
import type { DisplayType } from "../../channels/port/said.ts"
import type { OfOperator, OwnRow } from "../../own-row.ts"
import { Identity, OffsetSecond } from "../../row-fields.ts"
import { keepingImage } from "../images/keeping.ts"
import { guestOf, inquiryOf, listedOf, staysOf } from "./about.ts"
import { Activity, ConversationGuest, ListedConversation, Message } from "./contract.ts"
import { conversationNamed, isAnyones } from "./known-conversation.ts"
import {
  conversationRecord,
  merchantName,
  messageCreated,
  queuedMessages,
  refusedByLane,
  touchedByMessages
} from "./lane.ts"

type Sql = SqlClient.SqlClient

const ListedRow = Schema.Struct({ ...ListedConversation.fields, last_message_at: OffsetSecond })

interface Listed extends OfOperator {
  /** The merchant's day. */
  readonly today: string
}

const search = (sql: Sql) => {
  const page = pagesOf(sql, ListedRow, ({ operatorId, today }: Givens<Listed>) => ({
    // No more than the index has: a page is found in its order also where a plan knows of smaller inboxes alone.
    matching: sql`SELECT operator_id, id, last_message_at FROM conversations WHERE operator_id = ${operatorId}`,
    ...listedOf(sql, today)
  }))
  return (operatorId: number, today: string, asked: Page) => page({ operatorId, today }, asked)
}

/** What a stay or an inquiry says as an activity. */
const About = Schema.Struct(Struct.omit(Activity.fields, ["activity_type"]))

const MessageRow = Schema.Struct({
  ...Message.fields,
  /** With whatever offset the database writes. */
  created_at: Schema.String
})
export type MessageRow = typeof MessageRow.Type

const ConversationRow = Schema.Struct({
  channel_type: Schema.String,
  guest: ConversationGuest,
  note: Schema.String,
  inquiry: Schema.NullOr(About),
  stays: Schema.Array(About),
  before_known: Schema.Boolean,
  /** Newest first, with one more than the response holds if the conversation has more. */
  messages: Schema.Array(MessageRow)
})
const readConversation = rowOf(ConversationRow)

interface Coded extends OfOperator {
  readonly code: string
}

interface Asked extends Coded {
  /** The message before which others are asked for. */
  readonly before: string | undefined
}

const messagesShown = (sql: Sql, isBefore: boolean): Fragment => sql`
  SELECT m.* FROM own CROSS JOIN LATERAL (
    SELECT * FROM messages m WHERE m.operator_id = own.operator_id AND m.conversation_id = own.id
      AND ${isBefore ? sql`(m.created_at, m.id) < ((SELECT created_at FROM until), (SELECT id FROM until))` : sql`true`}
    ORDER BY m.created_at DESC, m.id DESC LIMIT ${sql.literal(String(MESSAGES_SHOWN + 1))}) m`

/** A conversation, and what is in it. */
const conversation = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, code, before }: Givens<Asked>) => sql`
      WITH own AS (${conversationNamed(sql, operatorId, code)}), until AS (${
        before === undefined
          ? sql`SELECT NULL::timestamptz AS created_at, NULL::bigint AS id`
          : sql`SELECT m.created_at, m.id FROM own JOIN messages m
              ON m.operator_id = own.operator_id AND m.conversation_id = own.id AND m.code = ${before}`
      }), shown AS (${messagesShown(sql, before !== undefined)})
      SELECT own.channel_type, ${guestOf(sql, sql`own`)} AS guest, own.note, ${inquiryOf(sql, sql`own`)} AS inquiry,
        coalesce(${staysOf(sql, sql`own`)}, '[]') AS stays,
        EXISTS (SELECT FROM until) AS before_known,
        (SELECT coalesce(jsonb_agg(jsonb_build_object('id', code, 'sender_role', sender_role, 'sender_name', sender_name,
            'sources', sources, 'display_type', display_type, 'content', content, 'attachment',
            CASE WHEN attachment_url IS NOT NULL THEN jsonb_build_object('fullback_url', attachment_url) END,
            'created_at', created_at, 'delivery', delivery, 'delivery_reason', reason) ORDER BY created_at DESC, id DESC), '[]')
          FROM shown) AS messages
      FROM own`
  )
  return (operatorId: number, code: string, before: string | undefined) =>
    readConversation(statement({ operatorId, code, before }))
}

const ReachedRow = Schema.Struct({
  id: Schema.Int,
  channel_type: Schema.String,
  /** Messages that wait to be sent. */
  waiting: Schema.Int
})
const readReached = rowOf(ReachedRow)

/** What a message to its guest is judged by. */
const reached = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, code }: Givens<Coded>) => sql`
      SELECT c.id, c.channel_type, coalesce(l.waiting, 0) AS waiting
      FROM (${conversationNamed(sql, operatorId, code)}) c
      LEFT JOIN message_lanes l ON l.operator_id = c.operator_id AND l.conversation_id = c.id`
  )
  return (operatorId: number, code: string) => readReached(statement({ operatorId, code }))
}

/** A message of the host's side. */
interface NewMessage {
  readonly code: string
  readonly display_type: DisplayType
  readonly content: string
  readonly image: { readonly id: number; readonly url: string } | undefined
}

interface Sent extends OfOperator, Omit<NewMessage, "image"> {
  readonly conversationId: number
  readonly imageId: number | undefined
  readonly imageUrl: string | undefined
  readonly now: Date
}

const readSent = rowUnless(Identity, refusedByLane)

/** Writes a message down and puts it into the lane of its conversation; fails where that is full. */
const send = (sql: Sql) => {
  const statement = onRecordInForms(sql, (sent: Givens<Sent>) => {
    const { operatorId, imageId, imageUrl, now } = sent
    const image = imageId === undefined ? sql`` : sql`image AS (${keepingImage(sql, operatorId, imageId)}), `
    const said = sql`
      SELECT ${operatorId}::bigint AS operator_id, ${sent.conversationId}::bigint AS conversation_id,
        ${sent.code}::text AS code, ${merchantName(sql, operatorId)} AS sender_name, '[]'::jsonb AS sources,
        ${sent.display_type}::text AS display_type, ${sent.content}::text AS content, ${
          imageId === undefined || imageUrl === undefined
            ? sql`NULL::text AS attachment_url, NULL::bigint AS image_id`
            : sql`${imageUrl}::text AS attachment_url, image.id AS image_id FROM image`
        }`
    return {
      change: sql`${image}${queuedMessages(sql, said, now)}`,
      events: [messageCreated(sql, now)],
      touched: touchedByMessages(sql),
      outcome: sql`SELECT id FROM message`
    }
  })
  return (operatorId: number, conversationId: number, { image, ...message }: NewMessage, now: Date) =>
    readSent(
      statement({
        operatorId,
        conversationId,
        code: message.code,
        display_type: message.display_type,
        content: message.content,
        imageId: image?.id,
        imageUrl: image?.url,
        now
      })
    )
}

const NotedRow = Schema.Struct({
  id: Schema.Int,
  note: Schema.String,
  updated_at: Schema.NullOr(OffsetSecond)
})
const readNoted = rowOf(NotedRow)

/** The note of a conversation. */
const noted = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, code }: Givens<Coded>) => sql`
      SELECT id, note, note_updated_at AS updated_at FROM (${conversationNamed(sql, operatorId, code)}) c`
  )
  return (operatorId: number, code: string) => readNoted(statement({ operatorId, code }))
}

/** When the note of a conversation was written last. */
export const NoteWritten = Schema.Struct({ updated_at: Schema.NullOr(OffsetSecond) })
const readWritten = onlyRowOf(NoteWritten)

interface Noted extends OwnRow {
  readonly note: string
  readonly now: Date
}

const note = (sql: Sql) => {
  const statement = onRecordInForms(sql, ({ operatorId, id, note, now }: Givens<Noted>) => ({
    change: sql`
      after AS (
        UPDATE conversations SET note = ${note}::text, note_updated_at = ${now}::timestamptz
        WHERE operator_id = ${operatorId} AND id = ${id}
        RETURNING operator_id, code, note_updated_at
      )`,
    events: [],
    touched: sql`SELECT operator_id, ${conversationRecord(sql)} AS record, '{note}'::text[] AS fields FROM after`,
    outcome: sql`SELECT note_updated_at AS updated_at FROM after`
  }))
  return (operatorId: number, id: number, text: string, now: Date) =>
    readWritten(statement({ operatorId, id, note: text, now }))
}

export class ConversationStore extends Context.Service<ConversationStore>()("latchkey/resources/ConversationStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    isAnyones: isAnyones(sql),
    search: search(sql),
    conversation: conversation(sql),
    reached: reached(sql),
    send: send(sql),
    noted: noted(sql),
    note: note(sql)
  }))
}) {
  static readonly layer = Layer.effect(ConversationStore, ConversationStore.make)
}
