import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { newPublicCode } from "../../../../../src/domain/guests/conversations/conversation-lookup.ts"
import { NOW_ISO } from "../../../domain/bookings/reservations/reservation-operator.ts"
import { prepareOfferConversation } from "../../../domain/guests/special-offers/offer-conversation.ts"
import { signIn } from "../signed-in-pages.ts"

// What the tests of the page of messages begin with.

export const conversationPath = (conversation: string): string => `/console/messages?id=${conversation}`

/** A host who is signed in, and a guest who talks to him, on a day in April; `page`: where. */
export const prepareHostConversation = Effect.fnUntraced(function* (
  ...options: Parameters<typeof prepareOfferConversation>
) {
  const conversation = yield* prepareOfferConversation(...options)
  const cookie = yield* signIn(yield* findMainAccountId(conversation.operatorId))
  return { ...conversation, cookie, pagePath: conversationPath(conversation.conversation_id) }
})

/** The account that signs in; what the scene calls `accountId` is the one at the channel. */
export const findMainAccountId = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    id: number
  }>`SELECT id FROM accounts WHERE operator_id = ${operatorId} ORDER BY id LIMIT 1`
  return row?.id ?? assert.fail("no row was inserted or found")
}, Effect.orDie)

export interface InsertMessagesOptions {
  readonly sender?: "guest" | "host"
  readonly name?: string
  readonly sentAt?: string
  readonly delivery?: "queued" | "sent" | "refused" | "unknown"
  readonly reason?: string
  readonly attachment?: string
  readonly count?: number
}

/** Enters what was said in a conversation, or so many of it, a minute apart and numbered. */
export const insertMessages = Effect.fnUntraced(function* (
  conversation: string,
  content: string,
  options: InsertMessagesOptions = {}
) {
  const sql = yield* SqlClient.SqlClient
  const { sender = "guest", sentAt = NOW_ISO, count = 1 } = options
  const isNumbered = options.count !== undefined
  yield* sql`
    WITH talk AS (
      UPDATE conversations SET last_message_at = ${sentAt}::timestamptz + ${count - 1}::int * interval '1 minute' WHERE code = ${conversation}
      RETURNING operator_id, id
    )
    INSERT INTO messages (operator_id, conversation_id, code, sender_role, sender_name, display_type, content, attachment_url,
      delivery, reason, created_at)
    SELECT operator_id, id, ${newPublicCode()} || nth, ${sender}, ${options.name ?? null},
      ${options.attachment === undefined ? "Text" : "FileAttachment"}, ${content} || CASE WHEN ${isNumbered}::boolean THEN ' ' || nth ELSE '' END,
      ${options.attachment ?? null}, ${options.delivery ?? null}, ${options.reason ?? null},
      ${sentAt}::timestamptz + (nth - 1) * interval '1 minute'
    FROM talk, generate_series(1, ${count}::int) AS each (nth) ORDER BY nth`
}, Effect.orDie)

/** Every message, note and offer of an operator, as rows: to see that nothing changed. */
export const loadConversationRows = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.forEach(
    ["messages", "conversations", "special_offers", "message_lanes"],
    (name) =>
      sql<{ row: string }>`SELECT t::text AS row FROM ${sql(name)} t WHERE operator_id = ${operatorId} ORDER BY 1`
  )
}, Effect.orDie)
