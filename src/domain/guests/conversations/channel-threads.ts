import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { recordChange } from "../../../changes/recorded-change.ts"
import { column, columnAssignments, columnNames, rowParameterSql } from "../../../platform/database/columns.ts"
import { makeOptionalRowReader, makeSingleRowReader } from "../../../platform/database/rows.ts"
import { channelAccountSql } from "../../channels/channel-accounts/account-conditions.ts"
import type { ChannelOrderEvent, ChannelThreadEvent } from "../../channels/port/channel-events.ts"
import type { ChannelAccountRef } from "../../channels/port/event-handling.ts"
import { newPublicCode } from "./conversation-lookup.ts"
import { conversationRecordSql } from "./message-queue.ts"

type Sql = SqlClient

const NullableText = Schema.NullOr(Schema.String)
const NullableCount = Schema.NullOr(Schema.Int)

const GuestColumns = Schema.Struct({
  guest_name: column("text", NullableText),
  guest_phone: column("text", NullableText),
  guest_email: column("text", NullableText)
})

/** Columns that a thread event sets. The note belongs to the host. */
const ThreadColumns = Schema.Struct({
  ...GuestColumns.fields,
  inquiry_listing_id: column("text", NullableText),
  inquiry_check_in_date: column("date", NullableText),
  inquiry_check_out_date: column("date", NullableText),
  inquiry_adults: column("integer", NullableCount),
  inquiry_children: column("integer", NullableCount),
  inquiry_infants: column("integer", NullableCount),
  inquiry_pets: column("integer", NullableCount)
})

const toGuestColumns = ({ name, phone, email }: ChannelThreadEvent["guest"]): typeof GuestColumns.Type => ({
  guest_name: name,
  guest_phone: phone ?? null,
  guest_email: email ?? null
})

const toThreadColumns = ({ guest, inquiry }: ChannelThreadEvent): typeof ThreadColumns.Type => ({
  ...toGuestColumns(guest),
  inquiry_listing_id: inquiry?.listing_id ?? null,
  inquiry_check_in_date: inquiry?.check_in_date ?? null,
  inquiry_check_out_date: inquiry?.check_out_date ?? null,
  inquiry_adults: inquiry?.number_of_adults ?? null,
  inquiry_children: toInquiryCount(inquiry, inquiry?.number_of_children),
  inquiry_infants: toInquiryCount(inquiry, inquiry?.number_of_infants),
  inquiry_pets: toInquiryCount(inquiry, inquiry?.number_of_pets)
})

const toInquiryCount = (inquiry: ChannelThreadEvent["inquiry"], count: number | undefined): number | null =>
  inquiry === undefined || inquiry === null ? null : (count ?? 0)

export interface ChannelThreadRef extends ChannelAccountRef {
  readonly threadId: string
}

export const conversationByThreadSql = (
  sql: Sql,
  { operatorId, accountId, threadId }: ChannelThreadRef
): Fragment => sql`
  SELECT * FROM conversations WHERE operator_id = ${operatorId} AND account_id = ${accountId} AND thread_id = ${threadId}`

export const NEW_CONVERSATION_COLUMNS =
  "operator_id, code, account_id, channel_type, thread_id, last_message_at, created_at"
/** Values of {@link NEW_CONVERSATION_COLUMNS}. Needs the CTE `speaker`, which selects the channel account. */
export const newConversationValuesSql = (
  sql: Sql,
  { code, threadId, at }: { readonly code: string; readonly threadId: string; readonly at: Date },
  lastMessageAt: Date = at
): Fragment => sql`
  speaker.operator_id, ${code}::text, speaker.id, speaker.channel_type, ${threadId}::text, ${lastMessageAt}::timestamptz,
  ${at}::timestamptz`

const readIngestResult = makeSingleRowReader(
  Schema.Struct({
    speaker_known: Schema.Boolean,
    applied: Schema.Boolean,
    /** Version of the conversation before the statement. Null if there was no conversation. */
    last_version: Schema.NullOr(Schema.Int)
  })
)

