import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { makeExpireOrdersAndOffers } from "../../../src/connectors/sandbox/expiration.ts"
import { acceptOfferRule } from "../../../src/connectors/sandbox/guest-offer-rules.ts"
import { makeRuleRunner } from "../../../src/connectors/sandbox/rule-runner.ts"
import { SandboxRepository } from "../../../src/connectors/sandbox/SandboxRepository.ts"
import { ChannelEvent } from "../../../src/domain/channels/port/channel-events.ts"
import {
  MESSAGE_LENGTH,
  REVIEW_CATEGORIES_MAX,
  REVIEW_TEXT_LENGTH,
  SANDBOX_MESSAGES_MAX,
  SANDBOX_ORDERS_MAX,
  SANDBOX_THREADS_MAX
} from "../../../src/platform/limits.ts"
import {
  layerSandboxTestOnOwnDatabase,
  NOW,
  ReceivedEvents
} from "../../support/connectors/sandbox/sandbox-accounts.ts"
import {
  errorMessageOf,
  STAY_DATES,
  startSandboxConversation
} from "../../support/connectors/sandbox/sandbox-conversation.ts"

const fits = Schema.is(ChannelEvent)

layer(layerSandboxTestOnOwnDatabase)("guests of the sandbox", (it) => {
  it.effect("ask about nights: the thread is told before the question, and one guest has one thread", () =>
    Effect.gen(function* () {
      const {
        inquire,
        eventTypes: kinds,
        flushAndListEvents: told,
        listingId: listing,
        market,
        accountId
      } = yield* startSandboxConversation()
      const asked = yield* inquire({ guest_phone: "+351 1", adults: 3, children: 1 })
      assert.deepInclude(asked, { guest_name: "Ana Reis", message_id: `${asked.thread_id}-1`, heard: "applied" })
      const said = yield* kinds
      assert.deepStrictEqual([said.toSorted(), said.at(-1)], [["listing", "message", "thread"], "message"])
      const inquiry = { listing_id: listing, ...STAY_DATES, number_of_adults: 3, number_of_children: 1 }
      assert.deepInclude((yield* told("thread"))[0], {
        version: 1,
        guest: { name: "Ana Reis", phone: "+351 1", email: "ana@example.com" },
        inquiry
      })
      const again = yield* inquire({ guest_name: "Ana R.", guest_email: "ANA@example.com ", text: "E garagem?" })
      assert.deepStrictEqual([again.thread_id, again.message_id], [asked.thread_id, `${asked.thread_id}-2`])
      const other = yield* inquire({ guest_name: "Ana Reis", guest_email: "another@example.com" })
      assert.notStrictEqual(other.thread_id, asked.thread_id)
      const written = yield* market.writeMessage({ thread_id: asked.thread_id, text: "Hello?" })
      assert.strictEqual(written.message_id, `${asked.thread_id}-3`)
      const all = yield* (yield* ReceivedEvents).listEvents(accountId)
      assert.isTrue(all.every((said) => fits(said)))
    })
  )

  it.effect("write in any script, and it arrives as it was written", () =>
    Effect.gen(function* () {
      const { inquire, market, flushAndListEvents: told } = yield* startSandboxConversation()
      const { thread_id } = yield* inquire({ text: "مرحبا، هل يوجد مصعد؟ 🙏" })
      const texts = ["é e\u0301 👩‍👩‍👧 <b>bold</b> & 'so'", `line\n\n  indented\t${"長".repeat(MESSAGE_LENGTH - 20)}`]
      for (const text of texts) yield* market.writeMessage({ thread_id, text })
      assert.deepStrictEqual(
        (yield* told("message")).map(({ text }) => text),
        ["مرحبا، هل يوجد مصعد؟ 🙏", ...texts]
      )
      const url = "https://example.com/key.jpg"
      yield* market.writeMessage({ thread_id, text: "See", attachment_url: url })
      assert.strictEqual((yield* told("message")).at(-1)?.attachment_url, url)
    })
  )

  it.effect("are refused by the field that is wrong, and nothing is changed", () =>
    Effect.gen(function* () {
      const { inquire, market, eventTypes: kinds, book, sql, accountId } = yield* startSandboxConversation()
      const { thread_id } = yield* inquire()
      const { order_id } = yield* book()
      const before = yield* kinds
      const write = (asked: object) => errorMessageOf(market.writeMessage({ thread_id, text: "x", ...asked }))
      const review = (asked: object) => errorMessageOf(market.writeReview({ order_id, score: 5, text: "x", ...asked }))
      const scores = (count: number) => Array.from({ length: count }, (_, nth) => `c${nth}=5`).join(",")
      for (const [message, pattern] of [
        [errorMessageOf(inquire({ listing_id: "none" })), /^listing_id: .*none/],
        [errorMessageOf(inquire({ check_in_date: "2027-04-01" })), /^check_in_date: .*past/],
        [errorMessageOf(inquire({ check_in_date: "2025-04-01" })), /^check_in_date: .*past/],
        [errorMessageOf(inquire({ check_out_date: STAY_DATES.check_in_date })), /^check_out_date: .*check_in_date/],
        [errorMessageOf(inquire({ guest_name: " " })), /^guest_name: .*empty/],
        [errorMessageOf(inquire({ text: "" })), /^text: .*empty/],
        [write({ text: "x".repeat(MESSAGE_LENGTH + 1) }), /^text: .*20000/],
        [write({ text: "\u0000" }), /^text: .*U\+0000/],
        [write({ attachment_url: "javascript:alert(1)" }), /^attachment_url: .*https/],
        [write({ thread_id: "none" }), /^thread_id: .*none/],
        [write({ order_id }), /^thread_id, order_id: /],
        [errorMessageOf(market.writeMessage({ text: "x" })), /^thread_id, order_id: /],
        [errorMessageOf(market.acceptOffer({ offer_id: "none" })), /^offer_id: .*none/],
        [review({ score: 5.5 }), /^score: .*0 to 5/],
        [review({ text: "x".repeat(REVIEW_TEXT_LENGTH + 1) }), /^text: .*10000/],
        [review({ sub_scores: "clean" }), /^sub_scores: .*50 .*0 to 10/],
        [review({ sub_scores: "clean=11" }), /^sub_scores: .*50 .*0 to 10/],
        [review({ sub_scores: "clean=1,clean=2" }), /^sub_scores: .*50 .*0 to 10/],
        [review({ sub_scores: scores(REVIEW_CATEGORIES_MAX + 1) }), /^sub_scores: .*50 .*0 to 10/],
        [review({ sub_scores: scores(REVIEW_CATEGORIES_MAX) }), /^order_id: .*cancelled/],
        [review({ order_id: "none" }), /^order_id: .*none/]
      ] as const) {
        assert.match(yield* message, pattern)
      }
      assert.deepStrictEqual(yield* kinds, before)
      assert.deepStrictEqual(yield* sql`SELECT messages FROM sandbox_threads WHERE account_id = ${accountId}`, [
        { messages: 1 }
      ])
    })
  )

  it.effect("have their orders in their thread, in which nothing is asked any more once they have booked", () =>
    Effect.gen(function* () {
      const { inquire, book, flushAndListEvents: told } = yield* startSandboxConversation("booking.com", { rooms: 3 })
      const { thread_id } = yield* inquire()
      yield* book()
      yield* book({ check_in_date: "2027-06-20", check_out_date: "2027-06-22" })
      const stranger = yield* book({ guest_name: "Li Wei", guest_email: "" })
      assert.deepStrictEqual(
        (yield* told("thread")).map(({ version, inquiry, guest: { name } }) => [name, version, inquiry === null]),
        [
          ["Ana Reis", 1, false],
          ["Ana Reis", 2, true],
          ["Li Wei", 1, true]
        ]
      )
      const orders = yield* told("order")
      assert.deepStrictEqual(
        orders.map((order) => order.thread_id === thread_id),
        [true, true, false]
      )
      assert.strictEqual(orders.at(-1)?.channel_id, stranger.order_id)
    })
  )

  it.effect("have one thread though they book and ask at the same moment", () =>
    Effect.gen(function* () {
      const {
        inquire,
        book,
        flushAndListEvents: told,
        sql,
        accountId
      } = yield* startSandboxConversation("booking.com", { rooms: 9 })
      const all = yield* Effect.all(
        Array.from({ length: 4 }, (_, nth) => [
          Effect.asVoid(book()),
          Effect.asVoid(inquire({ text: `${nth}` }))
        ]).flat(),
        { concurrency: 8 }
      )
      assert.lengthOf(all, 8)
      assert.deepStrictEqual(yield* sql`SELECT messages FROM sandbox_threads WHERE account_id = ${accountId}`, [
        { messages: 4 }
      ])
      const [thread] = yield* told("thread")
      const orders = yield* told("order")
      assert.deepStrictEqual(
        orders.map(({ thread_id }) => thread_id),
        orders.map(() => thread?.thread_id)
      )
      assert.deepStrictEqual(
        (yield* told("message")).map(({ message_id }) => message_id),
        [1, 2, 3, 4].map((number) => `${thread?.thread_id}-${number}`)
      )
    })
  )

  it.effect("of orders of before get a thread when they first write, and the order is told with it", () =>
    Effect.gen(function* () {
      const {
        book,
        flushAndListEvents: told,
        market,
        sql,
        operatorId,
        accountId
      } = yield* startSandboxConversation("booking.com")
      const { order_id } = yield* book()
      yield* sql`
        UPDATE sandbox_orders SET said = said - 'thread_id' WHERE operator_id = ${operatorId} AND account_id = ${accountId}`
      yield* sql`DELETE FROM sandbox_threads WHERE operator_id = ${operatorId} AND account_id = ${accountId}`
      const written = yield* market.writeMessage({ order_id, text: "When can we come?" })
      const second = yield* market.writeMessage({ order_id, text: "Hello?" })
      assert.strictEqual(second.message_id, `${written.thread_id}-2`)
      const [, order, ...others] = yield* told("order")
      assert.deepStrictEqual([order?.version, order?.status, order?.thread_id], [2, "accepted", written.thread_id])
      assert.lengthOf(others, 0)
    })
  )

  it.effect("are as many as an account has room for: those it knows still write and book", () =>
    Effect.gen(function* () {
      const { inquire, book, market, sql, operatorId, accountId } = yield* startSandboxConversation("booking.com", {
        rooms: 9
      })
      yield* sql`
        INSERT INTO sandbox_threads (operator_id, account_id, thread_id, guest, version, revision, messages, offers, said,
          last_message_at)
        SELECT ${operatorId}, ${accountId}, 'old-' || number, 'old-' || number, 1, 1, 0, 0, '{}', now()
        FROM generate_series(2, ${SANDBOX_THREADS_MAX}::int) number`
      yield* inquire()
      const full = /^guest_name: .*10000/
      const stranger = { guest_name: "Li Wei", guest_email: "li@example.com" }
      assert.match(yield* errorMessageOf(inquire(stranger)), full)
      assert.match(yield* errorMessageOf(book(stranger)), full)
      yield* inquire()
      const { order_id, status } = yield* book()
      assert.strictEqual(status, "accepted")
      // The order is of before there were threads, and its guest has none: he is named by the order.
      yield* sql`
        UPDATE sandbox_orders SET said = said - 'thread_id' WHERE operator_id = ${operatorId} AND account_id = ${accountId}`
      yield* sql`
        UPDATE sandbox_threads SET guest = 'old-1'
        WHERE operator_id = ${operatorId} AND account_id = ${accountId} AND guest NOT LIKE 'old-%'`
      assert.match(yield* errorMessageOf(market.writeMessage({ order_id, text: "Hello?" })), /^order_id: .*10000/)
    })
  )

  it.effect("write as much as a thread takes, and are then refused by what they named it by", () =>
    Effect.gen(function* () {
      const { inquire, book, market, sql, operatorId, accountId } = yield* startSandboxConversation()
      const { thread_id } = yield* inquire()
      const { order_id } = yield* book()
      yield* sql`
        UPDATE sandbox_threads SET messages = ${SANDBOX_MESSAGES_MAX - 1}
        WHERE operator_id = ${operatorId} AND account_id = ${accountId}`
      const last = yield* market.writeMessage({ thread_id, text: "The last" })
      assert.strictEqual(last.message_id, `${thread_id}-${SANDBOX_MESSAGES_MAX}`)
      const full = "a thread of the sandbox has at most 5000 messages."
      assert.deepStrictEqual(
        [
          yield* errorMessageOf(market.writeMessage({ thread_id, text: "One more" })),
          yield* errorMessageOf(market.writeMessage({ order_id, text: "One more" })),
          yield* errorMessageOf(inquire())
        ],
        [`thread_id: ${full}`, `order_id: ${full}`, `guest_name: ${full}`]
      )
    })
  )
})

