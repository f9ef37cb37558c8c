import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { newPublicCode } from "../../src/domain/guests/conversations/conversation-lookup.ts"

// Messages of a host that wait to be sent, written directly.

export interface MessageOptions {
  readonly text?: string
  readonly imageUrl?: string
}

/** Records a message of the host's in a conversation, to be sent; answers what it is known by. */
export const queueMessage = Effect.fnUntraced(function* (conversation: string, options: MessageOptions = {}) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DateTime.nowAsDate
  const code = newPublicCode()
  yield* sql`
    WITH lane AS (
      INSERT INTO message_lanes AS l (operator_id, conversation_id, account_id, waiting, due_at)
      SELECT operator_id, id, account_id, 1, ${now}::timestamptz FROM conversations WHERE code = ${conversation}
      ON CONFLICT (operator_id, conversation_id) DO UPDATE
      SET waiting = l.waiting + 1, due_at = CASE WHEN l.waiting = 0 THEN excluded.due_at ELSE l.due_at END
      RETURNING l.operator_id, l.conversation_id
    )
    INSERT INTO messages (operator_id, conversation_id, code, sender_role, sender_name, display_type, content,
      attachment_url, delivery, created_at)
    SELECT operator_id, conversation_id, ${code}, 'host', 'Owner',
      ${options.imageUrl === undefined ? "Text" : "FileAttachment"}, ${options.text ?? ""}, ${options.imageUrl ?? null}, 'queued',
      ${now}::timestamptz
    FROM lane`
  return code
}, Effect.orDie)

/** The messages of a conversation as they stand, oldest first: `Hello: refused, too long`. */
export const loadMessageLines = Effect.fnUntraced(function* (conversation: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ content: string; delivery: string | null; reason: string | null }>`
    SELECT m.content, m.delivery, m.reason FROM messages m
    JOIN conversations c ON c.operator_id = m.operator_id AND c.id = m.conversation_id
    WHERE c.code = ${conversation} ORDER BY m.id`
  return rows.map(
    ({ content, delivery, reason }) =>
      `${content}: ${delivery ?? "of the channel"}${reason === null ? "" : `, ${reason}`}`
  )
}, Effect.orDie)
