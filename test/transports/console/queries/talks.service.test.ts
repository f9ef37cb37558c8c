import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import {
  MESSAGE_PREVIEW_LENGTH,
  OFFERED_LISTINGS_MAX,
  OVERVIEW_THREADS_DAYS,
  OVERVIEW_THREADS_SCANNED
} from "../../../../src/platform/limits.ts"
import { BesideTalk } from "../../../../src/transports/console/queries/BesideTalk.ts"
import { Inbox } from "../../../../src/transports/console/queries/Inbox.ts"
import { ReviewedStays } from "../../../../src/transports/console/queries/ReviewedStays.ts"
import { asCaller } from "../../../support/console-caller.ts"
import { NOW_ISO, TODAY } from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import {
  type OfferConversation,
  prepareOfferConversation
} from "../../../support/domain/guests/special-offers/offer-conversation.ts"
import { createOperator, insertOrder, layerTest } from "../../../support/harness.ts"
import { countStatements } from "../../../support/statement-count.ts"
import { insertMessages } from "../../../support/transports/console/host/host-conversation.ts"

const layerTalks = Layer.provideMerge(Layer.mergeAll(BesideTalk.layer, Inbox.layer, ReviewedStays.layer), layerTest)

const INQUIRY = { inquiry: { checkInDate: "2027-05-04", checkOutDate: "2027-05-07", adults: 3 } }

/** A reservation of the guest of the conversation: two rooms, one of them in the box. */
const booked = Effect.fnUntraced(function* (ground: OfferConversation, checkIn: string, checkOut: string) {
  const sql = yield* SqlClient.SqlClient
  const days = { checkIn, checkOut }
  const code = yield* insertOrder(ground.operatorId, [
    { propertyId: ground.propertyId, ...days },
    { propertyId: null, ...days }
  ])
  yield* sql`
    UPDATE orders SET conversation_id = ${ground.conversation_id}
    WHERE operator_id = ${ground.operatorId} AND reservation_code = ${code}`
  return code
}, Effect.orDie)

