import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type GuestPlace, ofConversations, type Party } from "../../guest-place.ts"
import { lettingImagesGo } from "../images/keeping.ts"

// What conversations know of guests. An erased one is empty, and stays as what its order and its thread refer to: a message that
// comes later is of it.

/** What an erased message says. */
const ERASED = "(erased)"

/** Whether a message says anything: the condition of the index messages_by_age (0063), word for word. */
export const saysAnything = (sql: SqlClient): Fragment =>
  sql.literal(
    `(content <> '${ERASED}' OR sender_name IS NOT NULL OR attachment_url IS NOT NULL OR image_id IS NOT NULL)`
  )

/**
 * Whether a conversation, as `t`, says who its guest is: the condition of the index conversations_of_guests (0064), word for
 * word.
 */
export const saysWho = (sql: SqlClient): Fragment =>
  sql.literal(`(t.guest_name IS NOT NULL OR t.guest_phone IS NOT NULL OR t.guest_email IS NOT NULL OR t.note <> '')`)

/**
 * For an UPDATE of messages: what is left of one. The row stays, as its channel may say once more that there is such a message; and
 * of one that may be on its way it is yet to be told how its channel calls it.
 */
export const saysNothing = (sql: SqlClient, now: Date): Fragment => sql`
  content = ${sql.literal(`'${ERASED}'`)}, sender_name = NULL, sources = '[]', attachment_url = NULL, image_id = NULL,
  settled_at = CASE WHEN delivery = 'queued' THEN ${now}::timestamptz ELSE settled_at END,
  reason = CASE WHEN delivery = 'queued' AND maybe_sent THEN 'erased while it was sent'
    WHEN delivery = 'queued' THEN 'erased before it was sent' END,
  delivery = CASE WHEN delivery = 'queued' AND maybe_sent THEN 'unknown' WHEN delivery = 'queued' THEN 'refused' ELSE delivery END`

const messages: GuestPlace = {
  table: "messages",
  key: ["id"],
  about: ofConversations,
  secret: ["attachment_url", "traceparent"],
  // Lanes before messages, as whoever settles one locks them.
  erasing: (sql, party, now) => [
    sql`
      SELECT FROM message_lanes t WHERE t.operator_id = ${party.operatorId} AND ${ofConversations(sql, party)}
      ORDER BY t.conversation_id FOR NO KEY UPDATE`,
    sql`
      WITH let_go AS (${lettingImagesGo(
        sql,
        party.operatorId,
        sql`SELECT image_id FROM messages t WHERE t.operator_id = ${party.operatorId} AND ${ofConversations(sql, party)}`,
        now
      )})
      UPDATE messages t SET ${saysNothing(sql, now)}
      WHERE t.operator_id = ${party.operatorId} AND ${ofConversations(sql, party)} AND ${saysAnything(sql)}`,
    sql`
      UPDATE message_lanes t SET waiting = 0
      WHERE t.operator_id = ${party.operatorId} AND ${ofConversations(sql, party)} AND t.waiting > 0`
  ]
}

const conversations: GuestPlace = {
  table: "conversations",
  key: ["id"],
  about: (sql, party) => ofConversations(sql, party, "id"),
  // The version is the channel's own: what it says next is news. One that only orders named is named by them no more.
  erasing: (sql, party) => [
    sql`
      UPDATE conversations t SET version = greatest(version, 1), guest_name = NULL, guest_phone = NULL, guest_email = NULL, note = '',
        note_updated_at = NULL
      WHERE t.operator_id = ${party.operatorId} AND ${ofConversations(sql, party, "id")}`
  ]
}

export const CONVERSATION_PLACES: ReadonlyArray<GuestPlace> = [messages, conversations]

/** Locks the conversations, as whatever says something in one begins. */
export const lockingConversations = (sql: SqlClient, party: Party): Fragment => sql`
  SELECT FROM conversations t WHERE t.operator_id = ${party.operatorId} AND ${ofConversations(sql, party, "id")}
  ORDER BY t.id FOR NO KEY UPDATE`