export const ingestThread = (sql: Sql) => (account: ChannelAccountRef, thread: ChannelThreadEvent, at: Date) => {
  const threadId = thread.thread_id
  return readIngestResult(
    recordChange(sql, {
      change: sql`
        speaker AS (${channelAccountSql(sql, account)}), before AS (${conversationByThreadSql(sql, { ...account, threadId })}), after AS (
          INSERT INTO conversations AS c (${sql.literal(NEW_CONVERSATION_COLUMNS)}, version, ${sql.literal(columnNames(ThreadColumns))})
          SELECT ${newConversationValuesSql(sql, { code: newPublicCode(), threadId, at })}, ${thread.version}::bigint, ${sql.literal(columnNames(ThreadColumns, "given"))}
          FROM speaker, ${rowParameterSql(sql, ThreadColumns, toThreadColumns(thread))}
          ON CONFLICT (operator_id, account_id, thread_id) DO UPDATE
            SET version = excluded.version, ${sql.literal(columnAssignments(ThreadColumns, "excluded"))}
            WHERE c.version < excluded.version
          RETURNING c.*
        )`,
      events: [],
      // A newer version with the same content is not recorded as a change.
      changedRecords: sql`
        SELECT operator_id, ${conversationRecordSql(sql)} AS record, fields FROM (
          SELECT after.operator_id, after.code, before.id IS NULL AS is_new, CASE WHEN before.id IS NULL THEN '{}'::text[]
            ELSE changed_fields(to_jsonb(before) - 'version', to_jsonb(after) - 'version') END AS fields
          FROM after LEFT JOIN before ON before.operator_id = after.operator_id AND before.id = after.id
        ) compared WHERE is_new OR fields <> '{}'`,
      outcome: sql`
        SELECT EXISTS (SELECT FROM speaker) AS speaker_known, EXISTS (SELECT FROM after) AS applied,
          (SELECT version FROM before) AS last_version`
    })
  )
}

const readConversationCode = makeOptionalRowReader(Schema.Struct({ code: Schema.String }))

/**
 * The booker's details fill a conversation that has only messages. Returns undefined if another worker is creating the
 * conversation.
 */
export const ensureOrderThread = (sql: Sql) => {
  const guestColumnsSql = sql.literal(columnNames(GuestColumns))
  return (account: ChannelAccountRef, threadId: string, guest: ChannelOrderEvent["booker"], at: Date) => {
    const guestColumns = toGuestColumns(guest)
    return Effect.map(
      readConversationCode(
        recordChange(sql, {
          change: sql`
            speaker AS (${channelAccountSql(sql, account)}), known AS (${conversationByThreadSql(sql, { ...account, threadId })}), named AS (
              UPDATE conversations c SET ${sql.literal(columnAssignments(GuestColumns, "given"))}
              FROM known, ${rowParameterSql(sql, GuestColumns, guestColumns)}
              WHERE c.operator_id = known.operator_id AND c.id = known.id AND c.version = 0 AND c.guest_name IS NULL
              RETURNING c.operator_id, c.code
            ), made AS (
              INSERT INTO conversations (${sql.literal(NEW_CONVERSATION_COLUMNS)}, ${guestColumnsSql})
              SELECT ${newConversationValuesSql(sql, { code: newPublicCode(), threadId, at })}, ${sql.literal(columnNames(GuestColumns, "given"))}
              FROM speaker, ${rowParameterSql(sql, GuestColumns, guestColumns)} WHERE NOT EXISTS (SELECT FROM known)
              ON CONFLICT DO NOTHING RETURNING operator_id, code
            )`,
          events: [],
          changedRecords: sql`
            SELECT operator_id, ${conversationRecordSql(sql)} AS record, '{guest_name,guest_phone,guest_email}'::text[] AS fields
            FROM named
            UNION ALL SELECT operator_id, ${conversationRecordSql(sql)}, '{}' FROM made`,
          outcome: sql`SELECT code FROM known UNION ALL SELECT code FROM made`
        })
      ),
      (row) => row?.code
    )
  }
}
