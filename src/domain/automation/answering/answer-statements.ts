import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { RecordedChange } from "../../../changes/recorded-change.ts"
import { isClaimedCondition, type JobClaim, type JobTable } from "../../../jobs/job-queue.ts"
import { idsParameter, jsonParameter } from "../../../platform/database/parameters.ts"
import { ACTIVITIES_SHOWN, QUESTIONS_PER_ANSWER } from "../../../platform/limits.ts"
import {
  conversationsTouchedSql,
  enqueueMessagesSql,
  messageCreatedEventSql
} from "../../guests/conversations/message-queue.ts"
import { ASSISTANT_NAME } from "../message-sources.ts"
import { answersGuestsCondition } from "./guest-questions.ts"

// Lock order: row of `answer_lanes` (the queue partition of a conversation), conversation, questions, row of
// `message_lanes`.

/** Claimed conversations of a process: in total, per operator, and per channel account. */
export const ANSWERING_ROOM = 16
export const ANSWERING_SHARE = 4
export const ANSWERING_ACCOUNT_SHARE = 2

/** So many of the newest messages are searched for the last one that a person wrote. */
const PERSON_MESSAGE_SCAN = 500

export const ANSWER_LEASE_MS = 30_000

export const ANSWER_TABLE: JobTable<"conversation_id"> = {
  table: "answer_lanes",
  keyColumn: "conversation_id",
  pendingCondition: "waiting > 0",
  accountCondition: "EXISTS (SELECT FROM operators WHERE id = with_work.operator_id AND status = 'active')",
  operatorLimit: ANSWERING_SHARE,
  accountLimit: ANSWERING_ACCOUNT_SHARE,
  leaseMs: ANSWER_LEASE_MS
}

const claimedPartitionSql = (sql: SqlClient, claim: JobClaim): Fragment => sql`
  SELECT * FROM answer_lanes WHERE ${isClaimedCondition(sql, ANSWER_TABLE, claim)}`

const newestMessagesSql = (sql: SqlClient): Fragment => sql`
  SELECT m.id, m.sender_role, m.sources, m.created_at FROM messages m
  WHERE m.operator_id = c.operator_id AND m.conversation_id = c.id
  ORDER BY m.created_at DESC, m.id DESC LIMIT ${sql.literal(String(PERSON_MESSAGE_SCAN))}`

/** Automatic messages have sources. */
const isWrittenByPersonCondition = (sql: SqlClient): Fragment => sql`sender_role = 'host' AND sources = '[]'`

const firstMessageSql = (sql: SqlClient): Fragment => sql`
  SELECT m.id FROM messages m WHERE m.operator_id = c.operator_id AND m.conversation_id = c.id
  ORDER BY m.created_at, m.id LIMIT 1`

const latestOrdersSql = (sql: SqlClient): Fragment => sql`
  SELECT o.operator_id, o.id, o.status FROM orders o WHERE o.operator_id = c.operator_id AND o.conversation_id = c.code
  ORDER BY o.id DESC LIMIT ${sql.literal(String(ACTIVITIES_SHOWN))}`

/** A text that differs if an order or stay of the conversation has changed. Then another answer may be right. */
const orderStatusesSql = (sql: SqlClient): Fragment => sql`
  SELECT coalesce(string_agg(concat_ws(' ', o.id, o.status, s.id, s.check_out_date, s.property_id), ',' ORDER BY o.id, s.id), '')
  FROM (${latestOrdersSql(sql)}) o JOIN stays s ON s.operator_id = o.operator_id AND s.order_id = o.id`

/**
 * The current and future stays of conversation `c`, and the properties of its inquiry. A mapped room type yields one
 * row per property. Without an inquiry or a mapping, one row without a property remains.
 */
const conversationSubjectsSql = (sql: SqlClient, now: LoadSituationParameters["now"]): Fragment => sql`
  SELECT s.property_id, s.check_out_date - s.check_in_date AS nights
  FROM (${latestOrdersSql(sql)}) o JOIN stays s ON s.operator_id = o.operator_id AND s.order_id = o.id
  WHERE s.check_out_date >= (${now}::timestamptz AT TIME ZONE host.time_zone)::date
  UNION ALL
  SELECT coalesce(l.property_id, r.property_id), c.inquiry_check_out_date - c.inquiry_check_in_date
  FROM (VALUES (true)) asked
  LEFT JOIN listings l
    ON l.operator_id = c.operator_id AND l.channel_type = c.channel_type AND l.listing_id = c.inquiry_listing_id
  LEFT JOIN room_type_properties r ON r.operator_id = l.operator_id AND r.room_type_id = l.room_type_id`

