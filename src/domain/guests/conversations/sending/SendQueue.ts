import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import {
  claimedJobFields,
  isClaimedCondition,
  type JobClaim,
  type JobTable,
  makeJobQueue
} from "../../../../jobs/job-queue.ts"
import { makeOptionalRowReader } from "../../../../platform/database/rows.ts"
import { MESSAGE_GIVE_UP_MS } from "../../../../platform/limits.ts"

// A worker claims a conversation (a row of `message_lanes`) for one message at a time, so the messages arrive in order.
//
// A statement that completes a message must lock this row first. This keeps the count of queued messages (`waiting`)
// exact.

/** Largest numbers of messages that are being sent: in all, per operator and per channel account. */
export const SENDING_ROOM = 32
export const SENDING_SHARE = 8
export const SENDING_ACCOUNT_SHARE = 4

/** The lease covers one attempt and storing its outcome. */
export const SEND_LEASE_MS = 45_000

export const MESSAGE_TABLE: JobTable<"conversation_id"> = {
  table: "message_lanes",
  keyColumn: "conversation_id",
  pendingCondition: "waiting > 0",
  operatorLimit: SENDING_SHARE,
  accountLimit: SENDING_ACCOUNT_SHARE,
  leaseMs: SEND_LEASE_MS
}

const ClaimedMessage = Schema.Struct({
  ...claimedJobFields,
  conversation_id: Schema.Int,
  account_id: Schema.Int,
  channel_type: Schema.String,
  thread_id: Schema.String,
  message_id: Schema.Int,
  code: Schema.String,
  content: Schema.String,
  attachment_url: Schema.NullOr(Schema.String),
  again: Schema.Boolean,
  traceparent: Schema.NullOr(Schema.String)
})
export type ClaimedMessage = typeof ClaimedMessage.Type

/** Marks the message as possibly sent before the attempt, in case the worker dies. */
const selectFirstMessagesSql = (sql: SqlClient.SqlClient): Fragment => sql`
  , next AS MATERIALIZED (
    SELECT claimed.*, first.* FROM claimed CROSS JOIN LATERAL (
      SELECT id AS message_id, code, content, attachment_url, maybe_sent, traceparent FROM messages
      WHERE operator_id = claimed.operator_id AND conversation_id = claimed.conversation_id AND delivery = 'queued'
      ORDER BY id LIMIT 1) first
  ), begun AS (
    UPDATE messages m SET maybe_sent = true FROM next
    WHERE m.operator_id = next.operator_id AND m.id = next.message_id AND m.delivery = 'queued' AND NOT m.maybe_sent
  )
  SELECT next.operator_id, next.conversation_id, next.attempts, next.failures, next.account_id, c.channel_type, c.thread_id,
    next.message_id, next.code, next.content, next.attachment_url, next.maybe_sent AS again, next.traceparent
  FROM next JOIN conversations c ON c.operator_id = next.operator_id AND c.id = next.conversation_id`

interface MessageClaim extends JobClaim {
  readonly message_id: number
  readonly now: Date
}

interface MessageSentParameters extends MessageClaim {
  readonly channel_message_id: string | undefined
}

/**
 * Stores a success even if the worker has lost its claim. Deletes copies of the message that channel events created
 * first. If another message already has the channel's id, that message keeps it.
 */
