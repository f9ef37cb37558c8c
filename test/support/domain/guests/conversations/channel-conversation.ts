import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Ingest } from "../../../../../src/connectors/ingest/Ingest.ts"
import type { ChannelMessageEvent, ChannelThreadEvent } from "../../../../../src/domain/channels/port/channel-events.ts"
import { createOperatorWithListings } from "../../../connectors/ingest/channel-events.ts"
import { layerWithoutRateWindows } from "../../bookings/reservations/reservation-operator.ts"

// What the tests of conversations begin with.

export const layerConversations = Layer.provideMerge(Ingest.layer, layerWithoutRateWindows)

export const makeThreadEvent = (overrides: Partial<ChannelThreadEvent> = {}): ChannelThreadEvent => ({
  type: "thread",
  version: 1,
  thread_id: "T1",
  guest: { name: "Ada Lovelace", phone: "+44 1", email: "ada@example.test" },
  ...overrides
})

export const makeMessageEvent = (overrides: Partial<ChannelMessageEvent> = {}): ChannelMessageEvent => ({
  type: "message",
  message_id: "M1",
  thread_id: "T1",
  sender: "guest",
  text: "Is it quiet?",
  sent_at: "2027-04-20T09:00:00Z",
  ...overrides
})

/** A conversation, by the channel's name of its thread, as the list has it. */
const listConversations = Effect.fnUntraced(function* (operator: Effect.Success<typeof createOperatorWithListings>) {
  const { conversations } = yield* operator.api.query_conversations({}).pipe(operator.as)
  return conversations
})

/** An operator who sells two listings at airbnb and has one conversation there, in which nothing was said yet. */
export const startChannelConversation = Effect.gen(function* () {
  const operator = yield* createOperatorWithListings
  yield* operator.ingestEvent(makeThreadEvent())
  const [first] = yield* listConversations(operator)
  const conversationId = first?.id ?? ""
  const getConversation = (before?: string) =>
    operator.api.get_conversation({ id: conversationId, ...(before === undefined ? {} : { before }) }).pipe(operator.as)
  return {
    ...operator,
    conversationId,
    conversations: listConversations(operator),
    getConversation,
    sendMessage: (message: string) => operator.api.send_message({ id: conversationId, message }).pipe(operator.as),
    /** The messages in the order of time: the operation answers them newest first. */
    messages: Effect.map(getConversation(), ({ messages }) => messages.toReversed()),
    /** Their texts, oldest first. */
    texts: Effect.map(getConversation(), ({ messages }) => messages.map(({ content }) => content).toReversed())
  }
})

/** What waits in the lane of the operator's conversation, and how many of its messages are queued. */
export const loadMessagePartition = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const [partition] = yield* sql<{ waiting: number; queued: number; due_at: Date }>`
    SELECT waiting, due_at, (SELECT count(*)::int FROM messages m
      WHERE m.operator_id = l.operator_id AND m.conversation_id = l.conversation_id AND delivery = 'queued') AS queued
    FROM message_lanes l WHERE operator_id = ${operatorId}`
  return partition
})

/** As a worker does that takes the lane: a try of the first message that waits has begun. */
export const recordSendStart = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    UPDATE messages SET maybe_sent = true WHERE operator_id = ${operatorId} AND id = (
      SELECT min(id) FROM messages WHERE operator_id = ${operatorId} AND delivery = 'queued')`
})

/** As a worker does that knows how a try of a message ended. */
export const recordSendResult = Effect.fnUntraced(function* (
  operatorId: number,
  content: string,
  delivery: "sent" | "unknown" | "refused",
  channelMessageId: string | null = null
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    WITH lane AS (
      SELECT operator_id, conversation_id FROM message_lanes WHERE operator_id = ${operatorId} FOR NO KEY UPDATE
    ), settled AS (
      UPDATE messages m SET delivery = ${delivery}, channel_message_id = ${channelMessageId}, settled_at = now()
      FROM lane WHERE m.operator_id = lane.operator_id AND m.content = ${content} AND m.delivery = 'queued'
      RETURNING m.operator_id, m.conversation_id
    )
    UPDATE message_lanes l SET waiting = l.waiting - 1
    FROM settled WHERE l.operator_id = settled.operator_id AND l.conversation_id = settled.conversation_id`
})