interface LoadSituationParameters extends JobClaim {
  readonly now: Date
}

export const situationSql = (sql: SqlClient, parameters: LoadSituationParameters): Fragment => sql`
  WITH mine AS (${claimedPartitionSql(sql, parameters)}), question AS MATERIALIZED (
    SELECT p.id AS plan_id, m.id AS message_id, m.content, m.created_at
    FROM mine
    JOIN automation_plans p ON p.operator_id = mine.operator_id AND p.conversation_id = mine.conversation_id
      AND p.kind = 'answer' AND p.state = 'waiting'
    JOIN messages m ON m.operator_id = p.operator_id AND m.id = p.message_id
    ORDER BY p.id LIMIT ${sql.literal(String(QUESTIONS_PER_ANSWER))}
  )
  SELECT c.code, c.channel_type, extract(epoch FROM c.last_message_at)::text AS said_until,
    (${orderStatusesSql(sql)}) AS standing, mine.waiting, mine.answered_at, mine.in_a_row, newest.spoken_at, newest.spoken_id,
    (SELECT coalesce(jsonb_agg(question ORDER BY plan_id), '[]') FROM question) AS questions,
    CASE WHEN NOT newest.host_spoke THEN (${firstMessageSql(sql)}) END AS first_id,
    EXISTS (SELECT FROM orders o WHERE o.operator_id = c.operator_id AND o.conversation_id = c.code) AS has_order,
    (SELECT coalesce(jsonb_agg(about), '[]') FROM (${conversationSubjectsSql(sql, parameters.now)}) about) AS about,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'since', r.since, 'definition', r.definition) ORDER BY r.id), '[]')
      FROM automation_rules r WHERE r.operator_id = c.operator_id AND ${answersGuestsCondition(sql)}) AS rules
  FROM mine
  JOIN conversations c ON c.operator_id = mine.operator_id AND c.id = mine.conversation_id
  JOIN operators host ON host.id = c.operator_id
  CROSS JOIN LATERAL (
    SELECT coalesce(bool_or(sender_role = 'host'), false) AS host_spoke,
      max(created_at) FILTER (WHERE ${isWrittenByPersonCondition(sql)}) AS spoken_at,
      (array_agg(id ORDER BY created_at DESC, id DESC) FILTER (WHERE ${isWrittenByPersonCondition(sql)}))[1] AS spoken_id
    FROM (${newestMessagesSql(sql)}) m
  ) newest`

export interface SkipQuestionsParameters extends JobClaim {
  readonly skippedPlanIds: ReadonlyArray<number>
  readonly skipReasons: ReadonlyArray<string>
  readonly settledCount: number
  readonly now: Date
  readonly nextDueAt: Date
}

const skipQuestionsSql = (
  sql: SqlClient,
  claimedSql: Fragment,
  { skippedPlanIds: overIds, skipReasons: overReasons, now }: SkipQuestionsParameters
): Fragment => sql`
  UPDATE automation_plans p SET state = 'skipped', reason = over.reason, settled_at = ${now}
  FROM ${claimedSql} held, unnest(${idsParameter(overIds)}::bigint[], ${overReasons}::text[]) over (id, reason)
  WHERE p.operator_id = held.operator_id AND p.id = over.id AND p.state = 'waiting'`

export const skipWithoutAnswerSql = (sql: SqlClient, parameters: SkipQuestionsParameters): Fragment => sql`
  WITH mine AS (${claimedPartitionSql(sql, parameters)} FOR NO KEY UPDATE), skipped AS (${skipQuestionsSql(sql, sql`mine`, parameters)})
  UPDATE answer_lanes l
  SET waiting = l.waiting - ${parameters.settledCount}::integer, due_at = ${parameters.nextDueAt}, attempts = l.attempts + 1, failures = 0
  FROM mine WHERE l.operator_id = mine.operator_id AND l.conversation_id = mine.conversation_id`

export interface RecordAnswerParameters extends SkipQuestionsParameters {
  readonly planIds: ReadonlyArray<number>
  readonly ruleIds: ReadonlyArray<number>
  /** As read by {@link situationSql}. */
  readonly said_until: string
  readonly standing: string
  readonly knowledgeBaseIds: ReadonlyArray<number>
  readonly knowledgeBaseRevisions: ReadonlyArray<number>
  readonly code: string
  readonly content: string
  readonly sources: ReadonlyArray<object>
  readonly answersInARow: number
}

