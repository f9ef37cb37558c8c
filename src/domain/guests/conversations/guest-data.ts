import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { belongsToConversations, type GuestDataTable, type GuestRecordIds } from "../../guest-data.ts"
import { releaseImagesSql } from "../images/image-references.ts"

// Erasure keeps the rows of conversations, because orders and later messages of the thread need them.

const ERASED_TEXT = "(erased)"

/** Must equal the condition of the index messages_by_age (migration 0063). */
export const hasMessageContentCondition = (sql: SqlClient): Fragment =>
  sql.literal(
    `(content <> '${ERASED_TEXT}' OR sender_name IS NOT NULL OR attachment_url IS NOT NULL OR image_id IS NOT NULL)`
  )

/** Must equal the condition of the index conversations_of_guests (migration 0064). */
export const hasGuestDetailsCondition = (sql: SqlClient): Fragment =>
  sql.literal(`(t.guest_name IS NOT NULL OR t.guest_phone IS NOT NULL OR t.guest_email IS NOT NULL OR t.note <> '')`)

/** The row stays, because the channel may report the message again, or return its id after a send attempt. */
export const eraseMessageAssignmentsSql = (sql: SqlClient, now: Date): Fragment => sql`
  content = ${sql.literal(`'${ERASED_TEXT}'`)}, sender_name = NULL, sources = '[]', attachment_url = NULL, image_id = NULL,
  settled_at = CASE WHEN delivery = 'queued' THEN ${now}::timestamptz ELSE settled_at END,
  reason = CASE WHEN delivery = 'queued' AND maybe_sent THEN 'erased while it was sent'
    WHEN delivery = 'queued' THEN 'erased before it was sent' END,
  delivery = CASE WHEN delivery = 'queued' AND maybe_sent THEN 'unknown' WHEN delivery = 'queued' THEN 'refused' ELSE delivery END`

const guestDataInMessages: GuestDataTable = {
  table: "messages",
  keyColumns: ["id"],
  belongsToGuest: belongsToConversations,
  secretColumns: ["attachment_url", "traceparent"],
  // Locks `message_lanes` before messages, like every statement that completes a message.
  eraseStatements: (sql, guest, now) => [
    sql`
      SELECT FROM message_lanes t WHERE t.operator_id = ${guest.operatorId} AND ${belongsToConversations(sql, guest)}
      ORDER BY t.conversation_id FOR NO KEY UPDATE`,
    sql`
      WITH let_go AS (${releaseImagesSql(
        sql,
        guest.operatorId,
        sql`SELECT image_id FROM messages t WHERE t.operator_id = ${guest.operatorId} AND ${belongsToConversations(sql, guest)}`,
        now
      )})
      UPDATE messages t SET ${eraseMessageAssignmentsSql(sql, now)}
      WHERE t.operator_id = ${guest.operatorId} AND ${belongsToConversations(sql, guest)} AND ${hasMessageContentCondition(sql)}`,
    sql`
      UPDATE message_lanes t SET waiting = 0
      WHERE t.operator_id = ${guest.operatorId} AND ${belongsToConversations(sql, guest)} AND t.waiting > 0`
  ]
}

const guestDataInConversations: GuestDataTable = {
  table: "conversations",
  keyColumns: ["id"],
  belongsToGuest: (sql, guest) => belongsToConversations(sql, guest, "id"),
  // Version 1 prevents orders from setting the guest's name again (`ensureOrderThread`). The channel's next version
  // still applies.
  eraseStatements: (sql, guest) => [
    sql`
      UPDATE conversations t SET version = greatest(version, 1), guest_name = NULL, guest_phone = NULL, guest_email = NULL, note = '',
        note_updated_at = NULL
      WHERE t.operator_id = ${guest.operatorId} AND ${belongsToConversations(sql, guest, "id")}`
  ]
}

export const CONVERSATION_GUEST_DATA: ReadonlyArray<GuestDataTable> = [guestDataInMessages, guestDataInConversations]

/** Statements that add messages also lock their conversation first, so no message appears during an erasure. */
export const lockConversationsSql = (sql: SqlClient, guest: GuestRecordIds): Fragment => sql`
  SELECT FROM conversations t WHERE t.operator_id = ${guest.operatorId} AND ${belongsToConversations(sql, guest, "id")}
  ORDER BY t.id FOR NO KEY UPDATE`
