import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Givens } from "../../../../platform/database/forms.ts"

// The statements that write down how telling a channel ended. Each locks the lane first and its message then, as everybody
// must who settles one: so the lane counts what waits, also where the channel has said meanwhile that the message is there.
// Then nothing is left to settle, and the lane only goes on. Done twice each is done once.

export interface ClaimedSendPartition {
  readonly operator_id: number
  readonly conversation_id: number
  readonly attempts: number
  readonly now: Date
}

interface ClaimedMessageParameters extends ClaimedSendPartition {
  readonly message_id: number
}

const conversationCondition = (
  sql: SqlClient,
  { operator_id, conversation_id }: Pick<Givens<ClaimedSendPartition>, "operator_id" | "conversation_id">
): Fragment => sql`operator_id = ${operator_id} AND conversation_id = ${conversation_id}`

/** Whether a lane is still the worker's: nobody has taken it since. */
const isClaimedCondition = (sql: SqlClient, inHand: Givens<ClaimedSendPartition>): Fragment =>
  sql`${conversationCondition(sql, inHand)} AND attempts = ${inHand.attempts}`

export interface MessageSentParameters extends ClaimedMessageParameters {
  readonly channel_message_id: string | undefined
}

/**
 * The channel has it: that is true whoever says so, also a worker that has lost the lane, of a message that nobody knew more of
 * by then. Where the channel told of it first and not under which name it was sent, it is two: the one that was sent stays.
 * One that was sent too, or that the guest wrote, is another whatever its channel calls it, and keeps that name. Answers the
 * names of those that went.
 */
export const settlingSent = (sql: SqlClient, parameters: Givens<MessageSentParameters>): Fragment => {
  const { now, attempts, message_id, channel_message_id } = parameters
  const channelMessageIdSql = sql`${channel_message_id ?? null}::text`
  return sql`
    WITH lane AS (
      SELECT operator_id, conversation_id FROM message_lanes WHERE ${conversationCondition(sql, parameters)} FOR NO KEY UPDATE
    ), ours AS MATERIALIZED (
      SELECT m.operator_id, m.conversation_id, m.id, m.delivery
      FROM lane JOIN messages m ON m.operator_id = lane.operator_id AND m.id = ${message_id}
      WHERE m.conversation_id = lane.conversation_id AND m.delivery IN ('queued', 'unknown') FOR NO KEY UPDATE OF m
    ), echo AS (
      DELETE FROM messages m USING ours
      WHERE m.operator_id = ours.operator_id AND m.conversation_id = ours.conversation_id
        AND m.channel_message_id = ${channelMessageIdSql} AND m.delivery IS NULL AND m.sender_role = 'host'
      RETURNING m.code
    ), other AS MATERIALIZED (
      SELECT array(SELECT code FROM echo) AS echoes, EXISTS (
        SELECT FROM ours JOIN messages m ON m.operator_id = ours.operator_id AND m.conversation_id = ours.conversation_id
        WHERE m.channel_message_id = ${channelMessageIdSql} AND (m.delivery IS NOT NULL OR m.sender_role = 'guest')) AS named
    ), settled AS (
      UPDATE messages m
      SET delivery = 'sent', reason = NULL, settled_at = ${now}, traceparent = NULL,
        channel_message_id = CASE WHEN other.named THEN m.channel_message_id ELSE ${channelMessageIdSql} END
      FROM ours, other WHERE m.operator_id = ours.operator_id AND m.id = ours.id
    ), going_on AS (
      UPDATE message_lanes l
      SET waiting = l.waiting - (SELECT count(*) FROM ours WHERE delivery = 'queued')::integer,
        failures = CASE WHEN l.attempts = ${attempts} THEN 0 ELSE l.failures END,
        due_at = CASE WHEN l.attempts = ${attempts} THEN ${now} ELSE l.due_at END
      FROM lane WHERE l.operator_id = lane.operator_id AND l.conversation_id = lane.conversation_id
    )
    SELECT echoes FROM other`
}

export interface MessageRefusedOrUnknownParameters extends ClaimedMessageParameters {
  readonly delivery: "refused" | "unknown"
  readonly reason: string
}

