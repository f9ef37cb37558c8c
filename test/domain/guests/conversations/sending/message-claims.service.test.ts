import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CHANNEL_ACTION_TIMEOUT_MS } from "../../../../../src/domain/channels/port/channel-api-errors.ts"
import {
  layerMessageJobs,
  SEND_POLL_GAP_MS
} from "../../../../../src/domain/guests/conversations/sending/message-jobs.ts"
import {
  type ClaimedMessage,
  SEND_LEASE_MS,
  SENDING_ACCOUNT_SHARE,
  SENDING_ROOM,
  SENDING_SHARE,
  SendQueue
} from "../../../../../src/domain/guests/conversations/sending/SendQueue.ts"
import { COMPLETION_RETRIES, COMPLETION_RETRY_MS } from "../../../../../src/jobs/job-runner.ts"
import { WakeUp } from "../../../../../src/jobs/WakeUp.ts"
import {
  claimMessages,
  insertAccountConversation,
  layerSendService,
  loadMessagePartitions,
  loadSentMessages,
  loadSentTexts,
  makeMessageSender,
  prepareConversation,
  sendAllDue
} from "../../../../support/domain/guests/conversations/sending/send-service.ts"
import { insertChannelAccount } from "../../../../support/listings.ts"
import { loadMessageLines } from "../../../../support/messages.ts"
import { ScriptedChannel } from "../../../../support/scripted-channel.ts"

/** Deletes the messages of earlier tests. */
const emptyQueue = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`TRUNCATE message_lanes, messages`).pipe(
  Effect.orDie
)

/** Inserts conversations of an account with one pending message each. */
const insertPendingConversations = Effect.fnUntraced(function* (operatorId: number, account: number, count: number) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DateTime.nowAsDate
  yield* sql`
    WITH made AS (
      INSERT INTO conversations (operator_id, code, account_id, channel_type, thread_id, last_message_at, created_at)
      SELECT ${operatorId}, gen_random_uuid()::text, ${account}, 'airbnb', gen_random_uuid()::text, ${now}, ${now}
      FROM generate_series(1, ${count}) RETURNING operator_id, id
    ), lane AS (
      INSERT INTO message_lanes (operator_id, conversation_id, account_id, waiting, due_at)
      SELECT operator_id, id, ${account}, 1, ${now} FROM made
    )
    INSERT INTO messages (operator_id, conversation_id, code, sender_role, display_type, content, delivery, created_at)
    SELECT operator_id, id, gen_random_uuid()::text, 'host', 'Text', 'Hello', 'queued', ${now} FROM made`
}, Effect.orDie)

