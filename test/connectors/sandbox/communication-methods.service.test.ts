import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { SANDBOX_MESSAGES_MAX, SANDBOX_OFFERS_MAX } from "../../../src/platform/limits.ts"
import { layerSandboxTest } from "../../support/connectors/sandbox/sandbox-accounts.ts"
import {
  errorMessageOf,
  errorReasonOf,
  STAY_DATES,
  startSandboxConversation
} from "../../support/connectors/sandbox/sandbox-conversation.ts"

const SENT = (channelMessageId: string) => ({ outcome: "sent", channelMessageId }) as const
const THERE = { score: 5, content: "A pleasure.", categoryRatings: { cleanliness: 4, communication: 5 } }

layer(layerSandboxTest)("what a host sends to guests of the sandbox", (it) => {
  for (const channel of ["airbnb", "booking_site", "ctrip"] as const) {
    it.effect(
      `is one message on ${channel}, however often it is sent, and is told back by the name the service has for it`,
      () =>
        Effect.gen(function* () {
          const { inquire, sendMessage: send, flushAndListEvents: told } = yield* startSandboxConversation(channel)
          const { thread_id } = yield* inquire()
          const imageUrl = "http://127.0.0.1:8080/images/x.jpg"
          const first = yield* send(thread_id, { text: "Sí, hay ascensor 🛗", imageUrl })
          assert.deepStrictEqual(first, SENT(`${thread_id}-2`))
          assert.deepStrictEqual(yield* send(thread_id, { again: true }), first)
          assert.deepStrictEqual(yield* send(thread_id, { messageId: "M-2", again: true }), SENT(`${thread_id}-3`))
          assert.deepStrictEqual(
            (yield* told("message")).map(({ sender, sent_as, text, attachment_url }) => [
              sender,
              sent_as,
              text,
              attachment_url
            ]),
            [
              ["guest", undefined, "Is there a lift?", undefined],
              ["host", "M-1", "Sí, hay ascensor 🛗", imageUrl],
              ["host", "M-2", "There is.", undefined]
            ]
          )
        })
    )
  }

  for (const channel of ["vrbo", "booking.com", "agoda", "expedia", "trip.com"] as const) {
    it.effect(`is sent at most once on ${channel}, which keeps no name of ours`, () =>
      Effect.gen(function* () {
        const { inquire, sendMessage: send, flushAndListEvents: told } = yield* startSandboxConversation(channel)
        const { thread_id } = yield* inquire()
        assert.deepStrictEqual(yield* send(thread_id), SENT(`${thread_id}-2`))
        assert.deepStrictEqual(yield* send(thread_id, { again: true }), { outcome: "unknown" })
        assert.deepStrictEqual(
          (yield* told("message")).map(({ sender, sent_as }) => [sender, sent_as]),
          [
            ["guest", undefined],
            ["host", undefined]
          ]
        )
      })
    )
  }

  it.effect("has no thread but those there are, and no more messages than one has room for", () =>
    Effect.gen(function* () {
      const { inquire, sendMessage: send, sql, market, accountId } = yield* startSandboxConversation()
      assert.match(yield* errorReasonOf(send("none")), /no such thread/)
      const { thread_id } = yield* inquire()
      yield* sql`UPDATE sandbox_threads SET messages = ${SANDBOX_MESSAGES_MAX - 1} WHERE account_id = ${accountId}`
      yield* send(thread_id)
      assert.match(yield* errorReasonOf(send(thread_id, { messageId: "M-2" })), /5000 messages/)
      assert.match(yield* errorMessageOf(market.writeMessage({ thread_id, text: "Thank you!" })), /^thread_id: .*5000/)
    })
  )

  it.effect("is answered as the mood of the account is, and noted", () =>
    Effect.gen(function* () {
      const {
        inquire,
        sendMessage: send,
        market,
        accountId,
        sql,
        flushAndListEvents: told
      } = yield* startSandboxConversation()
      const { thread_id } = yield* inquire()
      const mood = (mood: "refuses" | "502" | "503" | "disconnected") =>
        market.setFailureMode({ channel_account_id: accountId, mood, reason: "no" })
      yield* mood("refuses")
      assert.strictEqual(yield* errorReasonOf(send(thread_id)), "no")
      yield* mood("503")
      assert.strictEqual(yield* errorReasonOf(send(thread_id)), "ChannelUnavailable")
      yield* mood("disconnected")
      assert.strictEqual(yield* errorReasonOf(send(thread_id)), "ChannelDisconnected")
      assert.lengthOf(yield* told("message"), 1)
      yield* mood("502")
      assert.strictEqual(yield* errorReasonOf(send(thread_id)), "ChannelUnavailable")
      assert.lengthOf(yield* told("message"), 2)
      const asked =
        yield* sql`SELECT act, subject, summary, answer FROM sandbox_asked WHERE account_id = ${accountId} ORDER BY id`
      assert.deepStrictEqual(
        asked,
        ["refused: no", "503", "disconnected", "done, but 502"].map((answer) => ({
          act: "sendMessage",
          subject: thread_id,
          summary: "There is.",
          answer
        }))
      )
    })
  )
})

