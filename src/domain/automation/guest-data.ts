import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { belongsToConversations, belongsToStays, type GuestRecordIds } from "../guest-data.ts"

const ERASED_REASON = "'the guest was erased'"

/**
 * Increasing `attempts` ends the claim of a running answer. Earlier reasons are removed, because they may contain a
 * channel's text about the guest.
 */
export const cancelGuestPlansSql = (sql: SqlClient, party: GuestRecordIds, now: Date): ReadonlyArray<Fragment> => [
  sql`
    UPDATE automation_plans t SET reason = NULL
    WHERE t.operator_id = ${party.operatorId} AND ${belongsToStays(sql, party)} AND t.state <> 'waiting'
      AND t.reason <> ${sql.literal(ERASED_REASON)}`,
  sql`
    UPDATE automation_plans t SET state = 'skipped', reason = ${sql.literal(ERASED_REASON)}, settled_at = ${now}
    WHERE t.operator_id = ${party.operatorId} AND t.state = 'waiting'
      AND (${belongsToStays(sql, party)} OR ${belongsToConversations(sql, party)})`,
  sql`
    UPDATE answer_lanes t SET waiting = 0, attempts = attempts + 1
    WHERE t.operator_id = ${party.operatorId} AND ${belongsToConversations(sql, party)} AND t.waiting > 0`
]

/** Callers lock these rows before conversations, as the answering worker does. */
export const lockAnswerPartitionsSql = (sql: SqlClient, party: GuestRecordIds): Fragment => sql`
  SELECT FROM answer_lanes t WHERE t.operator_id = ${party.operatorId} AND ${belongsToConversations(sql, party)}
  ORDER BY t.conversation_id FOR NO KEY UPDATE`
