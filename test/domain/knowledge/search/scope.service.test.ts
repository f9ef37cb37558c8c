import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ACTIVITIES_SHOWN } from "../../../../src/platform/limits.ts"
import { PARKING_ENTRY } from "../../../support/domain/knowledge/entry-writer.ts"
import {
  ANONYMOUS_ASKER,
  ARRIVAL_ENTRY,
  layerKnowledgeSearch,
  PASSWORD_QUESTION,
  prepareKnowledgeHost,
  TRANSIT_ENTRY,
  WIFI_ENTRY
} from "../../../support/domain/knowledge/search/knowledge-search.ts"
import { insertOrder } from "../../../support/harness.ts"

const ANSWER = ["The password is sail-away."]
const KEYS = "Where is the key box?"
const BUS = "Which bus do we take?"

const password = (sentences: ReadonlyArray<string>) => sentences.filter((each) => each.includes("sail-away"))

layer(layerKnowledgeSearch)("who is answered what", (it) => {
  it.effect("tells the guest of an accepted stay, by the stay and in the conversation", () =>
    Effect.gen(function* () {
      const {
        createPreparedEntries: entered,
        findAnswerTexts: answers,
        createOrder: order,
        insertLinkedConversation: conversation,
        propertyIds: rooms
      } = yield* prepareKnowledgeHost
      yield* entered(WIFI_ENTRY, ARRIVAL_ENTRY)
      const stayCode = yield* order(rooms[0])
      for (const asking of [{ stayCode }, yield* conversation([stayCode])]) {
        assert.deepStrictEqual(password(yield* answers(asking, PASSWORD_QUESTION)), ANSWER)
        assert.deepStrictEqual(yield* answers(asking, KEYS), ["The code of the key box is 4711."])
      }
    })
  )

  it.effect("never tells a stranger the Wi-Fi password or the door", () =>
    Effect.gen(function* () {
      const {
        api,
        as,
        createPreparedEntries: entered,
        findAnswerTexts: answers,
        createOrder: order,
        insertLinkedConversation: conversation,
        propertyIds: rooms,
        createListing: listing
      } = yield* prepareKnowledgeHost
      yield* entered(WIFI_ENTRY, ARRIVAL_ENTRY)
      const listingId = yield* listing({ propertyId: rooms[0] })
      const strangers = [
        ANONYMOUS_ASKER,
        { stayCode: "5-NONE" },
        { conversation: "none" },
        yield* conversation([]),
        yield* conversation([], { listingId })
      ]
      for (const status of ["wait_accept", "wait_pay", "denied", "timeout"] as const) {
        const stayCode = yield* order(rooms[0], { channelType: "airbnb", status })
        strangers.push({ stayCode }, yield* conversation([stayCode], { listingId }))
      }
      const stayCode = yield* order(rooms[0], { channelType: "direct" })
      yield* api.cancel_reservation({ reservation_code: stayCode }).pipe(as)
      strangers.push({ stayCode }, yield* conversation([stayCode]))
      for (const asking of strangers) {
        for (const question of [PASSWORD_QUESTION, KEYS]) {
          assert.deepStrictEqual(yield* answers(asking, question), [], JSON.stringify(asking))
        }
      }
    })
  )

  it.effect("tells nobody of another operator, whatever the conversation", () =>
    Effect.gen(function* () {
      const one = yield* prepareKnowledgeHost
      yield* one.createPreparedEntries(WIFI_ENTRY)
      const guest = yield* one.insertLinkedConversation([yield* one.createOrder(one.propertyIds[0])])
      assert.deepStrictEqual(password(yield* one.findAnswerTexts(guest, PASSWORD_QUESTION)), ANSWER)
      const other = yield* prepareKnowledgeHost
      yield* other.createPreparedEntries({
        ...WIFI_ENTRY,
        contents: [{ sub_title: "", text: "The password is other-away." }]
      })
      assert.deepStrictEqual(yield* other.findAnswerTexts(guest, PASSWORD_QUESTION), [])
    })
  )

  it.effect("ends with the day of check-out on the merchant's calendar, and not a second earlier", () =>
    Effect.gen(function* () {
      const {
        createPreparedEntries: entered,
        findAnswerTexts: answers,
        createOrder: order,
        insertLinkedConversation: conversation,
        propertyIds: rooms
      } = yield* prepareKnowledgeHost
      yield* entered(WIFI_ENTRY)
      const stayCode = yield* order(rooms[0])
      const guest = yield* conversation([stayCode])
      // Europe/Berlin, in summer: two hours before UTC.
      yield* TestClock.setTime(Date.parse("2027-05-04T21:59:59Z"))
      assert.deepStrictEqual(password(yield* answers(guest, PASSWORD_QUESTION)), ANSWER)
      assert.deepStrictEqual(password(yield* answers({ stayCode }, PASSWORD_QUESTION)), ANSWER)
      yield* TestClock.setTime(Date.parse("2027-05-04T22:00:00Z"))
      assert.deepStrictEqual(yield* answers(guest, PASSWORD_QUESTION), [])
      assert.deepStrictEqual(yield* answers({ stayCode }, PASSWORD_QUESTION), [])
    })
  )

  it.effect("is for guests of the property, of a group or a room type that holds it, and of no other", () =>
    Effect.gen(function* () {
      const {
        api,
        as,
        findAnswerTexts: answers,
        createOrder: order,
        insertLinkedConversation: conversation,
        propertyIds: rooms,
        createEntry: write,
        prepareEntries: prepared
      } = yield* prepareKnowledgeHost
      const { group } = yield* api.create_property_group({ name: "Upstairs", property_ids: [rooms[0]] }).pipe(as)
      const { room_type_id } = yield* api.create_room_type({ title: "Double", property_ids: [rooms[0]] }).pipe(as)
      const here = yield* conversation([yield* order(rooms[0])])
      const elsewhere = yield* conversation([yield* order(rooms[1])])
      const boxed = yield* conversation([yield* order(null)])
      const scopes = [
        { type: "by_property", ids: [rooms[0]] },
        { type: "by_group", ids: [group.id] },
        { type: "by_room_type", ids: [room_type_id] }
      ] as const
      for (const scope_property of scopes) {
        const written = yield* write({ ...WIFI_ENTRY, scope_property })
        yield* prepared
        assert.deepStrictEqual(password(yield* answers(here, PASSWORD_QUESTION)), ANSWER, scope_property.type)
        assert.deepStrictEqual(yield* answers(elsewhere, PASSWORD_QUESTION), [], scope_property.type)
        assert.deepStrictEqual(yield* answers(boxed, PASSWORD_QUESTION), [], scope_property.type)
        yield* api.delete_knowledge_base({ id: written }).pipe(as)
      }
    })
  )

  it.effect("of a group is for whom the group holds now", () =>
    Effect.gen(function* () {
      const {
        api,
        as,
        createPreparedEntries: entered,
        findAnswerTexts: answers,
        createOrder: order,
        insertLinkedConversation: conversation,
        propertyIds: rooms
      } = yield* prepareKnowledgeHost
      const { group } = yield* api.create_property_group({ name: "Upstairs", property_ids: [rooms[0]] }).pipe(as)
      const { id } = group
      yield* entered({ ...WIFI_ENTRY, scope_property: { type: "by_group", ids: [id] } })
      const here = yield* conversation([yield* order(rooms[0])])
      const elsewhere = yield* conversation([yield* order(rooms[1])])
      yield* api.update_property_group({ id, property_ids: [rooms[1]] }).pipe(as)
      assert.deepStrictEqual(yield* answers(here, PASSWORD_QUESTION), [])
      assert.deepStrictEqual(password(yield* answers(elsewhere, PASSWORD_QUESTION)), ANSWER)
    })
  )

  it.effect("of a channel is for guests who booked there", () =>
    Effect.gen(function* () {
      const {
        createPreparedEntries: entered,
        findAnswerTexts: answers,
        createOrder: order,
        insertLinkedConversation: conversation,
        propertyIds: rooms
      } = yield* prepareKnowledgeHost
      yield* entered({ ...WIFI_ENTRY, scope_channel: { type: "by_channel", channels: ["airbnb", "vrbo"] } })
      const stayCode = yield* order(rooms[0], { channelType: "airbnb" })
      assert.deepStrictEqual(password(yield* answers({ stayCode }, PASSWORD_QUESTION)), ANSWER)
      const direct = yield* order(rooms[1], { channelType: "direct" })
      assert.deepStrictEqual(yield* answers({ stayCode: direct }, PASSWORD_QUESTION), [])
      // The order's channel counts, not that of the conversation.
      assert.deepStrictEqual(yield* answers(yield* conversation([direct]), PASSWORD_QUESTION), [])
    })
  )

  it.effect("for anyone is for strangers too: of all properties, or of the one they ask about", () =>
    Effect.gen(function* () {
      const {
        createPreparedEntries: entered,
        findAnswerTexts: answers,
        createOrder: order,
        insertLinkedConversation: conversation,
        propertyIds: rooms,
        createListing: listing,
        api,
        as
      } = yield* prepareKnowledgeHost
      const { room_type_id: roomType } = yield* api
        .create_room_type({ title: "Double", property_ids: [rooms[1]] })
        .pipe(as)
      const [everywhere = 0] = yield* entered({ ...TRANSIT_ENTRY, audience: "anyone" })
      for (const asking of [ANONYMOUS_ASKER, yield* conversation([])]) {
        assert.deepStrictEqual(yield* answers(asking, BUS), ["Take bus 5 to Fish Market."])
      }
      yield* api.delete_knowledge_base({ id: everywhere }).pipe(as)
      const scoped = { type: "by_property" as const, ids: [rooms[0]] }
      yield* entered({ ...TRANSIT_ENTRY, audience: "anyone", scope_property: scoped })
      const here = yield* listing({ propertyId: rooms[0] })
      const elsewhere = yield* listing({ roomTypeId: roomType })
      assert.lengthOf(yield* answers(yield* conversation([], { listingId: here }), BUS), 1)
      assert.lengthOf(yield* answers(yield* conversation([], { listingId: elsewhere }), BUS), 0)
      assert.lengthOf(yield* answers(ANONYMOUS_ASKER, BUS), 0)
      const waits = yield* order(rooms[0], { channelType: "airbnb", status: "wait_accept" })
      assert.lengthOf(yield* answers(yield* conversation([waits]), BUS), 1)
      const denied = yield* order(rooms[0], { channelType: "airbnb", status: "denied" })
      assert.lengthOf(yield* answers(yield* conversation([denied]), BUS), 0)
      const scopedByType = { type: "by_room_type" as const, ids: [roomType] }
      yield* entered({ ...TRANSIT_ENTRY, audience: "anyone", scope_property: scopedByType })
      assert.lengthOf(yield* answers(yield* conversation([], { listingId: elsewhere }), BUS), 1)
    })
  )

  it.effect("for anyone is for who asked to book within its scope, by the stay and in the conversation", () =>
    Effect.gen(function* () {
      const {
        createPreparedEntries: entered,
        findAnswerTexts: answers,
        createOrder: order,
        insertLinkedConversation: conversation,
        propertyIds: rooms
      } = yield* prepareKnowledgeHost
      yield* entered({ ...TRANSIT_ENTRY, audience: "anyone", scope_property: { type: "by_property", ids: [rooms[0]] } })
      for (const status of ["wait_accept", "wait_pay"] as const) {
        for (const [room, answered] of [[rooms[0], 1] as const, [rooms[1], 0] as const]) {
          const stayCode = yield* order(room, { channelType: "airbnb", status })
          assert.lengthOf(yield* answers({ stayCode }, BUS), answered, status)
          assert.lengthOf(yield* answers(yield* conversation([stayCode]), BUS), answered, status)
        }
      }
    })
  )

  it.effect(
    "is for the guest of one stay of an order where that stay is, and in the conversation for all of them",
    () =>
      Effect.gen(function* () {
        const {
          operatorId,
          createPreparedEntries: entered,
          findAnswerTexts: answers,
          insertLinkedConversation: conversation,
          propertyIds: rooms
        } = yield* prepareKnowledgeHost
        yield* entered({ ...WIFI_ENTRY, scope_property: { type: "by_property", ids: [rooms[0]] } })
        const stays = rooms.map((propertyId) => ({ propertyId }))
        const first = yield* insertOrder(operatorId, stays, { channelType: "airbnb" })
        assert.deepStrictEqual(password(yield* answers({ stayCode: first }, PASSWORD_QUESTION)), ANSWER)
        assert.deepStrictEqual(yield* answers({ stayCode: `${first}_1` }, PASSWORD_QUESTION), [])
        assert.deepStrictEqual(password(yield* answers(yield* conversation([first]), PASSWORD_QUESTION)), ANSWER)
      })
  )

  it.effect(`is for the latest ${ACTIVITIES_SHOWN} orders of a conversation, and for no more of their stays`, () =>
    Effect.gen(function* () {
      const {
        operatorId,
        createPreparedEntries: entered,
        findAnswerTexts: answers,
        createOrder: order,
        insertLinkedConversation: conversation,
        propertyIds: rooms
      } = yield* prepareKnowledgeHost
      yield* entered({ ...WIFI_ENTRY, scope_property: { type: "by_property", ids: [rooms[0]] } })
      const later = (count: number) => Effect.replicateEffect(order(null), count)
      const first = yield* order(rooms[0])
      const others = yield* later(ACTIVITIES_SHOWN - 1)
      const ofLatest = yield* conversation([first, ...others])
      assert.deepStrictEqual(password(yield* answers(ofLatest, PASSWORD_QUESTION)), ANSWER)
      const tooMany = yield* conversation([first, ...others, ...(yield* later(1))])
      assert.deepStrictEqual(yield* answers(tooMany, PASSWORD_QUESTION), [])
      const large = (rooms: number) =>
        insertOrder(
          operatorId,
          Array.from({ length: rooms }, () => ({ propertyId: null })),
          { channelType: "airbnb" }
        )
      const beside = yield* conversation([first, yield* large(ACTIVITIES_SHOWN - 1)])
      assert.deepStrictEqual(password(yield* answers(beside, PASSWORD_QUESTION)), ANSWER)
      const behind = yield* conversation([first, yield* large(ACTIVITIES_SHOWN)])
      assert.deepStrictEqual(yield* answers(behind, PASSWORD_QUESTION), [])
    })
  )

  it.effect("answers nothing from an entry that is off, waits, failed or was edited", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const {
        operatorId,
        api,
        as,
        createPreparedEntries: entered,
        prepareEntries: prepared,
        findAnswerTexts: answers,
        createOrder: order,
        propertyIds: rooms
      } = yield* prepareKnowledgeHost
      const stayCode = yield* order(rooms[0])
      const [id = 0] = yield* entered(WIFI_ENTRY)
      const asked = Effect.map(answers({ stayCode }, PASSWORD_QUESTION), password)
      assert.deepStrictEqual(yield* asked, ANSWER)
      const edit = { id, ...PARKING_ENTRY, ...WIFI_ENTRY }
      yield* api.update_knowledge_base({ ...edit, is_enable: false }).pipe(as)
      yield* prepared
      assert.deepStrictEqual(yield* asked, [])
      const newer = [{ sub_title: "Network", text: "The password is land-ho." }]
      yield* api.update_knowledge_base({ ...edit, contents: newer }).pipe(as)
      assert.deepStrictEqual(yield* answers({ stayCode }, PASSWORD_QUESTION), [])
      for (const status of ["processing", "failed"]) {
        yield* sql`UPDATE knowledge_bases SET process_status = ${status} WHERE operator_id = ${operatorId}`
        assert.deepStrictEqual(yield* answers({ stayCode }, PASSWORD_QUESTION), [])
      }
      yield* sql`UPDATE knowledge_bases SET process_status = 'waiting' WHERE operator_id = ${operatorId}`
      yield* prepared
      assert.deepStrictEqual(yield* answers({ stayCode }, PASSWORD_QUESTION), ["The password is land-ho."])
    })
  )
})