layer(layerSandboxTest)("what a host offers guests of the sandbox", (it) => {
  it.effect("is one offer for a reference, good for a day, and told as it is", () =>
    Effect.gen(function* () {
      const {
        inquire,
        sendOffer: offer,
        flushAndListEvents: told,
        listingId: listing
      } = yield* startSandboxConversation()
      const { thread_id } = yield* inquire()
      const made = yield* offer(thread_id)
      assert.deepStrictEqual(
        { ...made, offerId: "" },
        {
          offerId: "",
          price: 150.5,
          currency: "EUR",
          createdAt: "2027-05-01T09:00:00Z",
          expiresAt: "2027-05-02T09:00:00Z"
        }
      )
      assert.deepStrictEqual(yield* offer(thread_id, { price: 99 }), made)
      const [only, ...others] = yield* told("offer")
      assert.lengthOf(others, 0)
      assert.deepStrictEqual(only, {
        type: "offer",
        version: 1,
        offer_id: made.offerId,
        thread_id,
        offer_type: "special_offer",
        status: "active",
        listing_id: listing,
        ...STAY_DATES,
        number_of_adults: 2,
        number_of_children: 1,
        number_of_infants: 0,
        number_of_pets: 1,
        price: 150.5,
        currency: "EUR",
        created_at: "2027-05-01T09:00:00Z",
        expires_at: "2027-05-02T09:00:00Z"
      })
    })
  )

  it.effect("costs what the calendar says if it is a pre-approval", () =>
    Effect.gen(function* () {
      const { inquire, sendOffer: offer } = yield* startSandboxConversation("airbnb", {
        base_price: 80,
        cleaning_fee: 20,
        tax: 10
      })
      const { thread_id } = yield* inquire()
      assert.strictEqual((yield* offer(thread_id, { offerType: "preapproval", price: null })).price, 198)
    })
  )

  it.effect("is refused where its channel has none, and where it is for nothing that is for sale", () =>
    Effect.gen(function* () {
      const site = yield* startSandboxConversation("booking_site", { rooms: 1 })
      const { thread_id } = yield* site.inquire()
      const refused = (offer: Parameters<typeof site.sendOffer>[1]) => errorReasonOf(site.sendOffer(thread_id, offer))
      for (const [reason, pattern] of [
        [refused({ offerType: "preapproval", price: null }), /booking_site .*offers/],
        [refused({ currency: "USD" }), /EUR/],
        [refused({ price: 9.999 }), /^9\.999 .*price/],
        [refused({ price: 0 }), /^0 .*price/],
        [refused({ listingId: "none" }), /no such listing/],
        [refused({ checkInDate: "2027-04-01" }), /^check_in_date: .*past/],
        [refused({ checkOutDate: STAY_DATES.check_in_date }), /^check_out_date: .*check_in_date/],
        [errorReasonOf(site.sendOffer("none")), /no such thread/]
      ] as const) {
        assert.match(yield* reason, pattern)
      }
      assert.deepInclude(yield* Effect.flip(site.sendOffer(thread_id, { currency: "USD" })), { field: "currency" })
      const made = yield* site.sendOffer(thread_id, { ratePlanId: "R-7", currency: "EUR" })
      yield* site.book({ guest_name: "Somebody", guest_email: "other@example.com" })
      assert.match(yield* refused({ reference: "O-2" }), /Loft .*2027-06-07/)
      assert.deepStrictEqual(yield* site.sendOffer(thread_id), made)
      assert.strictEqual((yield* site.flushAndListEvents("offer"))[0]?.rate_plan_id, "R-7")

      const hotel = yield* startSandboxConversation("agoda")
      const there = yield* hotel.inquire()
      assert.match(yield* errorReasonOf(hotel.sendOffer(there.thread_id)), /agoda .*offers/)
    })
  )

  it.effect("is no more than a thread has room for", () =>
    Effect.gen(function* () {
      const { inquire, sendOffer: offer, sql, accountId } = yield* startSandboxConversation()
      const { thread_id } = yield* inquire()
      yield* sql`UPDATE sandbox_threads SET offers = ${SANDBOX_OFFERS_MAX - 1} WHERE account_id = ${accountId}`
      yield* offer(thread_id)
      assert.match(yield* errorReasonOf(offer(thread_id, { reference: "O-2" })), /100 offers/)
    })
  )

  it.effect("can be withdrawn while it is active, again and again, and nothing else can", () =>
    Effect.gen(function* () {
      const {
        inquire,
        sendOffer: offer,
        withdrawOffer: withdraw,
        market,
        flushAndListEvents: told
      } = yield* startSandboxConversation()
      const { thread_id } = yield* inquire()
      const { offerId } = yield* offer(thread_id)
      assert.match(yield* errorReasonOf(withdraw(thread_id, "none")), /no such offer/)
      assert.match(yield* errorReasonOf(withdraw("none", offerId)), /no such thread/)
      yield* withdraw(thread_id, offerId)
      yield* withdraw(thread_id, offerId)
      assert.match(yield* errorMessageOf(market.acceptOffer({ offer_id: offerId })), /^offer_id: .*withdrawn/)
      const second = yield* offer(thread_id, { reference: "O-2" })
      yield* market.declineOffer({ offer_id: second.offerId })
      assert.match(yield* errorReasonOf(withdraw(thread_id, second.offerId)), /declined/)
      const third = yield* offer(thread_id, { reference: "O-3" })
      yield* TestClock.adjust("24 hours")
      assert.match(yield* errorReasonOf(withdraw(thread_id, third.offerId)), /expired/)
      assert.sameMembers(
        (yield* told("offer")).map(({ status, version }) => `${status} ${version}`),
        ["withdrawn 2", "declined 2", "active 1"]
      )
    })
  )
})