/** It is over without being sent, as far as anybody knows: the lane goes on with what else waits. */
export const settlingOver = (sql: SqlClient, parameters: Givens<MessageRefusedOrUnknownParameters>): Fragment => sql`
  WITH lane AS (
    SELECT operator_id, conversation_id FROM message_lanes WHERE ${isClaimedCondition(sql, parameters)} FOR NO KEY UPDATE
  ), settled AS (
    UPDATE messages m SET delivery = ${parameters.delivery}, reason = ${parameters.reason}, settled_at = ${parameters.now},
      traceparent = NULL
    FROM lane
    WHERE m.operator_id = lane.operator_id AND m.conversation_id = lane.conversation_id AND m.id = ${parameters.message_id}
      AND m.delivery = 'queued'
    RETURNING m.id
  ), going_on AS (
    UPDATE message_lanes l
    SET waiting = l.waiting - (SELECT count(*) FROM settled)::integer, failures = 0, due_at = ${parameters.now}
    FROM lane WHERE l.operator_id = lane.operator_id AND l.conversation_id = lane.conversation_id
  )
  SELECT count(*) AS messages FROM settled`

export interface MessageFailedParameters extends ClaimedMessageParameters {
  readonly failures: number
  readonly nextTry: Date
  readonly reason: string
  /** Whether it may have got there by now. */
  readonly maybeSent: boolean
  /** What was recorded by then has been tried for long enough. */
  readonly giveUpCreatedUntil: Date
  /** Why it is given up, if it surely never got there and if it may have. */
  readonly refusedReason: string
  readonly unknownReason: string
}

/**
 * The channel could not be told: all of the lane waits, so that nothing overtakes. What waits for too long is given up, each of
 * it, so that a channel that is away for days is not asked for each. Answers how many were given up.
 */
export const settlingFailed = (sql: SqlClient, parameters: Givens<MessageFailedParameters>): Fragment => {
  const { message_id, now, giveUpCreatedUntil } = parameters
  const isTriedCondition = sql`m.id = ${message_id}`
  const isTooOldCondition = sql`m.created_at <= ${giveUpCreatedUntil}`
  const isMaybeSentCondition = sql`CASE WHEN ${isTriedCondition} THEN ${parameters.maybeSent}::boolean ELSE m.maybe_sent END`
  return sql`
    WITH lane AS (
      SELECT operator_id, conversation_id FROM message_lanes
      WHERE ${isClaimedCondition(sql, parameters)} AND failures = ${parameters.failures} FOR NO KEY UPDATE
    ), tried AS (
      UPDATE messages m
      SET maybe_sent = ${isMaybeSentCondition},
        delivery = CASE WHEN NOT ${isTooOldCondition} THEN 'queued' WHEN ${isMaybeSentCondition} THEN 'unknown' ELSE 'refused' END,
        reason = CASE WHEN NOT ${isTooOldCondition} THEN ${parameters.reason} WHEN ${isMaybeSentCondition} THEN ${parameters.unknownReason} ELSE ${parameters.refusedReason} END,
        settled_at = CASE WHEN ${isTooOldCondition} THEN ${now}::timestamptz END,
        traceparent = CASE WHEN NOT ${isTooOldCondition} THEN m.traceparent END
      FROM lane
      WHERE m.operator_id = lane.operator_id AND m.conversation_id = lane.conversation_id AND m.delivery = 'queued'
        AND (${isTriedCondition} OR ${isTooOldCondition})
      RETURNING ${isTriedCondition} AS tried, m.delivery
    ), gone AS (
      SELECT count(*) FILTER (WHERE delivery <> 'queued') AS messages, coalesce(bool_or(tried), false) AS tried FROM tried
    ), waits AS (
      UPDATE message_lanes l
      SET waiting = l.waiting - gone.messages::integer,
        failures = CASE WHEN gone.tried THEN l.failures + 1 ELSE 0 END,
        due_at = CASE WHEN gone.tried THEN ${parameters.nextTry}::timestamptz ELSE ${now}::timestamptz END
      FROM lane, gone WHERE l.operator_id = lane.operator_id AND l.conversation_id = lane.conversation_id
    )
    SELECT messages FROM gone`
}

/** Gives a lane back, its message tried or not: nobody knows any more. */
export const releasePartitionSql = (sql: SqlClient, partition: Givens<ClaimedSendPartition>): Fragment => sql`
  UPDATE message_lanes SET due_at = ${partition.now} WHERE ${isClaimedCondition(sql, partition)}`
