import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Random } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CurrentActor, systemActor } from "../../../../../src/contract/actor.ts"
import { ChannelGateway } from "../../../../../src/domain/channels/port/ChannelGateway.ts"
import type { ChannelMessageEvent } from "../../../../../src/domain/channels/port/channel-events.ts"
import type { MessageSendResult, OutboundMessage } from "../../../../../src/domain/channels/port/connector.ts"
import { Conversations } from "../../../../../src/domain/guests/conversations/Conversations.ts"
import { SEND_LEASE_MS, SendQueue } from "../../../../../src/domain/guests/conversations/sending/SendQueue.ts"
import {
  claimMessages,
  insertAccountConversation,
  layerSendService,
  loadMessagePartitions,
  makeMessageSender,
  prepareConversation,
  sendAllDue,
  sendClaimedMessage
} from "../../../../support/domain/guests/conversations/sending/send-service.ts"
import { collectLogLines } from "../../../../support/log-lines.ts"
import { loadMessageLines } from "../../../../support/messages.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../../../support/overlapping-transactions.ts"

// What happens in the middle of sending: a process dies, the channel tells of the message itself, all of it at once.

/** A channel that knows a message again by our name of it, or cannot; what it has is what guests see. */
const marketplace = Effect.fnUntraced(function* (knows: (threadId: string) => boolean) {
  const there: Array<OutboundMessage> = []
  const nameOf = (message: OutboundMessage) => `C-${there.indexOf(message) + 1}`
  const sendMessage = (_: unknown, message: OutboundMessage): Effect.Effect<MessageSendResult> =>
    Effect.sync(() => {
      const known = there.find(({ messageId }) => messageId === message.messageId)
      if (knows(message.threadId) && known !== undefined) return { outcome: "sent", channelMessageId: nameOf(known) }
      if (!knows(message.threadId) && message.again) return { outcome: "unknown" }
      there.push(message)
      return { outcome: "sent", channelMessageId: nameOf(message) }
    })
  const textsOf = (threadId: string) => there.flatMap((each) => (each.threadId === threadId ? [each.text] : []))
  return { there, nameOf, textsOf, gateway: ChannelGateway.of({ ...(yield* ChannelGateway), sendMessage }) }
})

const through = (gateway: ChannelGateway["Service"]) => Effect.provideService(ChannelGateway, gateway)

/** The channel tells of a message of the host's in the thread of a conversation. */
const heardIn = (
  conversation: string,
  said: Pick<ChannelMessageEvent, "message_id" | "text" | "sent_as"> & Partial<Pick<ChannelMessageEvent, "sender">>
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { handleMessage: messageSaid } = yield* Conversations
    const [thread] = yield* sql<{ operator_id: number; account_id: number; channel_type: string; thread_id: string }>`
      SELECT operator_id::int, account_id::int, channel_type, thread_id FROM conversations WHERE code = ${conversation}`
    assert(thread !== undefined)
    const { operator_id: operatorId, account_id: accountId, channel_type: channelType, thread_id } = thread
    const sent_at = DateTime.formatIso(yield* DateTime.now)
    const message = { type: "message", thread_id, sender: "host", sent_at, ...said } as const
    return yield* messageSaid({ operatorId, accountId, channelType }, message)
  }).pipe(Effect.provideService(CurrentActor, systemActor("test", "hear")), Effect.orDie)

/** It tells of one under the name it was sent by. */
const heard = (code: string, message_id: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ conversation: string }>`
      SELECT c.code AS conversation FROM messages m
      JOIN conversations c ON c.operator_id = m.operator_id AND c.id = m.conversation_id WHERE m.code = ${code}`
    return yield* heardIn(row?.conversation ?? "", { message_id, text: "as the channel shows it", sent_as: code })
  }).pipe(Effect.orDie)

/** The same of one whose name the channel does not tell, and whose text it has changed: a message more. */
const heardAnew = (conversation: string, text: string, message_id: string) =>
  heardIn(conversation, { message_id, text })