/** So many conversations more, each with a word of its guest, from an instant backwards. */
const waiting = Effect.fnUntraced(function* ({ conversation_id }: OfferConversation, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    WITH made AS (
      INSERT INTO conversations (operator_id, code, account_id, channel_type, thread_id, last_message_at, created_at)
      SELECT operator_id, code || nth, account_id, channel_type, thread_id || nth, ${NOW_ISO}::timestamptz - nth * interval '1 minute', created_at
      FROM conversations, generate_series(1, ${count}::int) AS each (nth) WHERE code = ${conversation_id}
      RETURNING operator_id, id, code, last_message_at
    )
    INSERT INTO messages (operator_id, conversation_id, code, sender_role, display_type, content, created_at)
    SELECT operator_id, id, code || ' said', 'guest', 'Text', 'Hello', last_message_at FROM made`
}, Effect.orDie)

layer(layerTalks)("what stands beside a conversation", (it) => {
  it.effect("is read in one statement: stays, the latest order first, what is asked for, and what was offered", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOfferConversation(INQUIRY)
      yield* ground.sendOffer()
      const first = yield* booked(ground, "2027-04-22", "2027-04-24")
      const second = yield* booked(ground, "2027-05-06", "2027-05-08")
      const { of } = yield* BesideTalk
      const [found, statements] = yield* countStatements(of(ground.conversation_id)).pipe(
        asCaller({ operatorId: ground.operatorId })
      )
      assert.strictEqual(statements, 1)
      assert.deepStrictEqual(
        found?.stays.map(({ stay_code, property_title }) => [stay_code.startsWith(second), property_title]),
        [
          [true, "Harbour 1"],
          [true, null],
          [false, "Harbour 1"],
          [false, null]
        ]
      )
      assert.isTrue(found?.stays[2]?.stay_code.startsWith(first))
      assert.deepInclude(found?.asking, { listing_id: ground.listing_id, number_of_adults: 3, taken: true })
      assert.deepStrictEqual(found?.offers, yield* ground.offers)
    })
  )

  it.effect("is nothing to another operator", () =>
    Effect.gen(function* () {
      const [{ conversation_id }, { operatorId }] = [yield* prepareOfferConversation(), yield* createOperator()]
      const { of } = yield* BesideTalk
      assert.isUndefined(yield* of(conversation_id).pipe(asCaller({ operatorId })))
      assert.isUndefined(yield* of("none").pipe(asCaller({ operatorId })))
    })
  )

  it.effect("names no more listings than a form has, the one that is asked for before all", () =>
    Effect.gen(function* () {
      const { operatorId, accountId, conversation_id, listing_id } = yield* prepareOfferConversation({
        ...INQUIRY,
        listing: { title: "Zenith" }
      })
      const sql = yield* SqlClient.SqlClient
      const more = (from: number, to: number) => sql`
        INSERT INTO listings (operator_id, account_id, channel_type, listing_id, title, currency, shelf_status, ratio, ratio_readonly,
          created_at, updated_at)
        SELECT ${operatorId}, ${accountId}, 'airbnb', 'L' || n, 'Annex ' || n, 'EUR', 'on', 100, false, now(), now()
        FROM generate_series(${from}::int, ${to}::int) n`
      const { of } = yield* BesideTalk
      const seen = Effect.map(of(conversation_id).pipe(asCaller({ operatorId })), (beside) => [
        beside?.listings.length,
        beside?.hasMoreListings,
        beside?.listings[0]?.listing_id
      ])
      yield* more(2, OFFERED_LISTINGS_MAX)
      assert.deepStrictEqual(yield* seen, [OFFERED_LISTINGS_MAX, false, listing_id])
      yield* more(OFFERED_LISTINGS_MAX + 1, OFFERED_LISTINGS_MAX + 1)
      assert.deepStrictEqual(yield* seen, [OFFERED_LISTINGS_MAX, true, listing_id])
    })
  )
})

layer(layerTalks)("the inbox", (it) => {
  const now = new Date(NOW_ISO)
  const page = { offset: 0, limit: 1 }
  const seen = (operatorId: number, isUnansweredOnly = true) =>
    Inbox.use((inbox) => inbox.page({ today: TODAY, now, isUnansweredOnly }, page)).pipe(asCaller({ operatorId }))

  it.effect("is read in one statement, with the beginning of the last message", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOfferConversation()
      yield* booked(ground, "2027-04-22", "2027-04-24")
      yield* insertMessages(ground.conversation_id, "First", { sentAt: "2027-04-20T08:00:00Z" })
      yield* insertMessages(ground.conversation_id, "é".repeat(MESSAGE_PREVIEW_LENGTH + 1))
      const [{ rows, total }, statements] = yield* countStatements(seen(ground.operatorId))
      assert.deepStrictEqual([statements, total], [1, 1])
      assert.deepStrictEqual(rows, [
        {
          id: ground.conversation_id,
          channel_type: "airbnb",
          last_message_at: "2027-04-20T10:00:00+00:00",
          guest: { name: "Ada Lovelace", email: "", phone: "" },
          property_title: "Harbour 1",
          check_in_date: "2027-04-22",
          check_out_date: "2027-04-24",
          last_message_start: "é".repeat(MESSAGE_PREVIEW_LENGTH),
          is_last_message_ours: false,
          is_unanswered: true
        }
      ])
      assert.deepStrictEqual(yield* seen(ground.operatorId, false), { rows, total })
      assert.deepStrictEqual(yield* seen((yield* createOperator()).operatorId), { rows: [], total: 0 })
    })
  )

  it.effect("marks a conversation that the host answered, and one from before the last days, as answered", () =>
    Effect.gen(function* () {
      const marksOf = Effect.fnUntraced(function* (message: Parameters<typeof insertMessages>[2]) {
        const { conversation_id, operatorId } = yield* prepareOfferConversation()
        yield* insertMessages(conversation_id, "Is it quiet?", { sentAt: "2027-01-01T10:00:00Z" })
        yield* insertMessages(conversation_id, "", message)
        const { rows } = yield* seen(operatorId, false)
        return rows.map((row) => [row.last_message_start, row.is_last_message_ours, row.is_unanswered])
      })
      assert.deepStrictEqual(yield* marksOf({ sentAt: NOW_ISO }), [["", false, true]])
      assert.deepStrictEqual(yield* marksOf({ sentAt: NOW_ISO, sender: "host" }), [["", true, false]])
      assert.deepStrictEqual(yield* marksOf({ sentAt: "2027-02-01T10:00:00Z" }), [["", false, false]])
    })
  )

  it.effect("looks for unanswered conversations among the latest of the last days", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOfferConversation()
      const total = Effect.map(seen(ground.operatorId), (found) => found.total)
      const ago = (ms: number) => new Date(now.getTime() - OVERVIEW_THREADS_DAYS * 86_400_000 - ms).toISOString()
      yield* insertMessages(ground.conversation_id, "Hello", { sentAt: ago(0) })
      assert.strictEqual(yield* total, 1)
      yield* waiting(ground, OVERVIEW_THREADS_SCANNED - 1)
      assert.strictEqual(yield* total, OVERVIEW_THREADS_SCANNED)
      const later = yield* prepareOfferConversation()
      yield* insertMessages(later.conversation_id, "Hello", { sentAt: ago(1) })
      assert.strictEqual((yield* seen(later.operatorId)).total, 0)
      yield* waiting(later, OVERVIEW_THREADS_SCANNED + 1)
      assert.strictEqual((yield* seen(later.operatorId)).total, OVERVIEW_THREADS_SCANNED)
    })
  )
})

layer(layerTalks)("whose stays are reviewed", (it) => {
  it.effect("is read in one statement, of the operator's own orders", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOfferConversation()
      const code = yield* booked(ground, "2027-04-22", "2027-04-24")
      const { of } = yield* ReviewedStays
      const [found, statements] = yield* countStatements(of([code, "none"])).pipe(
        asCaller({ operatorId: ground.operatorId })
      )
      assert.strictEqual(statements, 1)
      assert.deepStrictEqual([...found.keys()], [code])
      assert.deepInclude(found.get(code), { property_title: "Harbour 1", conversation_id: ground.conversation_id })
      assert.strictEqual((yield* of([code]).pipe(asCaller(yield* createOperator()))).size, 0)
      assert.strictEqual((yield* countStatements(of([])).pipe(asCaller({ operatorId: ground.operatorId })))[1], 0)
    })
  )
})
