import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CHANNEL_CLOCK_SKEW_MS, MESSAGE_FEEDBACK_LOOP_MS, MESSAGE_LENGTH } from "../../../../src/platform/limits.ts"
import { makeChannelRoom, makeOrderEvent } from "../../../support/connectors/ingest/channel-events.ts"
import {
  deleteEvents,
  loadEvents,
  NOW_ISO
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import {
  layerConversations,
  loadMessagePartition,
  makeMessageEvent,
  makeThreadEvent,
  recordSendResult,
  recordSendStart,
  startChannelConversation
} from "../../../support/domain/guests/conversations/channel-conversation.ts"
import { loadAuditRecordLines } from "../../../support/domain/listings/listing-events.ts"
import { createOperator } from "../../../support/harness.ts"
import { insertChannelAccount } from "../../../support/listings.ts"
import { canOverlap, runOverlapping } from "../../../support/overlapping-transactions.ts"

const APPLIED = { outcome: "applied" }
const KNOWN = { outcome: "known" }

/** So many at once. */
const crowd = <A, E, R>(times: number, effect: Effect.Effect<A, E, R>) =>
  Effect.forEach(Array.from({ length: times }), () => effect, { concurrency: "unbounded" })

const PAYMENT = {
  type: "payment",
  payment_id: "P1",
  channel_id: "HM1",
  amount: 380,
  currency: "EUR",
  paid_at: NOW_ISO
} as const

const outcomes = (heard: ReadonlyArray<{ readonly outcome: string }>) => heard.map(({ outcome }) => outcome).toSorted()

const hostSaid = (text: string, more: Parameters<typeof makeMessageEvent>[0] = {}) =>
  makeMessageEvent({ message_id: "C1", sender: "host", text, sent_at: NOW_ISO, ...more })

layer(layerConversations, { excludeTestServices: false })("what channels say", (it) => {
  it.effect("of a thread makes one conversation, as it was said last, and tells no event", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        ingestEvent: hear,
        conversations: listed,
        conversationId: id
      } = yield* startChannelConversation
      assert.deepStrictEqual(yield* hear(makeThreadEvent()), KNOWN)
      const later = makeThreadEvent({ version: 3, guest: { name: "Ada King" } })
      assert.deepStrictEqual(yield* hear(later), APPLIED)
      assert.deepStrictEqual(yield* hear(makeThreadEvent({ version: 2 })), { outcome: "late" })
      const all = yield* listed
      assert.lengthOf(all, 1)
      assert.deepInclude(all[0], { id, guest: { name: "Ada King", phone: "", email: "" } })
      assert.deepStrictEqual(yield* hear({ ...later, version: 4 }), APPLIED)
      assert.deepStrictEqual(yield* loadEvents(operatorId), [])
      assert.deepStrictEqual(yield* loadAuditRecordLines(operatorId), [
        `conversation:${id}`,
        `conversation:${id} guest_email guest_name guest_phone`
      ])
    })
  )

  it.effect("keeps threads of the same name in two accounts apart", () =>
    Effect.gen(function* () {
      const { operatorId, ingest, conversations: listed } = yield* startChannelConversation
      const accountId = yield* insertChannelAccount(operatorId)
      assert.deepStrictEqual(
        yield* ingest({ operatorId, accountId, channelType: "airbnb" }, makeThreadEvent()),
        APPLIED
      )
      assert.lengthOf(yield* listed, 2)
    })
  )

  it.effect("makes a message one that is told once, and begins a conversation with it where there is none", () =>
    Effect.gen(function* () {
      const { operatorId, api, as, ingestEvent: hear, conversations: listed } = yield* startChannelConversation
      const said = makeMessageEvent({ thread_id: "T9" })
      assert.deepStrictEqual(yield* hear(said), APPLIED)
      assert.deepStrictEqual(yield* hear(said), KNOWN)
      const begun = (yield* listed).at(-1)
      assert.deepInclude(begun, {
        guest: { name: "", email: "", phone: "" },
        last_message_at: "2027-04-20T09:00:00+00:00"
      })
      const { messages } = yield* api.get_conversation({ id: begun?.id ?? "" }).pipe(as)
      assert.lengthOf(messages, 1)
      assert.deepStrictEqual(yield* loadEvents(operatorId), [
        { event: "message_created", conversation_id: begun?.id, message_id: messages[0]?.id }
      ])
      assert.include(yield* loadAuditRecordLines(operatorId), `conversation:${begun?.id}`)
      // Then who it is with is said.
      assert.deepStrictEqual(yield* hear(makeThreadEvent({ thread_id: "T9" })), APPLIED)
      assert.strictEqual((yield* listed).find(({ id }) => id === begun?.id)?.guest.name, "Ada Lovelace")
    })
  )

  it.effect("moves a conversation forward only, and no further than now", () =>
    Effect.gen(function* () {
      const { ingestEvent: hear, conversations: listed, texts } = yield* startChannelConversation
      const last = Effect.map(listed, ([row]) => row?.last_message_at)
      yield* hear(makeMessageEvent({ text: "second" }))
      yield* hear(makeMessageEvent({ message_id: "M0", text: "first", sent_at: "2027-04-19T09:00:00Z" }))
      assert.strictEqual(yield* last, "2027-04-20T09:00:00+00:00")
      yield* TestClock.adjust("1 hour")
      yield* hear(makeMessageEvent({ message_id: "M2", text: "third", sent_at: "2029-01-01T00:00:00Z" }))
      assert.strictEqual(yield* last, "2027-04-20T11:00:00+00:00")
      yield* TestClock.adjust("1 hour")
      yield* hear(makeMessageEvent({ message_id: "M2", text: "third", sent_at: "2029-01-01T00:00:00Z" }))
      assert.strictEqual(yield* last, "2027-04-20T11:00:00+00:00")
      assert.deepStrictEqual(yield* texts, ["first", "second", "third"])
    })
  )

  it.effect("of a thread that had no message yet dates its conversation, however long ago it was written", () =>
    Effect.gen(function* () {
      const { ingestEvent: hear, conversations: listed } = yield* startChannelConversation
      yield* hear(makeThreadEvent())
      yield* hear(makeMessageEvent({ sent_at: "2027-04-02T09:00:00Z" }))
      assert.deepStrictEqual(
        (yield* listed).map(({ last_message_at }) => last_message_at),
        ["2027-04-02T09:00:00+00:00"]
      )
    })
  )

  it.effect("is shown as what it is said to be", () =>
    Effect.gen(function* () {
      const { ingestEvent: hear, messages } = yield* startChannelConversation
      yield* hear(makeMessageEvent({ display_type: "RequestToBook", text: "x".repeat(MESSAGE_LENGTH) }))
      yield* hear(makeMessageEvent({ message_id: "M2", sender: "host", attachment_url: null }))
      assert.deepStrictEqual(
        (yield* messages).map(({ display_type, sender_role, sender_name, delivery }) => [
          display_type,
          sender_role,
          sender_name,
          delivery
        ]),
        [
          ["RequestToBook", "guest", null, null],
          ["Text", "host", "Test", null]
        ]
      )
    })
  )

  it.effect("is refused where it cannot be so, and nothing is changed", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        accountId,
        ingest,
        ingestEvent: hear,
        conversations: listed,
        texts
      } = yield* startChannelConversation
      const before = yield* listed
      const inquiry = {
        listing_id: "L",
        check_in_date: "2027-06-01",
        check_out_date: "2027-06-01",
        number_of_adults: 1
      }
      for (const [said, reason] of [
        [makeThreadEvent({ version: 2, inquiry }), /^inquiry.check_out_date: must be after/],
        [{ ...makeThreadEvent(), guest: undefined }, /^guest: /],
        [makeThreadEvent({ version: 0 }), /^version: /],
        [makeMessageEvent({ message_id: "" }), /^message_id: must not be empty/],
        [makeMessageEvent({ text: "x".repeat(MESSAGE_LENGTH + 1) }), /^text: must be at most/],
        [makeMessageEvent({ text: "\u0000" }), /^text: .*U\+0000/],
        [{ ...makeMessageEvent(), sender: "robot" }, /^sender: /],
        [makeMessageEvent({ sent_at: "yesterday" }), /^sent_at: /]
      ] as const) {
        const heard = yield* hear(said)
        assert.match(heard.outcome === "refused" ? heard.reason : heard.outcome, reason)
      }
      const other = yield* createOperator()
      for (const said of [makeThreadEvent({ version: 9 }), makeMessageEvent()]) {
        for (const speaker of [
          { operatorId: other.operatorId, accountId, channelType: "airbnb" },
          { operatorId, accountId, channelType: "vrbo" }
        ]) {
          assert.strictEqual((yield* ingest(speaker, said)).outcome, "refused")
        }
      }
      assert.deepStrictEqual(yield* listed, before)
      assert.deepStrictEqual(yield* texts, [])
    })
  )

  it.effect("is one record however many say it at once", () =>
    Effect.gen(function* () {
      const { operatorId, ingestEvent: hear, conversations: listed } = yield* startChannelConversation
      const message = makeMessageEvent({ thread_id: "T9" })
      const [messages, threads] = yield* Effect.all(
        [crowd(20, hear(message)), crowd(20, hear(makeThreadEvent({ thread_id: "T9" })))],
        { concurrency: "unbounded" }
      )
      for (const heard of [messages, threads]) {
        assert.deepStrictEqual(outcomes(heard), ["applied", ...Array.from({ length: 19 }, () => "known")])
      }
      const all = yield* listed
      assert.lengthOf(all, 2)
      assert.isTrue(all.every(({ guest }) => guest.name === "Ada Lovelace"))
      assert.lengthOf(yield* loadEvents(operatorId), 1)
    })
  )

  it.effect("leaves the latest of versions that come at once", () =>
    Effect.gen(function* () {
      const { ingestEvent: hear, conversations: listed } = yield* startChannelConversation
      const versions = Array.from({ length: 20 }, (_, at) =>
        makeThreadEvent({ version: at + 2, guest: { name: `Ada ${at}` } })
      )
      yield* Effect.forEach(versions, hear, { concurrency: "unbounded" })
      assert.deepStrictEqual(
        (yield* listed).map(({ guest }) => guest.name),
        ["Ada 19"]
      )
    })
  )

  it.effect(
    "of a message of ours that comes back: it has arrived, under the channel's name, and waits no more; nobody is told again",
    () =>
      Effect.gen(function* () {
        const { operatorId, ingestEvent: hear, sendMessage: send, messages } = yield* startChannelConversation
        yield* send("first")
        yield* send("second")
        const [ours] = yield* messages
        yield* deleteEvents(operatorId)
        yield* TestClock.adjust("1 minute")
        const said = hostSaid("FIRST, as the channel spells it", { sent_as: ours?.id ?? "" })
        assert.deepStrictEqual(yield* hear(said), APPLIED)
        assert.deepStrictEqual(yield* hear(said), KNOWN)
        // Nor under another name that the channel has for it.
        assert.deepStrictEqual(yield* hear({ ...said, message_id: "C9" }), KNOWN)
        assert.deepStrictEqual(
          (yield* messages).map(({ content, delivery }) => [content, delivery]),
          [
            ["first", "sent"],
            ["second", "queued"]
          ]
        )
        // The next goes on at once.
        const due_at = new Date(Date.parse(NOW_ISO) + 60_000)
        assert.deepStrictEqual(yield* loadMessagePartition(operatorId), { waiting: 1, queued: 1, due_at })
        assert.deepStrictEqual(yield* loadEvents(operatorId), [])
        // One that overtakes another leaves that one as it waits.
        yield* send("third")
        const third = (yield* messages)[2]
        yield* TestClock.adjust("1 minute")
        yield* hear(hostSaid("third", { message_id: "C3", sent_as: third?.id ?? "" }))
        assert.deepStrictEqual(yield* loadMessagePartition(operatorId), { waiting: 1, queued: 1, due_at })
      })
  )

  it.effect("of a message of ours that comes back: it is not one that a guest says is, nor one of another name", () =>
    Effect.gen(function* () {
      const {
        ingestEvent: hear,
        sendMessage: send,
        getConversation: conversation,
        texts
      } = yield* startChannelConversation
      yield* send("Hello")
      const [ours] = (yield* conversation()).messages
      yield* hear(makeMessageEvent({ text: "Hello", sent_as: ours?.id ?? "" }))
      yield* hear(hostSaid("Hello", { sent_as: "another" }))
      assert.lengthOf(yield* texts, 3)
      assert.strictEqual((yield* conversation()).messages.find(({ id }) => id === ours?.id)?.delivery, "queued")
    })
  )

  it.effect(
    "of a message of ours that comes back: it is known by its text where its channel keeps no name of ours: the oldest that may be there",
    () =>
      Effect.gen(function* () {
        const {
          operatorId,
          ingestEvent: hear,
          sendMessage: send,
          getConversation: conversation
        } = yield* startChannelConversation
        const shown = Effect.map(conversation(), ({ messages }) => messages.map(({ delivery }) => delivery))
        yield* send("Hello")
        // No try of it began, so this is one of the host's own.
        assert.deepStrictEqual(yield* hear(hostSaid("Hello", { message_id: "H1" })), APPLIED)
        assert.deepStrictEqual((yield* shown).toSorted(), [null, "queued"].toSorted())
        yield* recordSendStart(operatorId)
        assert.deepStrictEqual(yield* hear(hostSaid("Hello!", { message_id: "H2" })), APPLIED)
        assert.lengthOf(yield* shown, 3)
        assert.deepStrictEqual(yield* hear(hostSaid("Hello", { message_id: "C1" })), APPLIED)
        assert.lengthOf(yield* shown, 3)
        assert.include(yield* shown, "sent")
        assert.deepInclude(yield* loadMessagePartition(operatorId), { waiting: 0, queued: 0 })
      })
  )

  it.effect(
    "of a message of ours that comes back: it is found where nobody knew what became of it, or its channel had given it no name",
    () =>
      Effect.gen(function* () {
        const { operatorId, ingestEvent: hear, sendMessage: send, messages } = yield* startChannelConversation
        for (const [delivery, name] of [
          ["unknown", "C1"],
          ["sent", "C2"]
        ] as const) {
          yield* send(delivery)
          yield* recordSendResult(operatorId, delivery, delivery)
          assert.deepStrictEqual(yield* hear(hostSaid(delivery, { message_id: name })), APPLIED)
          assert.deepStrictEqual(yield* hear(hostSaid(delivery, { message_id: name })), KNOWN)
        }
        yield* send("refused")
        yield* recordSendResult(operatorId, "refused", "refused")
        yield* hear(hostSaid("refused", { message_id: "C3" }))
        assert.deepStrictEqual(
          (yield* messages).map(({ delivery }) => delivery),
          ["sent", "sent", "refused", null]
        )
        assert.deepInclude(yield* loadMessagePartition(operatorId), { waiting: 0, queued: 0 })
      })
  )

  it.effect(
    "of a message of ours that comes back: it is known by its text for two days, by a clock that may be behind by minutes",
    () =>
      Effect.gen(function* () {
        const { operatorId, ingestEvent: hear, sendMessage: send, texts } = yield* startChannelConversation
        const at = Date.parse(NOW_ISO)
        const instant = (ms: number) => new Date(at + ms).toISOString()
        yield* TestClock.setTime(at)
        for (const text of ["early", "just", "late", "last"]) {
          yield* send(text)
          yield* recordSendResult(operatorId, text, "unknown")
        }
        yield* TestClock.setTime(at + 2 * MESSAGE_FEEDBACK_LOOP_MS)
        yield* hear(hostSaid("early", { message_id: "C1", sent_at: instant(-CHANNEL_CLOCK_SKEW_MS - 1) }))
        assert.lengthOf(yield* texts, 5)
        yield* hear(hostSaid("just", { message_id: "C2", sent_at: instant(-CHANNEL_CLOCK_SKEW_MS) }))
        yield* hear(hostSaid("last", { message_id: "C3", sent_at: instant(MESSAGE_FEEDBACK_LOOP_MS) }))
        assert.lengthOf(yield* texts, 5)
        yield* hear(hostSaid("late", { message_id: "C4", sent_at: instant(MESSAGE_FEEDBACK_LOOP_MS + 1) }))
        assert.lengthOf(yield* texts, 6)
      })
  )

  it.effect("of a message of ours that comes back: it is known by its text where its channel's clock is ahead", () =>
    Effect.gen(function* () {
      const { operatorId, ingestEvent: hear, sendMessage: send, texts } = yield* startChannelConversation
      yield* send("Hello")
      yield* recordSendResult(operatorId, "Hello", "unknown")
      yield* hear(hostSaid("Hello", { sent_at: "2029-01-01T00:00:00Z" }))
      assert.deepStrictEqual(yield* texts, ["Hello"])
    })
  )

  it.effect("is heard whenever it says that it was sent", () =>
    Effect.gen(function* () {
      const { ingestEvent: hear, texts } = yield* startChannelConversation
      for (const sent_at of ["0001-01-01T00:00:00Z", "0001-01-02T00:00:00", "9999-12-31T23:59:59.999Z"]) {
        assert.deepStrictEqual(yield* hear(hostSaid(sent_at, { message_id: sent_at, sent_at })), APPLIED)
      }
      assert.lengthOf(yield* texts, 3)
    })
  )

  it.effect("of a message of ours that comes back: it is one of several that say the same, each once", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        ingestEvent: hear,
        sendMessage: send,
        getConversation: conversation
      } = yield* startChannelConversation
      yield* Effect.repeat(send("Hello"), { times: 4 })
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE messages SET maybe_sent = true WHERE operator_id = ${operatorId}`
      const echoes = Array.from({ length: 5 }, (_, at) => hostSaid("Hello", { message_id: `C${at}` }))
      const heard = yield* Effect.forEach([...echoes, ...echoes], hear, { concurrency: "unbounded" })
      assert.deepStrictEqual(outcomes(heard), [...Array(5).fill("applied"), ...Array(5).fill("known")])
      const { messages } = yield* conversation()
      assert.deepStrictEqual(
        messages.map(({ delivery }) => delivery),
        Array(5).fill("sent")
      )
      assert.deepInclude(yield* loadMessagePartition(operatorId), { waiting: 0, queued: 0 })
    })
  )

  it.effect("of a message of ours that comes back: it is settled once beside whoever sends it", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        ingestEvent: hear,
        sendMessage: send,
        getConversation: conversation
      } = yield* startChannelConversation
      for (let round = 0; round < 10; round++) {
        const text = `Hello ${round}`
        yield* send(text)
        yield* recordSendStart(operatorId)
        const echo = hear(hostSaid(text, { message_id: `C${round}` }))
        const settling = recordSendResult(operatorId, text, "sent", `C${round}`)
        yield* Effect.all(round % 2 === 0 ? [echo, settling] : [settling, echo], { concurrency: "unbounded" })
        assert.deepInclude(yield* loadMessagePartition(operatorId), { waiting: 0, queued: 0 })
      }
      const { messages } = yield* conversation()
      assert.deepStrictEqual(
        messages.map(({ delivery }) => delivery),
        Array(10).fill("sent")
      )
    })
  )

  it.effect.skipIf(!canOverlap)(
    "of a message of ours that comes back: it waits for whoever settles it, and sees what became of it",
    () =>
      Effect.gen(function* () {
        const {
          operatorId,
          ingestEvent: hear,
          sendMessage: send,
          getConversation: conversation
        } = yield* startChannelConversation
        for (const [text, order] of [
          ["one", "echo first"],
          ["two", "settling first"]
        ] as const) {
          yield* send(text)
          yield* recordSendStart(operatorId)
          const echo = Effect.asVoid(hear(hostSaid(text, { message_id: `C ${text}` })))
          const settling = recordSendResult(operatorId, text, "sent", `C ${text}`)
          yield* order === "echo first" ? runOverlapping(echo, settling) : runOverlapping(settling, echo)
          assert.deepInclude(yield* loadMessagePartition(operatorId), { waiting: 0, queued: 0 })
        }
        assert.lengthOf((yield* conversation()).messages, 2)
      })
  )

  it.effect.skipIf(!canOverlap)(
    "of its first two messages at once: it is as new as the newest, whichever came first",
    () =>
      Effect.gen(function* () {
        const [early, late] = ["2027-04-20T05:00:00Z", "2027-04-20T08:00:00Z"]
        for (const [one, other] of [
          [early, late],
          [late, early]
        ] as const) {
          const { ingestEvent: hear, conversations: listed } = yield* startChannelConversation
          const saidAt = (sent_at: string) => Effect.asVoid(hear(makeMessageEvent({ message_id: sent_at, sent_at })))
          yield* runOverlapping(saidAt(one), saidAt(other))
          assert.strictEqual((yield* listed)[0]?.last_message_at, "2027-04-20T08:00:00+00:00")
        }
      })
  )

  it.effect("of an order with a thread: it is linked to its conversation, whether that was known or not", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        ingestEvent: hear,
        listingId: listing,
        conversationId: id,
        reservations: rows,
        conversations: listed,
        getConversation: conversation
      } = yield* startChannelConversation
      const linked = Effect.map(rows, ([row]) => row?.conversation_id)
      yield* hear(makeOrderEvent([makeChannelRoom(listing)]))
      assert.isNull(yield* linked)
      yield* deleteEvents(operatorId)
      yield* hear(makeOrderEvent([makeChannelRoom(listing)], { version: 2, thread_id: "T1" }))
      assert.strictEqual(yield* linked, id)
      assert.strictEqual((yield* conversation()).activities[0]?.activity_type, "reservation")
      // Nothing of the stay is another: who listens hears of messages.
      assert.deepStrictEqual(yield* loadEvents(operatorId), [])
      yield* hear(makeOrderEvent([makeChannelRoom(listing)], { version: 3 }))
      assert.strictEqual(yield* linked, id)
      assert.strictEqual((yield* listed)[0]?.guest.name, "Ada Lovelace")
      yield* hear(makeOrderEvent([makeChannelRoom(listing)], { version: 4, thread_id: "T2" }))
      const other = (yield* listed).find((each) => each.id !== id)
      assert.strictEqual(yield* linked, other?.id)
      assert.deepStrictEqual(other?.guest, { name: "Grace Hopper", phone: "+1 555", email: "grace@example.test" })
      yield* hear(makeOrderEvent([makeChannelRoom(listing)], { version: 3, thread_id: "T1" }))
      assert.strictEqual(yield* linked, other?.id)
    })
  )

  it.effect(
    "of an order with a thread: it gives its booker to a new conversation, and to one of an unknown guest, until a thread says more",
    () =>
      Effect.gen(function* () {
        const {
          ingestEvent: hear,
          listingId: listing,
          otherListingId: other,
          conversations: listed
        } = yield* startChannelConversation
        yield* hear(makeMessageEvent({ thread_id: "T2" }))
        yield* hear(makeOrderEvent([makeChannelRoom(listing)], { thread_id: "T2" }))
        yield* hear(makeOrderEvent([makeChannelRoom(other)], { thread_id: "T3", channel_id: "HM2" }))
        const names = Effect.map(listed, (all) => all.map(({ guest }) => guest.name).toSorted())
        assert.deepStrictEqual(yield* names, ["Ada Lovelace", "Grace Hopper", "Grace Hopper"])
        yield* hear(makeThreadEvent({ thread_id: "T3", guest: { name: "Grace Murray" } }))
        yield* hear(makeOrderEvent([makeChannelRoom(other)], { thread_id: "T3", channel_id: "HM2", version: 2 }))
        assert.deepStrictEqual(yield* names, ["Ada Lovelace", "Grace Hopper", "Grace Murray"])
      })
  )

  it.effect("of an order with a thread: it begins no conversation where it is refused", () =>
    Effect.gen(function* () {
      const { ingestEvent: hear, listingId: listing, conversations: listed } = yield* startChannelConversation
      assert.strictEqual(
        (yield* hear(makeOrderEvent([makeChannelRoom("unknown")], { thread_id: "T9" }))).outcome,
        "refused"
      )
      // Its entries are in another currency by then.
      yield* hear(makeOrderEvent([makeChannelRoom(listing)]))
      yield* hear(PAYMENT)
      const later = makeOrderEvent([makeChannelRoom(listing)], { version: 2, currency: "USD", thread_id: "T9" })
      assert.deepInclude(yield* hear(later), { outcome: "refused" })
      assert.lengthOf(yield* listed, 1)
    })
  )

  it.effect("of an order with a thread: it is in one conversation with all that is said of it at once", () =>
    Effect.gen(function* () {
      const {
        ingestEvent: hear,
        listingId: listing,
        otherListingId: other,
        conversations: listed,
        reservations: rows
      } = yield* startChannelConversation
      yield* Effect.all(
        [
          hear(makeOrderEvent([makeChannelRoom(listing)], { thread_id: "T9" })),
          hear(makeMessageEvent({ thread_id: "T9" })),
          hear(makeOrderEvent([makeChannelRoom(other)], { thread_id: "T9", channel_id: "HM2" })),
          hear(makeThreadEvent({ thread_id: "T9" }))
        ],
        { concurrency: "unbounded" }
      )
      const all = yield* listed
      assert.lengthOf(all, 2)
      assert.isTrue(all.some(({ id, guest }) => guest.name === "Ada Lovelace" && id !== ""))
      assert.include(
        all.map(({ id }) => id),
        (yield* rows)[0]?.conversation_id
      )
    })
  )
})