layer(layerSendService)("a worker that sends", (it) => {
  it.effect("claims a queue partition for longer than an attempt takes, and then another worker can claim it", () =>
    Effect.gen(function* () {
      yield* emptyQueue
      assert.isAbove(SEND_LEASE_MS, CHANNEL_ACTION_TIMEOUT_MS + COMPLETION_RETRIES * COMPLETION_RETRY_MS)
      const { operatorId, code, queueText: write } = yield* prepareConversation
      const queue = yield* SendQueue
      yield* write("one")
      const [first] = yield* claimMessages(10)
      assert(first !== undefined)
      assert.isFalse(first.again)
      yield* write("two")
      yield* TestClock.adjust(SEND_LEASE_MS - 1)
      assert.deepStrictEqual(yield* claimMessages(10), [])
      yield* TestClock.adjust(1)
      const [second] = yield* claimMessages(10)
      assert(second !== undefined)
      assert.deepStrictEqual(second, { ...first, attempts: 2, again: true })

      // The first worker comes back after its lease. Only a success counts, because the guest has the message then.
      const now = yield* DateTime.nowAsDate
      assert.isFalse(yield* queue.recordRefusedOrUnknown(first, "refused", "no", now))
      yield* queue.postpone(first, "away", false, now, now)
      yield* queue.release(first, now)
      assert.deepStrictEqual(yield* loadMessageLines(code), ["one: queued", "two: queued"])
      assert.deepStrictEqual(yield* claimMessages(10), [])
      yield* queue.recordSent(first, "C-1", now)
      assert.deepStrictEqual(yield* loadMessageLines(code), ["one: sent", "two: queued"])
      assert.deepStrictEqual(yield* loadMessagePartitions(operatorId), [{ waiting: 1, attempts: 2, failures: 0 }])
      // The second still holds its claim. Its outcome changes nothing, but the next message of the partition is due.
      assert.deepStrictEqual(yield* claimMessages(10), [])
      assert.isFalse(yield* queue.recordRefusedOrUnknown(second, "unknown", "who knows", now))
      assert.deepStrictEqual(yield* loadMessageLines(code), ["one: sent", "two: queued"])

      // A repeat after a lost response of the database.
      const [third] = yield* claimMessages(10)
      assert(third !== undefined)
      for (let time = 0; time < 2; time++) yield* queue.postpone(third, "away", true, now, now)
      assert.deepStrictEqual(yield* loadMessagePartitions(operatorId), [{ waiting: 1, attempts: 3, failures: 1 }])
      const [fourth] = yield* claimMessages(10)
      assert(fourth !== undefined)
      assert.deepInclude(fourth, { failures: 1, again: true })
      for (const time of [0, 1])
        assert.strictEqual(yield* queue.recordRefusedOrUnknown(fourth, "unknown", "who knows", now), time === 0)
      // A success of an earlier worker still counts.
      yield* queue.recordSent(third, "C-2", now)
      assert.deepStrictEqual(yield* loadMessageLines(code), ["one: sent", "two: sent"])
      assert.deepStrictEqual(yield* loadMessagePartitions(operatorId), [{ waiting: 0, attempts: 4, failures: 0 }])
    })
  )

  it.effect(
    "releases its messages when it stops, and the next worker sends them at once and knows of the attempt",
    () =>
      Effect.gen(function* () {
        yield* emptyQueue
        const channel = yield* ScriptedChannel
        const { thread_id, code, queueText: write } = yield* prepareConversation
        const began = yield* Deferred.make<void>()
        yield* channel.setResponse(thread_id, Effect.andThen(Deferred.succeed(began, undefined), Effect.never))
        yield* write("one")
        yield* write("two")
        const scope = yield* Scope.make()
        const sending = yield* Scope.provide(makeMessageSender, scope)
        yield* sending.claimDue
        yield* Deferred.await(began)
        const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
        yield* TestClock.adjust("5 seconds")
        yield* Fiber.join(closing)
        yield* channel.setResponse(thread_id, Effect.void)
        yield* sendAllDue(yield* makeMessageSender)
        assert.deepStrictEqual(
          (yield* loadSentMessages(thread_id)).map(({ text, again }) => [text, again]),
          [
            ["one", false],
            ["one", true],
            ["two", false]
          ]
        )
        assert.deepStrictEqual(yield* loadMessageLines(code), ["one: sent", "two: sent"])
      })
  )

  it.effect(`claims at most ${SENDING_SHARE} messages of an operator and ${SENDING_ACCOUNT_SHARE} of an account`, () =>
    Effect.gen(function* () {
      yield* emptyQueue
      const greedy = yield* prepareConversation
      const accounts = SENDING_SHARE / SENDING_ACCOUNT_SHARE + 1
      for (let nth = 0; nth < accounts; nth++) {
        const account = nth === 0 ? greedy.accountId : yield* insertChannelAccount(greedy.operatorId)
        yield* insertPendingConversations(greedy.operatorId, account, 1_000)
      }
      const quiet = yield* prepareConversation
      // Due later than all messages of the busy operator.
      yield* TestClock.adjust("2 minutes")
      yield* quiet.queueText("hello")
      const first = yield* claimMessages(SENDING_ROOM)
      const ofGreedy = first.filter((each) => each.operator_id === greedy.operatorId)
      assert.lengthOf(ofGreedy, SENDING_SHARE)
      assert.lengthOf(first, SENDING_SHARE + 1)
      const ofAccount = (messages: ReadonlyArray<ClaimedMessage>) =>
        messages.filter((each) => each.account_id === greedy.accountId).length
      assert.isAtMost(ofAccount(first), SENDING_ACCOUNT_SHARE)
      assert.lengthOf(yield* claimMessages(SENDING_ROOM - first.length, first), 0)
      // The operator with the fewest messages in progress gets the free slot, though messages of the other have been due for longer.
      const another = yield* insertAccountConversation(quiet)
      yield* another.queueText("and you?")
      assert.strictEqual((yield* claimMessages(1, ofGreedy.slice(1)))[0]?.operator_id, quiet.operatorId)
      assert.strictEqual((yield* claimMessages(1, ofGreedy.slice(1)))[0]?.operator_id, greedy.operatorId)

      yield* emptyQueue
      yield* insertPendingConversations(greedy.operatorId, greedy.accountId, 50)
      assert.strictEqual(ofAccount(yield* claimMessages(SENDING_ROOM)), SENDING_ACCOUNT_SHARE)
    })
  )

  it.effect(
    "claims messages without failures first, so a channel that hangs for all hosts does not delay another",
    () =>
      Effect.gen(function* () {
        yield* emptyQueue
        const sql = yield* SqlClient.SqlClient
        const [one, other] = [yield* prepareConversation, yield* prepareConversation]
        for (const { operatorId, accountId } of [one, other])
          yield* insertPendingConversations(operatorId, accountId, 2)
        yield* sql`UPDATE message_lanes SET failures = 1`
        // Due later than all failed messages.
        yield* TestClock.adjust("2 minutes")
        yield* insertPendingConversations(one.operatorId, yield* insertChannelAccount(one.operatorId), 1)
        const quiet = yield* insertAccountConversation(one)
        yield* quiet.queueText("hello")
        const failures: Array<number> = []
        for (let nth = 0; nth < 6; nth++) failures.push(...(yield* claimMessages(1)).map((message) => message.failures))
        assert.deepStrictEqual(failures, [0, 0, 1, 1, 1, 1])
      })
  )

  it.effect("is woken, and polls again a moment later however many messages are queued", () =>
    Effect.gen(function* () {
      yield* emptyQueue
      const { thread_id, code, queueText: write } = yield* prepareConversation
      yield* Layer.build(layerMessageJobs)
      const { wake } = yield* WakeUp
      for (const text of ["1", "2", "3"]) {
        yield* write(text)
        yield* wake
        // Far less than a worker that only polls would need.
        yield* Effect.repeat(Effect.andThen(TestClock.adjust(1), loadSentTexts(thread_id)), {
          until: (all) => all.at(-1) === text
        })
        yield* TestClock.adjust(SEND_POLL_GAP_MS)
      }
      yield* Effect.repeat(loadMessageLines(code), { until: (all) => all.every((each) => each.endsWith("sent")) })
      assert.deepStrictEqual(yield* loadSentTexts(thread_id), ["1", "2", "3"])
    })
  )
})