const recordSentSql = (sql: SqlClient.SqlClient, parameters: MessageSentParameters): Fragment => {
  const { now, attempts, message_id, channel_message_id } = parameters
  const channelMessageIdSql = sql`${channel_message_id ?? null}::text`
  return sql`
    WITH lane AS (
      SELECT operator_id, conversation_id FROM message_lanes WHERE operator_id = ${parameters.operator_id} AND conversation_id = ${parameters.key} FOR NO KEY UPDATE
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

interface MessageRefusedOrUnknownParameters extends MessageClaim {
  readonly delivery: "refused" | "unknown"
  readonly reason: string
}

const recordRefusedOrUnknownSql = (
  sql: SqlClient.SqlClient,
  parameters: MessageRefusedOrUnknownParameters
): Fragment => sql`
  WITH lane AS (
    SELECT operator_id, conversation_id FROM message_lanes WHERE ${isClaimedCondition(sql, MESSAGE_TABLE, parameters)} FOR NO KEY UPDATE
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

interface MessageFailedParameters extends MessageClaim {
  readonly failures: number
  readonly nextAttempt: Date
  readonly reason: string
  readonly maybeSent: boolean
  readonly giveUpCreatedUntil: Date
  readonly refusedReason: string
  readonly unknownReason: string
}

/** Postpones the whole conversation, to keep the order of its messages. Gives up messages that are too old. */
const postponeMessageSql = (sql: SqlClient.SqlClient, parameters: MessageFailedParameters): Fragment => {
  const { message_id, now, giveUpCreatedUntil } = parameters
  const isAttemptedCondition = sql`m.id = ${message_id}`
  const isTooOldCondition = sql`m.created_at <= ${giveUpCreatedUntil}`
  const isMaybeSentCondition = sql`CASE WHEN ${isAttemptedCondition} THEN ${parameters.maybeSent}::boolean ELSE m.maybe_sent END`
  return sql`
    WITH lane AS (
      SELECT operator_id, conversation_id FROM message_lanes
      WHERE ${isClaimedCondition(sql, MESSAGE_TABLE, parameters)} AND failures = ${parameters.failures} FOR NO KEY UPDATE
    ), tried AS (
      UPDATE messages m
      SET maybe_sent = ${isMaybeSentCondition},
        delivery = CASE WHEN NOT ${isTooOldCondition} THEN 'queued' WHEN ${isMaybeSentCondition} THEN 'unknown' ELSE 'refused' END,
        reason = CASE WHEN NOT ${isTooOldCondition} THEN ${parameters.reason} WHEN ${isMaybeSentCondition} THEN ${parameters.unknownReason} ELSE ${parameters.refusedReason} END,
        settled_at = CASE WHEN ${isTooOldCondition} THEN ${now}::timestamptz END,
        traceparent = CASE WHEN NOT ${isTooOldCondition} THEN m.traceparent END
      FROM lane
      WHERE m.operator_id = lane.operator_id AND m.conversation_id = lane.conversation_id AND m.delivery = 'queued'
        AND (${isAttemptedCondition} OR ${isTooOldCondition})
      RETURNING ${isAttemptedCondition} AS tried, m.delivery
    ), gone AS (
      SELECT count(*) FILTER (WHERE delivery <> 'queued') AS messages, coalesce(bool_or(tried), false) AS tried FROM tried
    ), waits AS (
      UPDATE message_lanes l
      SET waiting = l.waiting - gone.messages::integer,
        failures = CASE WHEN gone.tried THEN l.failures + 1 ELSE 0 END,
        due_at = CASE WHEN gone.tried THEN ${parameters.nextAttempt}::timestamptz ELSE ${now}::timestamptz END
      FROM lane, gone WHERE l.operator_id = lane.operator_id AND l.conversation_id = lane.conversation_id
    )
    SELECT messages FROM gone`
}

const readEchoes = makeOptionalRowReader(Schema.Struct({ echoes: Schema.Array(Schema.String) }))
const readMessageCount = makeOptionalRowReader(Schema.Struct({ messages: Schema.Int }))

const makeSendQueue = Effect.map(SqlClient.SqlClient, (sql) => {
  const { claim, release, toClaim } = makeJobQueue(sql, MESSAGE_TABLE, ClaimedMessage, {
    returning: sql`j.operator_id, j.conversation_id, j.account_id, j.attempts, j.failures`,
    statement: selectFirstMessagesSql(sql)
  })
  const toMessageClaim = (message: ClaimedMessage, now: Date): MessageClaim => ({
    ...toClaim(message),
    message_id: message.message_id,
    now
  })
  return {
    claim,
    release,
    /** Returns the codes of deleted copies of the message, which channel events had created first. */
    recordSent: (message: ClaimedMessage, channelMessageId: string | null, now: Date) =>
      Effect.map(
        readEchoes(
          sql`${recordSentSql(sql, { ...toMessageClaim(message, now), channel_message_id: channelMessageId ?? undefined })}`
        ),
        (row) => row?.echoes ?? []
      ),
    /** Returns false if the worker has lost its claim, or the message was complete already. */
    recordRefusedOrUnknown: (
      message: ClaimedMessage,
      delivery: MessageRefusedOrUnknownParameters["delivery"],
      reason: string,
      now: Date
    ) =>
      Effect.map(
        readMessageCount(sql`${recordRefusedOrUnknownSql(sql, { ...toMessageClaim(message, now), delivery, reason })}`),
        (row) => (row?.messages ?? 0) > 0
      ),
    postpone: (message: ClaimedMessage, reason: string, maybeSent: boolean, nextAttempt: Date, now: Date) =>
      Effect.map(
        readMessageCount(
          sql`${postponeMessageSql(sql, {
            ...toMessageClaim(message, now),
            failures: message.failures,
            nextAttempt,
            reason,
            maybeSent,
            giveUpCreatedUntil: new Date(now.getTime() - MESSAGE_GIVE_UP_MS),
            refusedReason: `given up after a day: ${reason}`,
            unknownReason: `given up after a day, and it may have been delivered: ${reason}`
          })}`
        ),
        (row) => row?.messages ?? 0
      )
  }
})

export class SendQueue extends Context.Service<SendQueue>()("latchkey/domain/guests/conversations/sending/SendQueue", {
  make: makeSendQueue
}) {
  static readonly layer = Layer.effect(SendQueue, SendQueue.make)
}