layer(layerSandboxTest)("what a host says of guests of the sandbox", (it) => {
  it.effect("is written once, from the day of departure on; a reply answers what the guest has written", () =>
    Effect.gen(function* () {
      const {
        book,
        writeReview: review,
        flushAndListEvents: told,
        market,
        connector: sandbox,
        remoteAccount: there
      } = yield* startSandboxConversation()
      const { order_id } = yield* book()
      yield* sandbox.approve(there, { channelId: order_id, reservationCode: "0-1-AAAA" })
      yield* TestClock.setTime(Date.parse("2027-06-08T21:59:59Z"))
      assert.match(yield* errorReasonOf(review(order_id, { review: THERE })), /not over/)
      // Midnight where the host is.
      yield* TestClock.setTime(Date.parse("2027-06-08T22:00:00Z"))
      assert.match(yield* errorReasonOf(review(order_id, { review: THERE, reply: "Thank you" })), /guest .*no review/)
      assert.lengthOf(yield* told("review"), 0, "all of it or nothing")
      yield* review(order_id, { review: THERE })
      yield* review(order_id, { review: THERE })
      assert.match(yield* errorReasonOf(review(order_id, { review: { ...THERE, score: 4 } })), /already reviewed/)
      yield* market.writeReview({ order_id, score: 4.5, text: "Lovely", sub_scores: "cleanliness=5, value = 4" })
      yield* review(order_id, { review: THERE, reply: "Come again" })
      yield* review(order_id, { reply: "Come again" })
      assert.match(yield* errorReasonOf(review(order_id, { reply: "Else" })), /already replied/)
      const last = (yield* told("review")).at(-1)
      assert.strictEqual(last?.version, 3)
      assert.deepInclude(last?.guest_review, { score: 4.5, content: "Lovely" })
      assert.deepStrictEqual(last?.guest_review?.sub_score, [
        { category: "cleanliness", rating: 5 },
        { category: "value", rating: 4 }
      ])
      assert.deepInclude(last?.host_review, { score: 5, content: "A pleasure." })
      assert.strictEqual(last?.host_reply?.content, "Come again")
    })
  )

  it.effect("is written where its channel takes it, of stays that there are", () =>
    Effect.gen(function* () {
      const { book, writeReview: review } = yield* startSandboxConversation("vrbo")
      assert.match(yield* errorReasonOf(review("none", { review: THERE })), /no such order/)
      const { order_id } = yield* book()
      assert.match(yield* errorReasonOf(review(order_id, { review: THERE })), /vrbo .*reviews/)
      const air = yield* startSandboxConversation()
      const declined = (yield* air.book()).order_id
      yield* air.connector.decline(air.remoteAccount, { channelId: declined, reservationCode: "0-1-AAAA" })
      yield* TestClock.setTime(Date.parse("2027-06-10T00:00:00Z"))
      assert.match(yield* errorReasonOf(air.writeReview(declined, { review: THERE })), /not over/)
    })
  )
})