const namesIn = (conversation: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ channel_message_id: string | null }>`
      SELECT m.channel_message_id FROM messages m JOIN conversations c ON c.id = m.conversation_id
      WHERE c.code = ${conversation} ORDER BY m.id`
  ).pipe(
    Effect.map((rows) => rows.map((row) => row.channel_message_id)),
    Effect.orDie
  )

layer(layerSendService)("a message that is under way", (it) => {
  for (const [knows, end, killed] of [
    [true, "sent", "after it got there"],
    [true, "sent", "before it got there"],
    [false, "unknown", "after it got there"],
    [false, "unknown", "before it got there"]
  ] as const) {
    const channel = knows ? "a channel that knows it again" : "one that does not"
    it.effect(`whose process dies ${killed} is there once at most: on ${channel} it is ${end}`, () =>
      Effect.gen(function* () {
        const { operatorId, code, thread_id, queueText: write } = yield* prepareConversation
        const { gateway, textsOf } = yield* marketplace(() => knows)
        const [one] = [yield* write("one"), yield* write("two")]
        const dying = yield* claimMessages(1)
        if (killed === "after it got there") {
          const message = { threadId: thread_id, messageId: one, text: "one", imageUrl: null, again: false }
          yield* gateway.sendMessage({ operatorId, accountId: null, channelType: "airbnb" }, message)
        }
        assert.lengthOf(dying, 1)
        const sending = yield* makeMessageSender
        const goingOn = through(gateway)(sendAllDue(sending))
        yield* goingOn
        assert.deepStrictEqual(yield* loadMessageLines(code), ["one: queued", "two: queued"])
        yield* TestClock.adjust(SEND_LEASE_MS)
        yield* goingOn
        const states = (yield* loadMessageLines(code)).map((each) => each.split(",")[0])
        assert.deepStrictEqual(states, [`one: ${end}`, "two: sent"])
        const isThere = knows || killed === "after it got there"
        assert.deepStrictEqual(textsOf(thread_id), isThere ? ["one", "two"] : ["two"])
        assert.deepStrictEqual(
          (yield* loadMessagePartitions(operatorId)).map(({ waiting }) => waiting),
          [0]
        )
      })
    )
  }

  it.effect("and that the channel tells of meanwhile is settled by that, whatever its worker says then", () =>
    Effect.gen(function* () {
      const queue = yield* SendQueue
      for (const end of ["sent", "refused", "unknown", "failed", "handed back"] as const) {
        const { operatorId, code, queueText: write } = yield* prepareConversation
        const one = yield* write("one")
        yield* write("two")
        const [taken] = yield* claimMessages(1)
        assert(taken !== undefined)
        yield* heard(one, "C-7")
        const now = yield* DateTime.nowAsDate
        if (end === "sent") yield* queue.recordSent(taken, "C-7", now)
        else if (end === "failed") yield* queue.postpone(taken, "away", true, new Date(now.getTime() + 60_000), now)
        else if (end === "handed back") yield* queue.release(taken, now)
        else assert.isFalse(yield* queue.recordRefusedOrUnknown(taken, end, "no", now))
        assert.deepStrictEqual(yield* loadMessageLines(code), ["one: sent", "two: queued"])
        assert.deepStrictEqual(yield* loadMessagePartitions(operatorId), [{ waiting: 1, attempts: 1, failures: 0 }])
        // And the next one need not wait for anything.
        const [next] = yield* claimMessages(1)
        assert.deepInclude(next, { content: "two", again: false })
        assert.deepStrictEqual(yield* namesIn(code), ["C-7", null])
      }
    })
  )

  it.effect("and that the channel tells of while it is to be tried again holds up nothing any more", () =>
    Effect.gen(function* () {
      const queue = yield* SendQueue
      const { operatorId, code, queueText: write } = yield* prepareConversation
      const one = yield* write("one")
      yield* write("two")
      const [taken] = yield* claimMessages(1)
      assert(taken !== undefined)
      const now = yield* DateTime.nowAsDate
      yield* queue.postpone(taken, "no answer", true, new Date(now.getTime() + 15 * 60_000), now)
      assert.deepStrictEqual(yield* claimMessages(1), [])
      yield* heard(one, "C-1")
      assert.deepStrictEqual(yield* loadMessageLines(code), ["one: sent", "two: queued"])
      assert.deepStrictEqual(yield* loadMessagePartitions(operatorId), [{ waiting: 1, attempts: 1, failures: 0 }])
      const [next] = yield* claimMessages(1)
      assert.deepInclude(next, { content: "two", again: false })
    })
  )

  it.effect(
    "and that the channel tells of without our name is one: the one that was sent, and the log says which went",
    () =>
      Effect.gen(function* () {
        const { code, queueText: write } = yield* prepareConversation
        const { gateway } = yield* marketplace(() => true)
        yield* write("one")
        const [taken] = yield* claimMessages(1)
        assert(taken !== undefined)
        yield* heardAnew(code, "one, as the channel shows it", "C-1")
        yield* heardAnew(code, "another", "C-2")
        const said = yield* collectLogLines(through(gateway)(sendClaimedMessage(taken)))
        assert.deepStrictEqual(yield* loadMessageLines(code), ["one: sent", "another: of the channel"])
        assert.deepStrictEqual(yield* namesIn(code), ["C-1", "C-2"])
        const told = said.filter(({ level }) => level === "Info")
        assert.lengthOf(told, 1)
        assert.match(JSON.stringify(told[0]?.message), /echoes/)
      })
  )

  it.effect.skipIf(!canOverlap)(
    withServerNote("and that the channel tells of in that moment is one, whichever is written first"),
    () =>
      Effect.gen(function* () {
        const queue = yield* SendQueue
        for (const hearing of ["under our name", "without it"] as const) {
          for (const isHeardFirst of [true, false]) {
            const { operatorId, code, queueText: write } = yield* prepareConversation
            const one = yield* write("one")
            const [taken] = yield* claimMessages(1)
            assert(taken !== undefined)
            const heardNow = Effect.asVoid(
              hearing === "under our name" ? heard(one, "C-1") : heardAnew(code, "One!", "C-1")
            )
            // What comes too late is written down again, as its worker does.
            const settled = Effect.asVoid(queue.recordSent(taken, "C-1", yield* DateTime.nowAsDate))
            const both = isHeardFirst ? runOverlapping(heardNow, settled) : runOverlapping(settled, heardNow)
            yield* Effect.exit(both)
            yield* settled
            assert.deepStrictEqual(yield* loadMessageLines(code), ["one: sent"])
            assert.deepStrictEqual(yield* namesIn(code), ["C-1"])
            assert.deepStrictEqual(yield* loadMessagePartitions(operatorId), [{ waiting: 0, attempts: 1, failures: 0 }])
          }
        }
      })
  )

  it.effect("takes nothing away that the guest wrote, whatever its channel calls it", () =>
    Effect.gen(function* () {
      const { operatorId, code, queueText: write } = yield* prepareConversation
      const queue = yield* SendQueue
      yield* write("one")
      const [taken] = yield* claimMessages(1)
      assert(taken !== undefined)
      yield* heardIn(code, { message_id: "G-1", text: "Is it quiet?", sender: "guest" })
      assert.deepStrictEqual(yield* queue.recordSent(taken, "G-1", yield* DateTime.nowAsDate), [])
      assert.deepStrictEqual(yield* loadMessageLines(code), ["one: sent", "Is it quiet?: of the channel"])
      assert.deepStrictEqual(yield* namesIn(code), [null, "G-1"])
      assert.deepStrictEqual(yield* loadMessagePartitions(operatorId), [{ waiting: 0, attempts: 1, failures: 0 }])
    })
  )

  it.effect("keeps no name that another of ours has: both stay", () =>
    Effect.gen(function* () {
      const { code, queueText: write } = yield* prepareConversation
      const queue = yield* SendQueue
      yield* write("one")
      yield* write("two")
      const now = yield* DateTime.nowAsDate
      for (let time = 0; time < 2; time++) {
        const [taken] = yield* claimMessages(1)
        assert(taken !== undefined)
        assert.deepStrictEqual(yield* queue.recordSent(taken, "C-1", now), [])
      }
      assert.deepStrictEqual(yield* loadMessageLines(code), ["one: sent", "two: sent"])
      assert.deepStrictEqual(yield* namesIn(code), ["C-1", null])
    })
  )

  it.effect(
    "with everything at once: workers that die, and channels that tell of it, is there once at most, and in order",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const first = yield* prepareConversation
        const rest = yield* Effect.forEach(Array.from({ length: 5 }), () => insertAccountConversation(first))
        const all = [first, ...rest]
        const known = new Set(all.slice(0, 3).map(({ thread_id }) => thread_id))
        const { gateway, there, nameOf, textsOf } = yield* marketplace((threadId) => known.has(threadId))
        const some = <A>(from: ReadonlyArray<A>) => Effect.map(Random.nextIntBetween(0, from.length), (at) => from[at])
        let nth = 0
        const writing = Effect.flatMap(some(all), (one) => one?.queueText(`${++nth}`) ?? Effect.void)
        const telling = Effect.flatMap(some(there), (one) =>
          one === undefined ? Effect.void : heard(one.messageId, nameOf(one))
        )
        // A worker that dies with what it took, its lease over at once.
        const dying = Effect.gen(function* () {
          const [taken] = yield* claimMessages(1)
          if (taken === undefined) return
          const { thread_id: threadId, code: messageId, content: text, again, conversation_id, attempts } = taken
          const account = { operatorId: first.operatorId, accountId: first.accountId, channelType: "airbnb" }
          const message = { threadId, messageId, text, imageUrl: null, again }
          if (yield* Random.nextBoolean) yield* gateway.sendMessage(account, message)
          yield* sql`UPDATE message_lanes SET due_at = ${yield* DateTime.nowAsDate}
            WHERE conversation_id = ${conversation_id} AND attempts = ${attempts}`
        })
        const workers = yield* Effect.all([makeMessageSender, makeMessageSender, makeMessageSender])
        const again = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.repeat(work, { times: canOverlap ? 60 : 25 })
        yield* Effect.all(
          [
            again(writing),
            again(writing),
            again(telling),
            again(dying),
            ...workers.map((worker) => again(Effect.andThen(through(gateway)(worker.claimDue), worker.awaitIdle)))
          ],
          { concurrency: "unbounded" }
        )
        yield* through(gateway)(sendAllDue(workers[0]))
        const rows = yield* sql<{ thread_id: string; content: string; delivery: string }>`
          SELECT c.thread_id, m.content, m.delivery FROM messages m JOIN conversations c ON c.id = m.conversation_id
          WHERE m.operator_id = ${first.operatorId} ORDER BY m.id`
        assert.lengthOf(rows, nth)
        for (const { thread_id } of all) {
          const mine = rows.filter((row) => row.thread_id === thread_id)
          const sent = mine.flatMap(({ content, delivery }) => (delivery === "sent" ? [content] : []))
          const texts = textsOf(thread_id)
          assert.strictEqual(new Set(texts).size, texts.length)
          assert.deepStrictEqual(
            texts,
            mine.flatMap(({ content }) => (texts.includes(content) ? [content] : []))
          )
          assert.includeMembers([...texts], sent)
          if (known.has(thread_id)) assert.lengthOf(sent, mine.length)
          assert.notInclude(
            mine.map(({ delivery }) => delivery),
            "queued"
          )
        }
        const lanes = yield* loadMessagePartitions(first.operatorId)
        assert.deepStrictEqual(
          lanes.map(({ waiting }) => waiting),
          lanes.map(() => 0)
        )
      })
  )
})
