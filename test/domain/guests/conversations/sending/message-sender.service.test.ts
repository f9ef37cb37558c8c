import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CHANNEL_ACTION_TIMEOUT_MS } from "../../../../../src/domain/channels/port/channel-api-errors.ts"
import {
  ChannelAccountMissing,
  ChannelDisconnected,
  type ChannelError,
  ChannelNotServed,
  ChannelRefused,
  ChannelUnavailable
} from "../../../../../src/domain/channels/port/errors.ts"
import { SEND_BACKOFF, toFailureOutcome } from "../../../../../src/domain/guests/conversations/sending/message-jobs.ts"
import { CHANNEL_TEXT_LENGTH, MESSAGE_GIVE_UP_MS } from "../../../../../src/platform/limits.ts"
import {
  layerSendService,
  loadMessagePartitions,
  loadSentMessages,
  loadSentTexts,
  makeMessageSender,
  NOW,
  prepareConversation,
  sendAllDue
} from "../../../../support/domain/guests/conversations/sending/send-service.ts"
import { collectLogLines } from "../../../../support/log-lines.ts"
import { loadMessageLines, queueMessage } from "../../../../support/messages.ts"
import { ScriptedChannel } from "../../../../support/scripted-channel.ts"

const channelType = "airbnb"
const failing = (code: 502 | 503 | 504) => Effect.fail(new ChannelUnavailable({ code }))
const disconnected = Effect.fail(new ChannelDisconnected({ channelType }))
/** The reason that each warning ends with. */
const reasonsIn = (said: Effect.Success<ReturnType<typeof collectLogLines>>) =>
  said.flatMap(({ level, message }) => (level === "Warn" ? [message].flat().slice(-1) : []))

