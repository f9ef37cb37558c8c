import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Conversations } from "../../../../../../src/domain/guests/conversations/Conversations.ts"
import { messageJobs } from "../../../../../../src/domain/guests/conversations/sending/message-jobs.ts"
import { type ClaimedMessage, SendQueue } from "../../../../../../src/domain/guests/conversations/sending/SendQueue.ts"
import { makeJobRunner, runJob } from "../../../../../../src/jobs/job-runner.ts"
import { WakeUp } from "../../../../../../src/jobs/WakeUp.ts"
import { insertConversation } from "../../../../conversations.ts"
import { createOperator } from "../../../../harness.ts"
import { insertChannelAccount } from "../../../../listings.ts"
import { queueMessage } from "../../../../messages.ts"
import { layerOwnDatabase } from "../../../../own-database.ts"
import { ScriptedChannel } from "../../../../scripted-channel.ts"

// Conversations at a scripted channel, and a worker whose every look is called by the test.

export const NOW = Date.parse("2027-04-20T10:00:00Z")

/** What a worker needs, over a database of its own: a worker would take what other files' tests queue. */
export const layerSendService = Layer.provideMerge(
  Layer.merge(SendQueue.layer, Conversations.layer),
  Layer.mergeAll(layerOwnDatabase, ScriptedChannel.layer, WakeUp.layerProcess)
)

interface AccountIds {
  readonly operatorId: number
  readonly accountId: number
}

/** A conversation at an account. */
export const insertAccountConversation = Effect.fnUntraced(function* (account: AccountIds) {
  const { code, thread_id } = yield* insertConversation({ ...account, channelType: "airbnb" })
  return { ...account, code, thread_id, queueText: (text: string) => queueMessage(code, { text }) }
})

/** An operator with a conversation at an account, on a day in April. */
export const prepareConversation = Effect.gen(function* () {
  yield* TestClock.setTime(NOW)
  const { operatorId } = yield* createOperator()
  return yield* insertAccountConversation({ operatorId, accountId: yield* insertChannelAccount(operatorId) })
})

export const makeMessageSender = makeJobRunner(messageJobs)

/** Makes one attempt of a claimed message. */
export const sendClaimedMessage = (message: ClaimedMessage) => runJob(messageJobs, message)

export type MessageSender = Effect.Success<typeof makeMessageSender>

/** Sends until nothing more goes at this time of the clock. */
export const sendAllDue = Effect.fnUntraced(function* (sender: MessageSender) {
  const sql = yield* SqlClient.SqlClient
  const loadAttempts = sql<{ tries: number }>`SELECT coalesce(sum(attempts), 0)::int AS tries FROM message_lanes`
  let before = -1
  while (true) {
    const [row] = yield* loadAttempts
    if (row?.tries === before) return
    before = row?.tries ?? 0
    yield* sender.claimDue
    yield* sender.awaitIdle
  }
}, Effect.orDie)

/** What the channel was told of a thread, oldest first. */
export const loadSentMessages = (threadId: string) =>
  Effect.flatMap(ScriptedChannel, ({ guests }) =>
    Effect.map(guests.messages, (all) => all.filter((each) => each.threadId === threadId))
  )

export const loadSentTexts = (threadId: string) =>
  Effect.map(loadSentMessages(threadId), (all) => all.map(({ text }) => text))

export const claimMessages = (limit: number, claimed: ReadonlyArray<ClaimedMessage> = []) =>
  Effect.flatMap(SendQueue, (queue) => Effect.flatMap(DateTime.nowAsDate, (now) => queue.claim(now, limit, claimed)))

/** The lanes of an operator. */
export const loadMessagePartitions = (operatorId: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ waiting: number; attempts: number; failures: number }>`
      SELECT waiting, attempts, failures FROM message_lanes WHERE operator_id = ${operatorId} ORDER BY conversation_id`
  ).pipe(Effect.orDie)
