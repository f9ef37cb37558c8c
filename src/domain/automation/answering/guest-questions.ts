import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { InternalSubscriber } from "../../../jobs/events/internal-subscribers.ts"

// Whoever writes as a guest asks: where the host has a rule by then that answers, his message waits, once for ever.

/** Whether a row `r` of `automation_rules` says something to guests who write: by itself, or out of the knowledge base. */
export const answersGuestsCondition = (sql: SqlClient): Fragment => sql`
  r.state = 'active' AND (r.action = 'answer' OR r.action = 'send_message' AND r.definition -> 'trigger' ->> 'event' = 'inquiry')`

/** Messages of guests that were handed out and may be answered. */
const answerableMessagesSql = (sql: SqlClient, dispatchedEvents: Fragment): Fragment => sql`
  SELECT c.operator_id, c.id AS conversation_id, c.account_id, m.id AS message_id, told.traceparent
  FROM ${dispatchedEvents} told
  JOIN messages m ON m.code = told.payload ->> 'message_id' AND m.operator_id = told.operator_id AND m.sender_role = 'guest'
  JOIN conversations c ON c.operator_id = m.operator_id AND c.id = m.conversation_id
  WHERE told.event = 'message_created' AND EXISTS (
    SELECT FROM automation_rules r WHERE r.operator_id = told.operator_id AND ${answersGuestsCondition(sql)}
      AND r.since <= m.created_at)`

/** Each is a question, in the order in which they were written down. */
const insertQuestions: InternalSubscriber = (sql, dispatchedEvents, now) => sql`
  INSERT INTO automation_plans (operator_id, kind, conversation_id, message_id, account_id, scheduled_at, due_at, created_at)
  SELECT operator_id, 'answer', conversation_id, message_id, account_id, ${now}::timestamptz, 'infinity', ${now}::timestamptz
  FROM (${answerableMessagesSql(sql, dispatchedEvents)}) asked ORDER BY message_id
  ON CONFLICT DO NOTHING
  RETURNING operator_id`

/** The lane of its conversation counts it. One in which something waits is in no hurry: what waits together is one question. */
const enqueueQuestions: InternalSubscriber = (sql, dispatchedEvents, now) => sql`
  INSERT INTO answer_lanes AS lane (operator_id, conversation_id, account_id, waiting, due_at, traceparent)
  SELECT operator_id, conversation_id, account_id, count(*), ${now}::timestamptz, min(traceparent) FROM (${answerableMessagesSql(sql, dispatchedEvents)}) asked
  GROUP BY 1, 2, 3 ORDER BY 1, 2
  ON CONFLICT (operator_id, conversation_id) DO UPDATE
    SET waiting = lane.waiting + excluded.waiting,
      traceparent = CASE WHEN lane.waiting = 0 THEN excluded.traceparent ELSE lane.traceparent END,
      due_at = CASE WHEN lane.waiting = 0 THEN excluded.due_at ELSE lane.due_at END
  RETURNING operator_id`

/** Parts of one statement, which cannot be one part: a CTE that writes has none that write. */
export const guestQuestionSubscribers: ReadonlyArray<InternalSubscriber> = [insertQuestions, enqueueQuestions]
