import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { getMessageLimit } from "../../../../src/domain/channels/port/message-limits.ts"
import {
  ACTIVITIES_SHOWN,
  CONVERSATION_NOTE_LENGTH,
  IMAGE_TEXT_LENGTH,
  MESSAGE_LENGTH,
  MESSAGES_SHOWN,
  QUEUED_MESSAGES_MAX
} from "../../../../src/platform/limits.ts"
import { insertConversation } from "../../../support/conversations.ts"
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
  startChannelConversation
} from "../../../support/domain/guests/conversations/channel-conversation.ts"
import { fieldOfError } from "../../../support/error-messages.ts"
import {
  call,
  callForResponse,
  createAccessToken,
  createOperator,
  insertAccount,
  insertOrder,
  typedClient,
  withToken
} from "../../../support/harness.ts"
import { JPEG_BASE64 } from "../../../support/jpegs.ts"
import { insertChannelAccount, insertListing } from "../../../support/listings.ts"
import { countStatements } from "../../../support/statement-count.ts"

const BASE = "http://127.0.0.1:8080"

layer(layerConversations, { excludeTestServices: false })("conversations", (it) => {
  it.effect("are listed by their latest message, with the guest and the dates that are asked for", () =>
    Effect.gen(function* () {
      const { api, as, ingestEvent: hear, listingId: listing, conversations: listed } = yield* startChannelConversation
      const dates = { check_in_date: "2027-06-01", check_out_date: "2027-06-03" }
      yield* hear(makeThreadEvent({ thread_id: "T2", inquiry: { listing_id: listing, ...dates, number_of_adults: 2 } }))
      yield* TestClock.adjust("1 minute")
      yield* hear(makeMessageEvent({ sent_at: "2027-04-20T10:00:30.500Z" }))
      const [first, second] = yield* listed
      assert.deepStrictEqual(first, {
        id: first?.id ?? "",
        channel_type: "airbnb",
        last_message_at: "2027-04-20T10:00:30+00:00",
        guest: { name: "Ada Lovelace", email: "ada@example.test", phone: "+44 1" },
        property_title: "",
        check_in_date: null,
        check_out_date: null
      })
      assert.deepInclude(second, { ...dates, property_title: "", last_message_at: "2027-04-20T10:00:00+00:00" })
      const page = yield* api.query_conversations({ offset: 1, limit: 1 }).pipe(as)
      assert.deepStrictEqual(page, { conversations: second === undefined ? [] : [second], total: 2 })
      const none = yield* api.query_conversations({ offset: 2 }).pipe(as)
      assert.deepStrictEqual(none, { conversations: [], total: 2 })
    })
  )

  it.effect("show the stay that runs or comes next, else the last, and those that are over behind all", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        propertyId: property,
        secondPropertyId: second,
        conversationId: id,
        conversations: listed
      } = yield* startChannelConversation
      const sql = yield* SqlClient.SqlClient
      const shown = Effect.map(listed, ([row]) => `${row?.check_in_date} ${row?.property_title}`)
      const linked = (
        propertyId: number,
        checkIn: string,
        checkOut: string,
        status: "accepted" | "denied" = "accepted"
      ) =>
        Effect.gen(function* () {
          const code = yield* insertOrder(operatorId, [{ propertyId, checkIn, checkOut }], {
            channelType: "airbnb",
            status
          })
          yield* sql`UPDATE orders SET conversation_id = ${id} WHERE operator_id = ${operatorId} AND reservation_code = ${code}`
        })
      yield* linked(property, "2027-06-01", "2027-06-03", "denied")
      assert.strictEqual(yield* shown, "2027-06-01 Harbour 1")
      yield* linked(second, "2027-01-01", "2027-01-03")
      yield* linked(property, "2027-02-01", "2027-02-03")
      assert.strictEqual(yield* shown, "2027-02-01 Harbour 1")
      yield* linked(second, "2027-05-01", "2027-05-03")
      assert.strictEqual(yield* shown, "2027-05-01 Harbour 2")
      // Who leaves today is still there.
      yield* linked(property, "2027-04-18", "2027-04-20")
      assert.strictEqual(yield* shown, "2027-04-18 Harbour 1")
    })
  )

  it.effect("are read with the guest, what they are about, the note and the messages", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        api,
        as,
        propertyId: property,
        listingId: listing,
        otherListingId: other,
        ingestEvent: hear,
        conversationId: id,
        getConversation: conversation
      } = yield* startChannelConversation
      const { room_type_id } = yield* api.create_room_type({ title: "Double", property_ids: [property] }).pipe(as)
      const dates = { check_in_date: "2027-06-01", check_out_date: "2027-06-03" }
      yield* hear(makeThreadEvent({ version: 2, inquiry: { listing_id: listing, ...dates, number_of_adults: 2 } }))
      yield* hear(makeMessageEvent())
      yield* hear(
        makeMessageEvent({ message_id: "M2", sender: "host", text: "It is.", sent_at: "2027-04-20T09:01:00+00:00" })
      )
      const photo = { text: "", attachment_url: "https://example.test/p.jpg", sent_at: "2027-04-20T11:02:00+02:00" }
      yield* hear(makeMessageEvent({ message_id: "M3", ...photo }))
      yield* api.update_conversation_note({ conversation_id: id, note: "Allergic to nuts" }).pipe(as)
      const shown = yield* conversation()
      const home = {
        id: property,
        title: "Harbour 1",
        cover_url: null,
        room_type: { id: room_type_id, title: "Double" }
      }
      const inquiry = {
        activity_type: "inquiry" as const,
        reservation_code: null,
        ...dates,
        listing_id: listing,
        property: home
      }
      const said = { sender_name: null, sources: [], delivery: null, delivery_reason: null }
      assert.deepStrictEqual(shown, {
        id,
        channel_type: "airbnb",
        guest: { name: "Ada Lovelace", phone: "+44 1", email: "ada@example.test" },
        activities: [inquiry],
        note: "Allergic to nuts",
        messages: [
          {
            sender_role: "guest" as const,
            display_type: "FileAttachment" as const,
            content: "",
            attachment: { fullback_url: "https://example.test/p.jpg" },
            created_at: "2027-04-20T09:02:00+00:00"
          },
          {
            sender_role: "host" as const,
            display_type: "Text" as const,
            content: "It is.",
            attachment: null,
            created_at: "2027-04-20T09:01:00+00:00"
          },
          {
            sender_role: "guest" as const,
            display_type: "Text" as const,
            content: "Is it quiet?",
            attachment: null,
            created_at: "2027-04-20T09:00:00+00:00"
          }
        ].map((message, at) => ({
          id: shown.messages[at]?.id ?? "",
          ...said,
          ...message,
          sender_name: message.sender_role === "host" ? "Test" : null
        })),
        has_more: false
      })
      const sql = yield* SqlClient.SqlClient
      // The order of what was asked for takes the place of the question; another one stands beside it.
      const linked = (listingId: string, propertyId: number | null) =>
        Effect.gen(function* () {
          const code = yield* insertOrder(
            operatorId,
            [{ propertyId, checkIn: dates.check_in_date, checkOut: dates.check_out_date }],
            { channelType: "airbnb" }
          )
          yield* sql`UPDATE orders SET conversation_id = ${id} WHERE operator_id = ${operatorId} AND reservation_code = ${code}`
          yield* sql`UPDATE stays SET listing_id = ${listingId} WHERE operator_id = ${operatorId} AND stay_code = ${code}`
          return { activity_type: "reservation" as const, reservation_code: code, ...dates, listing_id: listingId }
        })
      const boxed = { ...(yield* linked(other, null)), property: null }
      assert.deepStrictEqual((yield* conversation()).activities, [inquiry, boxed])
      const booked = { ...(yield* linked(listing, property)), property: home }
      assert.deepStrictEqual((yield* conversation()).activities, [booked, boxed])
    })
  )

  it.effect(`are about the latest ${ACTIVITIES_SHOWN} stays at most`, () =>
    Effect.gen(function* () {
      const {
        operatorId,
        conversationId: id,
        listingId: listing,
        ingestEvent: hear,
        getConversation: conversation
      } = yield* startChannelConversation
      const sql = yield* SqlClient.SqlClient
      const link = Effect.fnUntraced(function* (rooms: number) {
        const stays = Array.from({ length: rooms }, () => ({ propertyId: null }))
        const code = yield* insertOrder(operatorId, stays, { channelType: "airbnb" })
        yield* sql`UPDATE orders SET conversation_id = ${id} WHERE operator_id = ${operatorId}`
        return code
      })
      const shown = Effect.map(conversation(), ({ activities }) => activities.map((each) => each.reservation_code))
      const first = yield* link(ACTIVITIES_SHOWN - 1)
      const ofFirst = Array.from({ length: ACTIVITIES_SHOWN - 1 }, () => first)
      const second = yield* link(1)
      assert.deepStrictEqual(yield* shown, [second, ...ofFirst])
      const third = yield* link(1)
      assert.deepStrictEqual(yield* shown, [third, second, ...ofFirst.slice(1)])
      const inquiry = {
        listing_id: listing,
        check_in_date: "2027-06-01",
        check_out_date: "2027-06-03",
        number_of_adults: 1
      }
      yield* hear(makeThreadEvent({ version: 2, inquiry }))
      assert.deepStrictEqual(yield* shown, [null, third, second, ...ofFirst.slice(2)])
    })
  )

  it.effect(`show the newest ${MESSAGES_SHOWN} messages first, and page backwards in time`, () =>
    Effect.gen(function* () {
      const ground = yield* startChannelConversation
      const { operatorId, accountId, conversationId: id, getConversation: conversation, as, api } = ground
      const sql = yield* SqlClient.SqlClient
      // Many in one second: their order is that in which they came.
      const write = (from: number, to: number) => sql`
        INSERT INTO messages (operator_id, conversation_id, code, sender_role, display_type, content, created_at)
        SELECT operator_id, id, ${id} || nth, 'guest', 'Text', nth::text, timestamptz '2027-04-20T09:00:00Z' + (nth / 50) * interval '1 s'
        FROM conversations, generate_series(${from}::int, ${to}::int) AS each (nth) WHERE operator_id = ${operatorId} ORDER BY each.nth`
      const numbers = (newest: number, oldest: number) =>
        Array.from({ length: newest - oldest + 1 }, (_, at) => String(newest - at))
      const messages = (before?: string) =>
        Effect.map(conversation(before), ({ messages: page, has_more }) => [
          page.map(({ content }) => content),
          has_more
        ])
      yield* write(1, MESSAGES_SHOWN)
      assert.deepStrictEqual(yield* messages(), [numbers(MESSAGES_SHOWN, 1), false])
      yield* write(MESSAGES_SHOWN + 1, 201)
      assert.deepStrictEqual(yield* messages(), [numbers(201, 102), true])
      assert.deepStrictEqual(yield* messages(`${id}102`), [numbers(101, 2), true])
      assert.deepStrictEqual(yield* messages(`${id}101`), [numbers(100, 1), false])
      assert.deepStrictEqual(yield* messages(`${id}1`), [[], false])

      const elsewhere = yield* insertConversation({ operatorId, accountId, channelType: "airbnb" })
      for (const [of, before] of [
        [id, "unknown"],
        [elsewhere.code, `${id}5`],
        [id, ""]
      ] as const) {
        const refused = yield* Effect.flip(api.get_conversation({ id: of, before }).pipe(as))
        assert.deepStrictEqual([refused._tag, fieldOfError({ error_msg: refused.message })], ["NotFound", "before"])
      }
    })
  )

  it.effect("are 403 where they are another account's and 404 where there is none, read and changed", () =>
    Effect.gen(function* () {
      const { conversationId: id, getConversation: conversation } = yield* startChannelConversation
      const stranger = yield* createOperator()
      for (const [name, fields] of [
        ["get_conversation", (code: string) => ({ id: code })],
        ["send_message", (code: string) => ({ id: code, message: "Hello" })],
        ["update_conversation_note", (code: string) => ({ conversation_id: code, note: "Mine" })]
      ] as const) {
        const foreign = yield* call(stranger.token, name, fields(id))
        assert.deepInclude(foreign, { error_code: 403, data: {} })
        assert.match(foreign.error_msg, /^(conversation_)?id: /)
        for (const unknown of ["unknown", "", "1", "../x", id.toUpperCase()]) {
          assert.strictEqual((yield* call(stranger.token, name, fields(unknown))).error_code, 404)
        }
      }
      assert.deepInclude(yield* conversation(), { note: "", messages: [] })
    })
  )

  it.effect("are a sub-account's as well", () =>
    Effect.gen(function* () {
      const { operatorId, conversationId: id, getConversation: conversation } = yield* startChannelConversation
      const accountId = yield* insertAccount(operatorId, "sub", "Marta")
      const api = yield* typedClient
      const as = withToken(yield* createAccessToken({ operatorId, accountId }, "writable"))
      yield* api.send_message({ id, message: "Welcome" }).pipe(as)
      assert.deepInclude((yield* conversation()).messages[0], { content: "Welcome", sender_name: "Test" })
      assert.strictEqual((yield* api.query_conversations({}).pipe(as)).total, 1)
    })
  )

  it.effect("take a message: it is shown as queued, told, and due at once", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        conversationId: id,
        sendMessage: send,
        getConversation: conversation,
        conversations: listed
      } = yield* startChannelConversation
      yield* deleteEvents(operatorId)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* send("The key is under the mat."), {})
      const { messages } = yield* conversation()
      const [message] = messages
      assert.deepStrictEqual(messages, [
        {
          id: message?.id ?? "",
          sender_role: "host",
          sender_name: "Test",
          sources: [],
          display_type: "Text",
          content: "The key is under the mat.",
          attachment: null,
          created_at: "2027-04-20T10:01:00+00:00",
          delivery: "queued",
          delivery_reason: null
        }
      ])
      assert.strictEqual((yield* listed)[0]?.last_message_at, "2027-04-20T10:01:00+00:00")
      assert.deepStrictEqual(yield* loadEvents(operatorId), [
        { event: "message_created", conversation_id: id, message_id: message?.id }
      ])
      const due = new Date(Date.parse(NOW_ISO) + 60_000)
      assert.deepStrictEqual(yield* loadMessagePartition(operatorId), { waiting: 1, queued: 1, due_at: due })
      // A lane that has something waiting is due when it was.
      yield* TestClock.adjust("1 minute")
      yield* send("And the light is on.")
      assert.deepStrictEqual(yield* loadMessagePartition(operatorId), { waiting: 2, queued: 2, due_at: due })
    })
  )

  it.effect("take the same text again as one more message: a call without a key is no repeat", () =>
    Effect.gen(function* () {
      const { operatorId, sendMessage: send, texts } = yield* startChannelConversation
      yield* deleteEvents(operatorId)
      yield* send("Are you there?")
      yield* send("Are you there?")
      assert.deepStrictEqual(yield* texts, ["Are you there?", "Are you there?"])
      assert.lengthOf(yield* loadEvents(operatorId), 2)
    })
  )

  it.effect("take every text as it is", () =>
    Effect.gen(function* () {
      const { ingestEvent: hear, sendMessage: send, conversationId: id, texts, token } = yield* startChannelConversation
      const odd = [
        "😀👩‍👩‍👧",
        "\u202eשלום\u202c مرحبا",
        "e\u0301 n\u0303",
        "  two\nlines\r\n\ttab ",
        "<b>&amp;</b>",
        "\ufeff\u200b!"
      ]
      for (const [at, text] of odd.entries()) {
        yield* send(text)
        yield* TestClock.adjust("1 second")
        yield* hear(makeMessageEvent({ message_id: `G${at}`, text, sent_at: "2027-04-20T10:30:00Z" }))
        yield* TestClock.adjust("1 second")
      }
      assert.deepStrictEqual(
        yield* texts,
        odd.flatMap((text) => [text, text])
      )
      for (const [spoilt, why] of [
        ["\u0000", "U+0000"],
        ["\ud800", "surrogate"]
      ] as const) {
        const invalid = yield* call(token, "send_message", { id, message: `a${spoilt}` })
        assert.deepStrictEqual([invalid.error_code, fieldOfError(invalid)], [422, "message"])
        assert.include(invalid.error_msg, why)
      }
    })
  )

  it.effect("take texts as long as their channel does", () =>
    Effect.gen(function* () {
      const { operatorId, token, conversationId: id } = yield* startChannelConversation
      const accountId = yield* insertChannelAccount(operatorId, { channelType: "booking_site" })
      const site = yield* insertConversation({ operatorId, accountId, channelType: "booking_site" })
      const to = (conversation: string, length: number) =>
        call(token, "send_message", { id: conversation, message: "😀".repeat(length) })
      assert.strictEqual(getMessageLimit("airbnb"), 10_000)
      const invalid = yield* to(id, 10_001)
      assert.deepStrictEqual([invalid.error_code, fieldOfError(invalid)], [422, "message"])
      assert.include(invalid.error_msg, "10000")
      assert.include(invalid.error_msg, "airbnb")
      assert.strictEqual((yield* to(id, 10_000)).error_code, 0)
      const refusal = yield* to(site.code, MESSAGE_LENGTH + 1)
      assert.deepStrictEqual([refusal.error_code, fieldOfError(refusal)], [422, "message"])
      assert.include(refusal.error_msg, `${MESSAGE_LENGTH}`)
      assert.strictEqual((yield* to(site.code, MESSAGE_LENGTH)).error_code, 0)
      const api = yield* typedClient
      const { messages } = yield* api.get_conversation({ id: site.code }).pipe(withToken(token))
      assert.strictEqual(messages[0]?.content, "😀".repeat(MESSAGE_LENGTH))
    })
  )

  it.effect("take no message that says nothing, and no image that is none", () =>
    Effect.gen(function* () {
      const { operatorId, token, conversationId: id, getConversation: conversation } = yield* startChannelConversation
      const refused = (fields: object) =>
        Effect.map(
          call(token, "send_message", { id, ...fields }),
          ({ error_code, error_msg }) => `${error_code} ${error_msg}`
        )
      for (const fields of [
        {},
        { message: "" },
        { message: " \n" },
        { message: null, jpeg_base64: null },
        { jpeg_base64: "" }
      ]) {
        assert.match(yield* refused(fields), /^400 message, jpeg_base64: /)
      }
      for (const jpeg_base64 of ["/9j", "/9j_", "data:/9j/", "Zm9v\n", "=AAA"]) {
        assert.match(yield* refused({ jpeg_base64 }), /^422 jpeg_base64: .*RFC 4648/)
      }
      assert.match(yield* refused({ message: "See", jpeg_base64: btoa("\x89PNG") }), /^422 jpeg_base64: /)
      assert.match(
        yield* refused({ jpeg_base64: "A".repeat(IMAGE_TEXT_LENGTH + 1) }),
        /^422 jpeg_base64: must be at most /
      )
      assert.deepStrictEqual((yield* conversation()).messages, [])
      assert.isUndefined(yield* loadMessagePartition(operatorId))
    })
  )

  it.effect("take an image, with a text or alone, which is kept from then on", () =>
    Effect.gen(function* () {
      const { operatorId, api, as, conversationId: id, messages } = yield* startChannelConversation
      const sql = yield* SqlClient.SqlClient
      yield* api.send_message({ id, message: "This door", jpeg_base64: JPEG_BASE64 }).pipe(as)
      yield* api.send_message({ id, message: " ", jpeg_base64: JPEG_BASE64 }).pipe(as)
      const images = yield* sql<{ token: string; delete_at: Date | null }>`
        SELECT token, delete_at FROM images WHERE operator_id = ${operatorId} ORDER BY id`
      assert.deepStrictEqual(
        (yield* messages).map(({ content, display_type, attachment }) => ({ content, display_type, attachment })),
        ["This door", ""].map((content, at) => ({
          content,
          display_type: "FileAttachment" as const,
          attachment: { fullback_url: `${BASE}/images/${images[at]?.token}.jpg` }
        }))
      )
      assert.deepStrictEqual(
        images.map(({ delete_at }) => delete_at),
        [null, null]
      )
    })
  )

  it.effect("take an image once under a key, whatever was cut off before", () =>
    Effect.gen(function* () {
      const { operatorId, token, conversationId: id, getConversation: conversation } = yield* startChannelConversation
      const sql = yield* SqlClient.SqlClient
      const sending = callForResponse(token, "send_message", { id, jpeg_base64: JPEG_BASE64 }, "photo")
      assert.strictEqual((yield* sending).envelope.error_code, 0)
      const again = yield* sending
      assert.strictEqual(again.headers["idempotent-replayed"], "true")
      assert.deepStrictEqual(again.envelope.data, {})
      assert.lengthOf((yield* conversation()).messages, 1)
      // What the repeat brought goes by itself.
      const kept = yield* sql`SELECT id FROM images WHERE operator_id = ${operatorId} AND delete_at IS NULL`
      assert.lengthOf(kept, 1)
    })
  )

  it.effect(`let ${QUEUED_MESSAGES_MAX} messages wait, and no more`, () =>
    Effect.gen(function* () {
      const {
        operatorId,
        token,
        conversationId: id,
        sendMessage: send,
        getConversation: conversation
      } = yield* startChannelConversation
      const sql = yield* SqlClient.SqlClient
      yield* send("first")
      yield* sql`UPDATE message_lanes SET waiting = ${QUEUED_MESSAGES_MAX - 2} WHERE operator_id = ${operatorId}`
      const sending = call(token, "send_message", { id, message: "again" })
      const codes = (yield* Effect.forEach(Array.from({ length: 5 }), () => sending, { concurrency: "unbounded" })).map(
        ({ error_code }) => error_code
      )
      assert.deepStrictEqual(codes.toSorted(), [0, 0, 409, 409, 409])
      const conflict = yield* sending
      assert.deepStrictEqual([conflict.error_code, fieldOfError(conflict)], [409, "id"])
      assert.include(conflict.error_msg, `${QUEUED_MESSAGES_MAX}`)
      assert.strictEqual((yield* loadMessagePartition(operatorId))?.waiting, QUEUED_MESSAGES_MAX)
      assert.lengthOf((yield* conversation()).messages, 3)
    })
  )

  it.effect("have a note of the host's, which can be cleared and tells nobody", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        token,
        conversationId: id,
        api,
        as,
        getConversation: conversation
      } = yield* startChannelConversation
      yield* deleteEvents(operatorId)
      const noting = (note: string | null) => api.update_conversation_note({ conversation_id: id, note }).pipe(as)
      const shown = Effect.map(conversation(), ({ note }) => note)
      assert.deepStrictEqual(yield* noting(null), { id, note: null, updated_at: null })
      const [first, later] = ["2027-04-20T10:00:00+00:00", "2027-04-20T11:00:00+00:00"]
      assert.deepStrictEqual(yield* noting("Late arrival 🌙"), { id, note: "Late arrival 🌙", updated_at: first })
      assert.strictEqual(yield* shown, "Late arrival 🌙")
      yield* TestClock.adjust("1 hour")
      // The same again changes nothing.
      assert.deepStrictEqual(yield* noting("Late arrival 🌙"), { id, note: "Late arrival 🌙", updated_at: first })
      assert.deepStrictEqual(yield* noting(""), { id, note: null, updated_at: later })
      assert.strictEqual(yield* shown, "")
      assert.deepStrictEqual(yield* noting(null), { id, note: null, updated_at: later })
      const longest = "🌙".repeat(CONVERSATION_NOTE_LENGTH)
      assert.strictEqual((yield* noting(longest)).note, longest)
      const tooLong = yield* call(token, "update_conversation_note", { conversation_id: id, note: `${longest}!` })
      assert.deepStrictEqual([tooLong.error_code, fieldOfError(tooLong)], [422, "note"])
      assert.include(tooLong.error_msg, `${CONVERSATION_NOTE_LENGTH}`)
      const missing = yield* call(token, "update_conversation_note", { conversation_id: id })
      assert.deepStrictEqual([missing.error_code, fieldOfError(missing)], [400, "note"])
      assert.strictEqual(yield* shown, longest)
      assert.deepStrictEqual(yield* loadEvents(operatorId), [])
    })
  )

  it.effect("answer a repeat of a note under its key as the first time", () =>
    Effect.gen(function* () {
      const { token, conversationId: id } = yield* startChannelConversation
      const noting = callForResponse(token, "update_conversation_note", { conversation_id: id, note: "Once" }, "note")
      const first = yield* noting
      yield* TestClock.adjust("1 hour")
      const again = yield* noting
      assert.strictEqual(again.headers["idempotent-replayed"], "true")
      assert.deepStrictEqual(again.envelope.data, first.envelope.data)
    })
  )

  it.effect("cost one statement to read and two to change", () =>
    Effect.gen(function* () {
      const {
        conversationId: id,
        api,
        as,
        sendMessage: send,
        ingestEvent: hear,
        listingId: listing
      } = yield* startChannelConversation
      yield* hear(makeMessageEvent())
      yield* hear(
        makeThreadEvent({
          version: 2,
          inquiry: {
            listing_id: listing,
            check_in_date: "2027-06-01",
            check_out_date: "2027-06-02",
            number_of_adults: 1
          }
        })
      )
      // The token is known from here on.
      yield* send("Hello")
      const { messages } = yield* api.get_conversation({ id }).pipe(as)
      const before = messages[0]?.id ?? ""
      const noting = (note: string) => api.update_conversation_note({ conversation_id: id, note }).pipe(as)
      for (const [most, calling] of [
        [1, api.query_conversations({ limit: 100 }).pipe(as)],
        [1, api.get_conversation({ id }).pipe(as)],
        [1, api.get_conversation({ id, before }).pipe(as)],
        [2, send("Hello")],
        [2, noting("Quiet")],
        [1, noting("Quiet")]
      ] as const) {
        const [, statements] = yield* countStatements<unknown, unknown, never>(calling)
        assert.strictEqual(statements, most)
      }
    })
  )

  it.effect("show of an inquiry for a listing without a property that there is none", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        accountId,
        ingestEvent: hear,
        getConversation: conversation
      } = yield* startChannelConversation
      const bare = yield* insertListing(operatorId, accountId)
      const dates = { check_in_date: "2027-06-01", check_out_date: "2027-06-03", number_of_adults: 1 }
      for (const [version, listing_id] of [
        [2, bare],
        [3, "unknown"]
      ] as const) {
        yield* hear(makeThreadEvent({ version, inquiry: { listing_id, ...dates } }))
        assert.deepInclude((yield* conversation()).activities[0], { listing_id, property: null })
      }
      yield* hear(makeThreadEvent({ version: 4, inquiry: null }))
      assert.deepStrictEqual((yield* conversation()).activities, [])
    })
  )
})
