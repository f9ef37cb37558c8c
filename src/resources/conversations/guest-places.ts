import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { idsParameter } from "../../database/parameters.ts"
import type { GuestPlace, Party } from "../guest-place.ts"
import { lettingImagesGo } from "../images/keeping.ts"

// What conversations know of guests. An erased one is empty, and stays as what its order and its thread refer to: a message that
// comes later is of it.

const ofConversations = (sql: SqlClient, { conversationIds }: Party): Fragment =>
  sql`t.conversation_id = ANY (${idsParameter(conversationIds)}::bigint[])`

const messages: GuestPlace = {
  table: "messages",
  key: "id",
  about: ofConversations,
  secret: ["attachment_url", "traceparent"],
  // What waits to be sent goes too, and the lane that it waits in.
  erasing: (sql, party, now) => [
    sql`
      WITH let_go AS (${lettingImagesGo(
        sql,
        party.operatorId,
        sql`SELECT image_id FROM messages t WHERE t.operator_id = ${party.operatorId} AND ${ofConversations(sql, party)}`,
        now
      )}), lane AS (
        DELETE FROM message_lanes t WHERE t.operator_id = ${party.operatorId} AND ${ofConversations(sql, party)}
      )
      DELETE FROM messages t WHERE t.operator_id = ${party.operatorId} AND ${ofConversations(sql, party)}`
  ]
}

const conversations: GuestPlace = {
  table: "conversations",
  key: "id",
  about: (sql, { conversationIds }) => sql`t.id = ANY (${idsParameter(conversationIds)}::bigint[])`,
  erasing: (sql, { operatorId, conversationIds }) => [
    sql`
      UPDATE conversations SET version = version + 1, guest_name = NULL, guest_phone = NULL, guest_email = NULL, note = '',
        note_updated_at = NULL
      WHERE operator_id = ${operatorId} AND id = ANY (${idsParameter(conversationIds)}::bigint[])`
  ]
}

export const CONVERSATION_PLACES: ReadonlyArray<GuestPlace> = [messages, conversations]

/** Locks the conversations, as whatever says something in one begins. */
export const lockingConversations = (sql: SqlClient, { operatorId, conversationIds }: Party): Fragment => sql`
  SELECT FROM conversations WHERE operator_id = ${operatorId} AND id = ANY (${idsParameter(conversationIds)}::bigint[])
  ORDER BY id FOR NO KEY UPDATE`