const isAnyEntryEditedCondition = (
  sql: SqlClient,
  { knowledgeBaseIds: entryIds, knowledgeBaseRevisions: entryRevisions }: RecordAnswerParameters
): Fragment => sql`
  EXISTS (SELECT FROM unnest(${idsParameter(entryIds)}::bigint[], ${idsParameter(entryRevisions)}::bigint[]) read (id, revision)
    WHERE NOT EXISTS (SELECT FROM knowledge_bases k
      WHERE k.operator_id = mine.operator_id AND k.id = read.id AND k.revision = read.revision))`

/** A separate statement, so that the next one sees everything that was committed during the wait for locks. */
export const lockAnswerRowsSql = (sql: SqlClient, parameters: RecordAnswerParameters): Fragment => sql`
  WITH mine AS (${claimedPartitionSql(sql, parameters)} FOR NO KEY UPDATE), conversation AS (
    SELECT c.operator_id, c.id FROM mine
    JOIN conversations c ON c.operator_id = mine.operator_id AND c.id = mine.conversation_id
    FOR NO KEY UPDATE OF c
  ), question AS (
    SELECT p.id FROM conversation
    JOIN automation_plans p ON p.operator_id = conversation.operator_id
      AND p.id = ANY (${idsParameter(parameters.planIds)}::bigint[] || ${idsParameter(parameters.skippedPlanIds)}::bigint[])
    ORDER BY p.id FOR NO KEY UPDATE OF p
  ), lane AS (
    SELECT l.conversation_id FROM conversation
    JOIN message_lanes l ON l.operator_id = conversation.operator_id AND l.conversation_id = conversation.id
    FOR NO KEY UPDATE OF l
  )
  SELECT (SELECT count(*) FROM question) AS questions, (SELECT count(*) FROM lane) AS lanes`

/**
 * Completes the questions and queues the message, both or neither. The caller has run {@link lockAnswerRowsSql}.
 * Changes nothing if the claim is lost, or if anything has changed on which the answer depends.
 */
export const recordAnswerChange = (sql: SqlClient, parameters: RecordAnswerParameters): RecordedChange => {
  const { now, ruleIds } = parameters
  return {
    change: sql`
      mine AS (${claimedPartitionSql(sql, parameters)}), unchanged AS (
        SELECT c.operator_id, c.id FROM mine
        JOIN conversations c ON c.operator_id = mine.operator_id AND c.id = mine.conversation_id
        WHERE extract(epoch FROM c.last_message_at)::text = ${parameters.said_until}
          AND (${orderStatusesSql(sql)}) = ${parameters.standing} AND NOT ${isAnyEntryEditedCondition(sql, parameters)}
          AND ${ruleIds.length} = (SELECT count(*) FROM automation_rules r
            WHERE r.operator_id = mine.operator_id AND r.id = ANY (${idsParameter(ruleIds)}::bigint[]) AND r.state = 'active')
      ), done AS (
        UPDATE automation_plans p SET state = 'done', rule_id = ${ruleIds[0] ?? null}, settled_at = ${now}
        FROM unchanged
        WHERE p.operator_id = unchanged.operator_id AND p.id = ANY (${idsParameter(parameters.planIds)}::bigint[])
          AND p.state = 'waiting'
        RETURNING p.operator_id, p.conversation_id
      ), answered AS (SELECT DISTINCT operator_id, conversation_id FROM done),
      skipped AS (${skipQuestionsSql(sql, sql`answered`, parameters)}), paused AS (
        UPDATE answer_lanes l
        SET waiting = l.waiting - ${parameters.settledCount}::integer, due_at = ${parameters.nextDueAt}, attempts = l.attempts + 1,
          failures = 0, answered_at = ${now}, in_a_row = ${parameters.answersInARow}::integer
        FROM answered WHERE l.operator_id = answered.operator_id AND l.conversation_id = answered.conversation_id
      ), ${enqueueMessagesSql(
        sql,
        sql`
          SELECT operator_id, conversation_id, ${parameters.code}::text AS code, ${ASSISTANT_NAME}::text AS sender_name,
            ${jsonParameter(parameters.sources)}::jsonb AS sources, 'Text'::text AS display_type,
            ${parameters.content}::text AS content, NULL::text AS attachment_url, NULL::bigint AS image_id
          FROM answered`,
        now
      )}`,
    events: [messageCreatedEventSql(sql, now)],
    changedRecords: conversationsTouchedSql(sql),
    outcome: sql`SELECT EXISTS (SELECT FROM message) AS is_answered`
  }
}
