import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { idsParameter } from "../../database/parameters.ts"
import type { Party } from "../guest-place.ts"

/**
 * Nothing that was planned for the stays and conversations is done any more, and no question is answered: who has one in hand
 * has lost its lane. Why something planned for a stay was not done goes, as it may be in the words of a channel that was told a
 * review.
 */
export const endingPlans = (
  sql: SqlClient,
  { operatorId, stayIds, conversationIds }: Party,
  now: Date
): ReadonlyArray<Fragment> => [
  sql`
    UPDATE automation_plans SET reason = NULL
    WHERE operator_id = ${operatorId} AND stay_id = ANY (${idsParameter(stayIds)}::bigint[]) AND state <> 'waiting'
      AND reason <> 'the guest was erased'`,
  sql`
    UPDATE automation_plans SET state = 'skipped', reason = 'the guest was erased', settled_at = ${now}
    WHERE operator_id = ${operatorId} AND state = 'waiting' AND (stay_id = ANY (${idsParameter(stayIds)}::bigint[])
      OR conversation_id = ANY (${idsParameter(conversationIds)}::bigint[]))`,
  sql`
    UPDATE answer_lanes SET waiting = 0, attempts = attempts + 1
    WHERE operator_id = ${operatorId} AND conversation_id = ANY (${idsParameter(conversationIds)}::bigint[]) AND waiting > 0`
]

/** Locks the lanes of answers, which whoever answers has before the conversation. */
export const lockingAnswers = (sql: SqlClient, { operatorId, conversationIds }: Party): Fragment => sql`
  SELECT FROM answer_lanes
  WHERE operator_id = ${operatorId} AND conversation_id = ANY (${idsParameter(conversationIds)}::bigint[])
  ORDER BY conversation_id FOR NO KEY UPDATE`