layer(layerSandboxTestOnOwnDatabase)("offers to guests of the sandbox", (it) => {
  it.effect("are accepted once: booked at once at their price, in the thread, the inquiry over", () =>
    Effect.gen(function* () {
      const {
        inquire,
        sendOffer: offer,
        market,
        flushAndListEvents: told
      } = yield* startSandboxConversation("airbnb", { tax: 6, cleaning_fee: 50 })
      const { thread_id } = yield* inquire()
      const { offerId } = yield* offer(thread_id)
      const order = yield* market.acceptOffer({ offer_id: offerId })
      assert.deepInclude(order, { status: "accepted", total: 150.5, heard: "applied", guest_name: "Ana Reis" })
      const [said] = yield* told("order")
      assert.deepInclude(said?.rooms[0], {
        ...STAY_DATES,
        rate: 150.5,
        accommodation: 150.5,
        commission: 22.58,
        number_of_children: 1,
        number_of_pets: 1
      })
      assert.strictEqual(said?.thread_id, thread_id)
      assert.deepStrictEqual(
        (yield* told("offer")).map(({ status }) => status),
        ["accepted"],
        "the last version alone is told"
      )
      assert.isNull((yield* told("thread")).at(-1)?.inquiry)
      assert.match(yield* errorMessageOf(market.acceptOffer({ offer_id: offerId })), /^offer_id: .*accepted/)
      assert.match(yield* errorMessageOf(market.declineOffer({ offer_id: offerId })), /^offer_id: .*accepted/)
    })
  )

  it.effect("that are pre-approvals are booked at the standard price, whatever the rules of the listing", () =>
    Effect.gen(function* () {
      const {
        inquire,
        sendOffer: offer,
        market,
        connector: sandbox,
        remoteAccount: there,
        listingId: listing
      } = yield* startSandboxConversation("airbnb", {
        base_price: 80,
        tax: 10
      })
      const { thread_id } = yield* inquire()
      const { offerId } = yield* offer(thread_id, { offerType: "preapproval", price: null })
      const restrictions = [{ start_date: "2027-06-01", end_date: "2027-06-30", min_stay_on_arrival: 5 }]
      yield* sandbox.pushRestrictions(there, { listingId: listing, restrictions })
      assert.deepInclude(yield* market.acceptOffer({ offer_id: offerId }), { status: "accepted", total: 176 })
    })
  )

  it.effect("hold no nights: one whose nights are gone is refused with the reason, and stays as it is", () =>
    Effect.gen(function* () {
      const {
        inquire,
        sendOffer: offer,
        market,
        book,
        flushAndListEvents: told
      } = yield* startSandboxConversation("booking_site", { rooms: 1 })
      const { thread_id } = yield* inquire()
      const { offerId } = yield* offer(thread_id)
      const other = yield* book({ guest_email: "li@example.com" })
      assert.match(yield* errorMessageOf(market.acceptOffer({ offer_id: offerId })), /^listing_id: .*2027-06-07/)
      yield* market.cancelOrder({ order_id: other.order_id })
      assert.strictEqual((yield* market.acceptOffer({ offer_id: offerId })).status, "accepted")
      assert.strictEqual((yield* told("offer")).at(-1)?.status, "accepted")
    })
  )

  it.effect("are good for a day by the clock, and then expire by themselves, once", () =>
    Effect.gen(function* () {
      const { inquire, sendOffer: offer, market, flushAndListEvents: told } = yield* startSandboxConversation()
      const { thread_id } = yield* inquire()
      const { offerId } = yield* offer(thread_id)
      const early = yield* offer(thread_id, { reference: "O-2", checkInDate: "2027-07-01", checkOutDate: "2027-07-03" })
      yield* TestClock.setTime(NOW + 86_399_000)
      yield* market.acceptOffer({ offer_id: early.offerId })
      yield* TestClock.setTime(NOW + 86_400_000)
      assert.match(yield* errorMessageOf(market.acceptOffer({ offer_id: offerId })), /^offer_id: .*expired/)
      const expire = yield* makeExpireOrdersAndOffers
      assert.strictEqual(yield* expire, 1)
      assert.strictEqual(yield* expire, 0)
      assert.deepStrictEqual(
        (yield* told("offer"))
          .filter(({ offer_id }) => offer_id === offerId)
          .map(({ status, version }) => [status, version]),
        [
          ["active", 1],
          ["expired", 2]
        ]
      )
    })
  )

  it.effect("are accepted by one of two who do so at once", () =>
    Effect.gen(function* () {
      const { inquire, sendOffer: offer, market, flushAndListEvents: told } = yield* startSandboxConversation()
      const { thread_id } = yield* inquire()
      const { offerId } = yield* offer(thread_id)
      const both = yield* Effect.all(
        [market.acceptOffer({ offer_id: offerId }), market.acceptOffer({ offer_id: offerId })].map(Effect.exit),
        { concurrency: 2 }
      )
      assert.sameMembers(
        both.map(({ _tag }) => _tag),
        ["Success", "Failure"]
      )
      assert.lengthOf(yield* told("order"), 1)
    })
  )

  it.effect("are accepted already for who looked at the offer before that and at its nights after it", () =>
    Effect.gen(function* () {
      const { inquire, sendOffer: offer, market, account } = yield* startSandboxConversation("airbnb", { rooms: 1 })
      const { thread_id } = yield* inquire()
      const { offerId } = yield* offer(thread_id)
      const books = yield* Effect.provide(SandboxRepository, SandboxRepository.layer)
      const accepted = yield* Effect.cached(Effect.orDie(market.acceptOffer({ offer_id: offerId })))
      const changing = yield* Effect.provideService(makeRuleRunner, SandboxRepository, {
        ...books,
        findDays: (...asked) => Effect.andThen(accepted, books.findDays(...asked))
      })
      assert.match(
        yield* errorMessageOf(changing(account, { thread: { offerId }, offer: { offerId } }, acceptOfferRule("late"))),
        /^offer_id: .*accepted/
      )
    })
  )

  it.effect("find no room in an account that has as many orders as one keeps", () =>
    Effect.gen(function* () {
      const { inquire, sendOffer: offer, market, sql, operatorId, accountId } = yield* startSandboxConversation()
      yield* sql`
        INSERT INTO sandbox_orders (operator_id, account_id, order_id, version, status, said, booked_at)
        SELECT ${operatorId}, ${accountId}, 'old-' || number, 1, 'cancelled', '{}', now()
        FROM generate_series(2, ${SANDBOX_ORDERS_MAX}::int) number`
      const { thread_id } = yield* inquire()
      const [first, second] = [yield* offer(thread_id), yield* offer(thread_id, { reference: "O-2" })]
      yield* market.acceptOffer({ offer_id: first.offerId })
      assert.match(yield* errorMessageOf(market.acceptOffer({ offer_id: second.offerId })), /^offer_id: .*10000/)
    })
  )
})