layer(layerSendService)("a message", (it) => {
  it.effect("goes to its channel with all that it is, one after the other", () =>
    Effect.gen(function* () {
      const { operatorId, code, thread_id, queueText: write } = yield* prepareConversation
      const sending = yield* makeMessageSender
      const text = "Olá 👩‍👩‍👧 שלום e\u0301\n\n<b>bold</b>"
      const imageUrl = "https://example.test/images/abc.jpg"
      const codes = [yield* write(text), yield* queueMessage(code, { imageUrl }), yield* write("three")]
      yield* sendAllDue(sending)
      const there = { threadId: thread_id, again: false, imageUrl: null }
      assert.deepStrictEqual(yield* loadSentMessages(thread_id), [
        { ...there, messageId: codes[0], text },
        { ...there, messageId: codes[1], text: "", imageUrl },
        { ...there, messageId: codes[2], text: "three" }
      ])
      assert.deepStrictEqual(yield* loadMessageLines(code), [`${text}: sent`, ": sent", "three: sent"])
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ channel_message_id: string; settled_at: Date }>`
        SELECT channel_message_id, settled_at FROM messages WHERE operator_id = ${operatorId} ORDER BY id`
      assert.deepStrictEqual(
        rows,
        codes.map((each) => ({ channel_message_id: `C-${each}`, settled_at: new Date(NOW) }))
      )
      assert.deepStrictEqual(yield* loadMessagePartitions(operatorId), [{ waiting: 0, attempts: 3, failures: 0 }])
    })
  )

  it.effect("that its channel refuses stays and says why, once, and the rest goes on", () =>
    Effect.gen(function* () {
      const channel = yield* ScriptedChannel
      for (const [error, reason] of [
        [new ChannelRefused({ reason: "the thread is closed" }), "the thread is closed"],
        [new ChannelRefused({ reason: `no\0${"x".repeat(5_000)}` }), `no\uFFFD${"x".repeat(CHANNEL_TEXT_LENGTH - 3)}`],
        [new ChannelAccountMissing({ channelType }), "the account on airbnb no longer exists"],
        [new ChannelNotServed({ channelType }), "this installation has no connector for airbnb"]
      ] as const) {
        const { code, thread_id, queueText: write } = yield* prepareConversation
        const sending = yield* makeMessageSender
        yield* channel.setResponse(`${thread_id}`, Effect.fail(error))
        yield* write("one")
        const said = yield* collectLogLines(sendAllDue(sending))
        assert.deepStrictEqual(reasonsIn(said), [reason])
        yield* channel.setResponse(`${thread_id}`, Effect.void)
        yield* write("two")
        yield* sendAllDue(sending)
        assert.deepStrictEqual(yield* loadMessageLines(code), [`one: refused, ${reason}`, "two: sent"])
        assert.deepStrictEqual(yield* loadSentTexts(thread_id), ["one", "two"])
      }
    })
  )

  it.effect("that nobody can know of says so, once, and the rest goes on", () =>
    Effect.gen(function* () {
      const channel = yield* ScriptedChannel
      const { operatorId, code, thread_id, queueText: write } = yield* prepareConversation
      const sending = yield* makeMessageSender
      yield* channel.guests.setSendResult({ outcome: "unknown" })
      yield* write("one")
      const said = yield* collectLogLines(sendAllDue(sending))
      const reason = "it may have been delivered; the channel cannot tell"
      assert.deepStrictEqual(reasonsIn(said), [reason])
      yield* channel.guests.setSendResult({ outcome: "sent", channelMessageId: null })
      yield* write("two")
      yield* sendAllDue(sending)
      assert.deepStrictEqual(yield* loadMessageLines(code), [`one: unknown, ${reason}`, "two: sent"])
      assert.deepStrictEqual(yield* loadSentTexts(thread_id), ["one", "two"])
      assert.deepStrictEqual(yield* loadMessagePartitions(operatorId), [{ waiting: 0, attempts: 2, failures: 0 }])
      yield* channel.guests.setSendResult({ outcome: "sent", channelMessageId: null })
    })
  )

  it.effect("that could not be told is told again and again, and nothing that came later before it", () =>
    Effect.gen(function* () {
      const channel = yield* ScriptedChannel
      const { operatorId, code, thread_id, queueText: write } = yield* prepareConversation
      const other = yield* prepareConversation
      const sending = yield* makeMessageSender
      yield* channel.setResponse(thread_id, failing(503))
      for (const text of ["1", "2", "3"]) yield* write(text)
      yield* sendAllDue(sending)
      assert.deepStrictEqual(yield* loadMessageLines(code), [
        "1: queued, the channel failed (503)",
        "2: queued",
        "3: queued"
      ])
      // Another guest does not wait for this one.
      yield* other.queueText("hello")
      yield* sendAllDue(sending)
      assert.deepStrictEqual(yield* loadMessageLines(other.code), ["hello: sent"])
      const tries = Effect.map(loadSentTexts(thread_id), (all) => all.length)
      const { firstMs, longestMs, jitter } = SEND_BACKOFF
      for (let nth = 1; nth <= 9; nth++) {
        const pause = Math.min(firstMs * 2 ** (nth - 1), longestMs)
        yield* TestClock.adjust(pause * (1 - jitter) - 1)
        yield* sendAllDue(sending)
        assert.strictEqual(yield* tries, nth)
        yield* TestClock.adjust(pause * 2 * jitter + 1)
        yield* sendAllDue(sending)
        assert.strictEqual(yield* tries, nth + 1)
      }
      yield* channel.setResponse(thread_id, Effect.void)
      yield* TestClock.adjust(2 * longestMs)
      yield* sendAllDue(sending)
      assert.deepStrictEqual((yield* loadSentTexts(thread_id)).slice(9), ["1", "1", "2", "3"])
      assert.deepStrictEqual(yield* loadMessageLines(code), ["1: sent", "2: sent", "3: sent"])
      assert.deepStrictEqual(
        (yield* loadMessagePartitions(operatorId)).map(({ waiting, failures }) => [waiting, failures]),
        [[0, 0]]
      )
    })
  )

  it.effect(
    `is waited for ${CHANNEL_ACTION_TIMEOUT_MS / 1000} seconds; its channel knows what may have got there before`,
    () =>
      Effect.gen(function* () {
        const channel = yield* ScriptedChannel
        const { code, thread_id, queueText: write } = yield* prepareConversation
        const sending = yield* makeMessageSender
        yield* write("hello")
        const tried = (answer: Effect.Effect<void, ChannelError>) =>
          Effect.gen(function* () {
            yield* channel.setResponse(thread_id, answer)
            yield* TestClock.adjust(2 * SEND_BACKOFF.longestMs)
            yield* sendAllDue(sending)
          })
        // Nothing got there by these, nor had before.
        yield* tried(failing(503))
        yield* tried(disconnected)
        yield* channel.setResponse(thread_id, Effect.never)
        yield* TestClock.adjust(2 * SEND_BACKOFF.longestMs)
        yield* sending.claimDue
        const ended = yield* Effect.forkChild(sending.awaitIdle, { startImmediately: true })
        yield* Effect.repeat(loadSentTexts(thread_id), { until: (all) => all.length === 3 })
        yield* TestClock.adjust(CHANNEL_ACTION_TIMEOUT_MS)
        yield* Fiber.join(ended)
        assert.deepStrictEqual(yield* loadMessageLines(code), ["hello: queued, the channel did not answer in time"])
        // From now on one may have: also after tries of which nothing did.
        yield* tried(failing(503))
        yield* tried(disconnected)
        yield* tried(Effect.void)
        const again = (yield* loadSentMessages(thread_id)).map((each) => each.again)
        assert.deepStrictEqual(again, [false, false, false, true, true, true])
        assert.deepStrictEqual(yield* loadMessageLines(code), ["hello: sent"])
        for (const mayBeThere of [failing(502), failing(504), Effect.die(new Error("oops"))]) {
          const one = yield* prepareConversation
          yield* channel.setResponse(one.thread_id, mayBeThere)
          yield* one.queueText("hello")
          yield* sendAllDue(sending)
          yield* channel.setResponse(one.thread_id, Effect.void)
          yield* TestClock.adjust(2 * SEND_BACKOFF.firstMs)
          yield* sendAllDue(sending)
          assert.deepStrictEqual(
            (yield* loadSentMessages(one.thread_id)).map((each) => each.again),
            [false, true]
          )
        }
      })
  )

  it.effect("that waited for a day is given up: refused if it surely never got there, unknown if it may have", () =>
    Effect.gen(function* () {
      const channel = yield* ScriptedChannel
      const sql = yield* SqlClient.SqlClient
      const reason = "the channel failed (503)"
      for (const [first, given] of [
        [failing(503), `refused, given up after a day: ${reason}`],
        [failing(502), `unknown, given up after a day, and it may have been delivered: ${reason}`]
      ] as const) {
        const { operatorId, code, thread_id, queueText: write } = yield* prepareConversation
        const sending = yield* makeMessageSender
        yield* write("one")
        yield* write("two")
        yield* TestClock.setTime(NOW + 1)
        yield* write("three")
        yield* channel.setResponse(thread_id, first)
        yield* sendAllDue(sending)
        yield* channel.setResponse(thread_id, failing(503))
        yield* TestClock.setTime(NOW + MESSAGE_GIVE_UP_MS - 1)
        yield* sendAllDue(sending)
        assert.deepStrictEqual(yield* loadMessageLines(code), [
          `one: queued, ${reason}`,
          "two: queued",
          "three: queued"
        ])
        yield* TestClock.setTime(NOW + MESSAGE_GIVE_UP_MS)
        yield* sql`UPDATE message_lanes SET due_at = ${new Date(NOW)} WHERE operator_id = ${operatorId}`
        const said = yield* collectLogLines(sendAllDue(sending))
        assert.deepStrictEqual(yield* loadMessageLines(code), [
          `one: ${given}`,
          `two: refused, given up after a day: ${reason}`,
          "three: queued"
        ])
        assert.deepStrictEqual(reasonsIn(said), [reason])
        yield* channel.setResponse(thread_id, Effect.void)
        yield* TestClock.adjust(2 * SEND_BACKOFF.longestMs)
        yield* sendAllDue(sending)
        assert.strictEqual((yield* loadMessageLines(code))[2], "three: sent")
        assert.deepStrictEqual(
          (yield* loadMessagePartitions(operatorId)).map(({ waiting }) => waiting),
          [0]
        )
      }
    })
  )

  it("is unknown and not refused where nobody is left to ask, and it may have got there before", () => {
    for (const error of [new ChannelAccountMissing({ channelType }), new ChannelNotServed({ channelType })]) {
      assert.strictEqual(toFailureOutcome(error, false).kind, "refused")
      assert.strictEqual(toFailureOutcome(error, true).kind, "unknown")
    }
    assert.strictEqual(toFailureOutcome(new ChannelRefused({ reason: "no" }), true).kind, "refused")
  })
})
