import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { InternalSubscriber } from "../../../jobs/events/internal-subscribers.ts"

// Only a message that is newer than an active answering rule becomes a question, when its event is dispatched.

export const answersGuestsCondition = (sql: SqlClient): Fragment => sql`
  r.state = 'active' AND (r.action = 'answer' OR r.action = 'send_message' AND r.definition -> 'trigger' ->> 'event' = 'inquiry')`

const answerableMessagesSql = (sql: SqlClient, dispatchedEvents: Fragment): Fragment => sql`
  SELECT c.operator_id, c.id AS conversation_id, c.account_id, m.id AS message_id, told.traceparent
  FROM ${dispatchedEvents} told
  JOIN messages m ON m.code = told.payload ->> 'message_id' AND m.operator_id = told.operator_id AND m.sender_role = 'guest'
  JOIN conversations c ON c.operator_id = m.operator_id AND c.id = m.conversation_id
  WHERE told.event = 'message_created' AND EXISTS (
    SELECT FROM automation_rules r WHERE r.operator_id = told.operator_id AND ${answersGuestsCondition(sql)}
      AND r.since <= m.created_at)`

const insertQuestions: InternalSubscriber = (sql, dispatchedEvents, now) => sql`
  INSERT INTO automation_plans (operator_id, kind, conversation_id, message_id, account_id, scheduled_at, due_at, created_at)
  SELECT operator_id, 'answer', conversation_id, message_id, account_id, ${now}::timestamptz, 'infinity', ${now}::timestamptz
  FROM (${answerableMessagesSql(sql, dispatchedEvents)}) asked ORDER BY message_id
  ON CONFLICT DO NOTHING
  RETURNING operator_id`

/** A conversation with pending questions keeps its due time, because all are answered together. */
const enqueueQuestions: InternalSubscriber = (sql, dispatchedEvents, now) => sql`
  INSERT INTO answer_lanes AS lane (operator_id, conversation_id, account_id, waiting, due_at, traceparent)
  SELECT operator_id, conversation_id, account_id, count(*), ${now}::timestamptz, min(traceparent) FROM (${answerableMessagesSql(sql, dispatchedEvents)}) asked
  GROUP BY 1, 2, 3 ORDER BY 1, 2
  ON CONFLICT (operator_id, conversation_id) DO UPDATE
    SET waiting = lane.waiting + excluded.waiting,
      traceparent = CASE WHEN lane.waiting = 0 THEN excluded.traceparent ELSE lane.traceparent END,
      due_at = CASE WHEN lane.waiting = 0 THEN excluded.due_at ELSE lane.due_at END
  RETURNING operator_id`

/** Two CTEs, because a CTE that writes cannot contain another one. */
export const guestQuestionSubscribers: ReadonlyArray<InternalSubscriber> = [insertQuestions, enqueueQuestions]
