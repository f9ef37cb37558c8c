import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { daysBefore } from "../../../contract/time.ts"
import { OVERVIEW_THREADS_DAYS, OVERVIEW_THREADS_SCANNED } from "../../../platform/limits.ts"

interface UnansweredConversationsInput {
  readonly operatorId: number
  readonly conversationsSince: Date
}

export const recentConversationsStart = (now: Date): Date => daysBefore(now, OVERVIEW_THREADS_DAYS)

/** SQL for a FROM clause: the recent conversations `c` whose last message is the guest's. */
export const unansweredConversationsSql = (
  sql: SqlClient,
  { operatorId, conversationsSince }: UnansweredConversationsInput
): Fragment => sql`
  (SELECT * FROM conversations WHERE operator_id = ${operatorId} AND last_message_at >= ${conversationsSince}
   ORDER BY last_message_at DESC, id DESC LIMIT ${sql.literal(String(OVERVIEW_THREADS_SCANNED))}) c
  CROSS JOIN LATERAL (
    SELECT m.sender_role FROM messages m WHERE m.operator_id = c.operator_id AND m.conversation_id = c.id
    ORDER BY m.created_at DESC, m.id DESC LIMIT 1) newest
  WHERE newest.sender_role = 'guest'`
