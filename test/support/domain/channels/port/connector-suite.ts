import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ChannelEvent } from "../../../../../src/domain/channels/port/channel-events.ts"
import type { Connector, RemoteAccount } from "../../../../../src/domain/channels/port/connector.ts"
import type { ListingDay } from "../../../../../src/domain/channels/port/listing-days.ts"

// What the service builds on, of any connector: the suite is a function over a rig that can move the guests of its channel.

/** A channel of that type with one account, whose listing has one room a night and a price of 100 EUR. */
export interface TestChannel {
  readonly account: RemoteAccount
  readonly listingId: string
}

export interface ConnectorUnderTest<R, E> {
  readonly name: string
  readonly layer: Layer.Layer<R, E>
  readonly connector: Effect.Effect<Connector, never, R>
  readonly openChannel: (
    channelType: "airbnb" | "vrbo" | "booking.com" | "ctrip"
  ) => Effect.Effect<TestChannel, never, R>
  /** A guest asks for nights of the listing, to be answered by the host; answers the channel's id of the order. */
  readonly requestBooking: (channel: TestChannel, checkIn: string, checkOut: string) => Effect.Effect<string, never, R>
  /** The guest wants another morning to leave, or nothing any more. */
  readonly changeCheckOut: (orderId: string, checkOut: string) => Effect.Effect<void, never, R>
  readonly cancelOrder: (orderId: string) => Effect.Effect<void, never, R>
  /**
   * Whether the channel has threads with guests, who are offered something and reviewed. On `airbnb` it knows a message again
   * by the name it was sent under, and tells of it.
   */
  readonly hasGuests: boolean
  /** All that the channel has said of the account so far, once it has said all there is to say. */
  readonly listEvents: (channel: TestChannel) => Effect.Effect<ReadonlyArray<unknown>, never, R>
}

const [CHECK_IN, CHECK_OUT, LATER_CHECK_OUT] = ["2027-06-07", "2027-06-09", "2027-06-10"]
const NOW = Date.parse("2027-05-01T09:00:00Z")

const decodeEvent = Schema.decodeUnknownEffect(ChannelEvent)

export const defineConnectorSuite = <R, E>(subject: ConnectorUnderTest<R, E>): void =>
  layer(subject.layer)(`a connector: ${subject.name}`, (it) => {
    const openTestChannel = Effect.fnUntraced(function* (channelType: Parameters<typeof subject.openChannel>[0]) {
      yield* TestClock.setTime(NOW)
      const channel = yield* subject.openChannel(channelType)
      const connector = yield* subject.connector
      return { channel, connector, listing: { listingId: channel.listingId } }
    })

    const requestOrder = Effect.fnUntraced(function* (channelType: Parameters<typeof subject.openChannel>[0]) {
      const context = yield* openTestChannel(channelType)
      const channelId = yield* subject.requestBooking(context.channel, CHECK_IN, CHECK_OUT)
      return { ...context, order: { reservationCode: "0-1-AAAA", channelId } }
    })

    /** What was said of orders, each as `Ingest` would read it. */
    const listOrderEvents = Effect.fnUntraced(function* (channel: TestChannel) {
      const all = yield* Effect.forEach(yield* subject.listEvents(channel), (each) => Effect.orDie(decodeEvent(each)))
      return all.flatMap((each) => (each.type === "order" ? [each] : []))
    })

    it.effect("says what it says in the one form, every version higher than the one before", () =>
      Effect.gen(function* () {
        const { channel, order } = yield* requestOrder("airbnb")
        yield* subject.changeCheckOut(order.channelId, LATER_CHECK_OUT)
        yield* subject.cancelOrder(order.channelId)
        const orders = yield* listOrderEvents(channel)
        assert.deepStrictEqual(
          orders.map(({ status, rooms }) => [status, rooms[0].check_out_date]),
          [
            ["wait_accept", CHECK_OUT],
            ["wait_accept", LATER_CHECK_OUT],
            ["cancelled", LATER_CHECK_OUT]
          ]
        )
        assert.deepStrictEqual(
          orders.map(({ version }) => version),
          orders.map(({ version }) => version).toSorted((one, other) => one - other)
        )
        assert.strictEqual(new Set(orders.map(({ version }) => version)).size, 3)
      })
    )

    for (const [act, answer, status] of [
      ["approve", "approved", "accepted"],
      ["decline", "declined", "denied"]
    ] as const) {
      it.effect(`${act}s once, however often it is asked to, and tells what was answered`, () =>
        Effect.gen(function* () {
          const { channel, connector, order } = yield* requestOrder("airbnb")
          assert.strictEqual(yield* connector.answered(channel.account, order), "pending")
          yield* connector[act](channel.account, order)
          yield* connector[act](channel.account, order)
          assert.strictEqual(yield* connector.answered(channel.account, order), answer)
          const orders = yield* listOrderEvents(channel)
          assert.deepStrictEqual(
            orders.map((each) => each.status),
            ["wait_accept", status]
          )
          const other = act === "approve" ? "decline" : "approve"
          assert.strictEqual((yield* Effect.flip(connector[other](channel.account, order)))._tag, "ChannelRefused")
          assert.strictEqual(yield* connector.answered(channel.account, order), answer)
        })
      )
    }

    it.effect("refuses what is over and what is not there", () =>
      Effect.gen(function* () {
        const { channel, connector, order } = yield* requestOrder("airbnb")
        yield* subject.cancelOrder(order.channelId)
        assert.strictEqual((yield* Effect.flip(connector.approve(channel.account, order)))._tag, "ChannelRefused")
        assert.notStrictEqual(yield* connector.answered(channel.account, order), "approved")
        const nobody = { ...order, channelId: "nobody's" }
        const nothing = { listingId: "nothing" }
        const refusals = yield* Effect.forEach(
          [
            connector.approve(channel.account, nobody),
            connector.decline(channel.account, nobody),
            connector.pushPrices(channel.account, {
              ...nothing,
              prices: [{ start_date: CHECK_IN, end_date: CHECK_IN, price: 1 }]
            }),
            connector.readCalendar(channel.account, { ...nothing, start: CHECK_IN, end: CHECK_IN }),
            connector.readAirbnbPriceAndRules(channel.account, nothing),
            connector.writeAirbnbPriceAndRules(channel.account, { ...nothing, settings: { base_price: 1 } })
          ],
          (request) => Effect.flip(Effect.asVoid(request))
        )
        assert.deepStrictEqual(
          refusals.map(({ _tag }) => _tag),
          refusals.map(() => "ChannelRefused")
        )
        assert.strictEqual(yield* connector.answered(channel.account, nobody), "unknown")
      })
    )

    const readCalendar = (connector: Connector, { account, listingId }: TestChannel) =>
      connector.readCalendar(account, { listingId, start: "2027-06-01", end: "2027-06-05" })
    const listField = <Name extends keyof ListingDay>(days: ReadonlyArray<ListingDay>, name: Name) =>
      days.map((day) => day[name])

    it.effect("reads back what was pushed, the later range where two name a day", () =>
      Effect.gen(function* () {
        const { channel, connector, listing } = yield* openTestChannel("booking.com")
        const before = yield* readCalendar(connector, channel)
        assert.deepStrictEqual(listField(before, "date"), [
          "2027-06-01",
          "2027-06-02",
          "2027-06-03",
          "2027-06-04",
          "2027-06-05"
        ])
        assert.deepStrictEqual(listField(before, "price"), [100, 100, 100, 100, 100])
        const days = (start_date: string, end_date: string) => ({ start_date, end_date })
        yield* connector.pushPrices(channel.account, {
          ...listing,
          prices: [
            { ...days("2027-06-01", "2027-06-04"), price: 120 },
            { ...days("2027-06-03", "2027-06-03"), price: 150 }
          ]
        })
        yield* connector.pushInventories(channel.account, {
          ...listing,
          inventories: [
            { ...days("2027-06-02", "2027-06-03"), inventory: 0 },
            { ...days("2027-06-03", "2027-06-05"), inventory: 2 }
          ]
        })
        yield* connector.pushRestrictions(channel.account, {
          ...listing,
          restrictions: [{ ...days("2027-06-01", "2027-06-02"), min_stay_on_arrival: 2, closed_on_departure: true }]
        })
        yield* connector.pushRestrictions(channel.account, {
          ...listing,
          restrictions: [{ ...days("2027-06-02", "2027-06-02"), min_stay_on_arrival: 3 }]
        })
        const after = yield* readCalendar(connector, channel)
        assert.deepStrictEqual(listField(after, "price"), [120, 120, 150, 120, 100])
        assert.deepStrictEqual(listField(after, "inventory"), [1, 0, 2, 2, 2])
        assert.deepStrictEqual(listField(after, "restrictions"), [
          { min_stay_on_arrival: 2, closed_on_departure: true },
          { min_stay_on_arrival: 3, closed_on_departure: true },
          undefined,
          undefined,
          undefined
        ])
      })
    )

    it.effect("shows what is left of a price that the guest pays, and the price itself elsewhere", () =>
      Effect.gen(function* () {
        const { channel, connector, listing } = yield* openTestChannel("ctrip")
        yield* connector.pushPrices(channel.account, {
          ...listing,
          prices: [{ start_date: "2027-06-01", end_date: "2027-06-05", price: 100 }]
        })
        assert.deepStrictEqual(listField(yield* readCalendar(connector, channel), "price"), [85, 85, 85, 85, 85])
      })
    )

    it.effect("takes back the price and rules it gave, and changes what is sent alone", () =>
      Effect.gen(function* () {
        const { channel, connector, listing } = yield* openTestChannel("airbnb")
        const before = yield* connector.readAirbnbPriceAndRules(channel.account, listing)
        yield* connector.writeAirbnbPriceAndRules(channel.account, { ...listing, settings: before.settings })
        assert.deepStrictEqual(yield* connector.readAirbnbPriceAndRules(channel.account, listing), before)
        yield* connector.writeAirbnbPriceAndRules(channel.account, { ...listing, settings: { cleaning_fee: 45 } })
        const after = yield* connector.readAirbnbPriceAndRules(channel.account, listing)
        assert.deepStrictEqual(after.settings, { ...before.settings, cleaning_fee: 45 })
        assert.include(before.eligible_cancellation_policies, before.settings["cancellation_policy"])
        const policy = { ...listing, settings: { cancellation_policy: "whatever" } }
        const refused = yield* Effect.flip(connector.writeAirbnbPriceAndRules(channel.account, policy))
        assert.deepInclude(refused, { _tag: "ChannelRefused", field: "settings.cancellation_policy" })
        assert.deepStrictEqual(yield* connector.readAirbnbPriceAndRules(channel.account, listing), after)
      })
    )

    if (!subject.hasGuests) return

    /** A guest who asked for nights of the listing, and the thread with him. */
    const startConversation = Effect.gen(function* () {
      const context = yield* requestOrder("airbnb")
      const [order] = yield* listOrderEvents(context.channel)
      const threadId = order?.thread_id
      assert(typeof threadId === "string")
      const message = { threadId, messageId: "m-1", text: "Até já 👋\nשלום", imageUrl: null, again: false }
      const offer = {
        threadId,
        reference: "r-1",
        offerType: "special_offer" as const,
        listingId: context.channel.listingId,
        ratePlanId: null,
        checkInDate: "2027-07-01",
        checkOutDate: "2027-07-04",
        numberOfAdults: 2,
        numberOfChildren: 0,
        numberOfInfants: 0,
        numberOfPets: 0,
        price: 250,
        currency: "EUR"
      }
      return { ...context, message, offer }
    })
    const errorTagOf = (act: Effect.Effect<unknown, { readonly _tag: string }>) =>
      Effect.map(Effect.flip(act), ({ _tag }) => _tag)

    it.effect("brings a message to its guest once, however often it is told, and tells of it", () =>
      Effect.gen(function* () {
        const { channel, connector, message } = yield* startConversation
        const image = { ...message, messageId: "m-2", text: "", imageUrl: "https://example.test/images/a.jpg" }
        const sent = yield* connector.sendMessage(channel.account, message)
        assert(sent.outcome === "sent")
        assert.deepStrictEqual(yield* connector.sendMessage(channel.account, { ...message, again: true }), sent)
        yield* connector.sendMessage(channel.account, image)
        const events = yield* Effect.forEach(yield* subject.listEvents(channel), (each) =>
          Effect.orDie(decodeEvent(each))
        )
        const hostMessages = events.flatMap((each) => (each.type === "message" && each.sender === "host" ? [each] : []))
        assert.deepStrictEqual(
          hostMessages.map(({ thread_id, sent_as, text, attachment_url }) => [
            thread_id,
            sent_as,
            text,
            attachment_url ?? null
          ]),
          [
            [message.threadId, "m-1", message.text, null],
            [message.threadId, "m-2", "", image.imageUrl]
          ]
        )
        assert.strictEqual(hostMessages[0]?.message_id, sent.channelMessageId)
        const nobody = { ...message, threadId: "nobody's", messageId: "m-3" }
        assert.strictEqual(yield* errorTagOf(connector.sendMessage(channel.account, nobody)), "ChannelRefused")
      })
    )

    it.effect(
      "offers once under one reference, for a day, at the price that is said or its own, and takes it back",
      () =>
        Effect.gen(function* () {
          const { channel, connector, offer, listing } = yield* startConversation
          const sentOffer = yield* connector.sendOffer(channel.account, offer)
          assert.deepInclude(sentOffer, { price: 250, currency: "EUR" })
          assert.strictEqual(Date.parse(sentOffer.expiresAt) - Date.parse(sentOffer.createdAt), 24 * 60 * 60 * 1000)
          assert.deepStrictEqual(yield* connector.sendOffer(channel.account, offer), sentOffer)
          const preapproval = {
            ...offer,
            reference: "r-2",
            offerType: "preapproval" as const,
            price: null,
            currency: null
          }
          const other = yield* connector.sendOffer(channel.account, preapproval)
          assert.deepInclude(other, { price: 300, currency: "EUR" })
          assert.notStrictEqual(other.offerId, sentOffer.offerId)

          const thread = { threadId: offer.threadId }
          const withdraw = (offerId: string) => connector.withdrawOffer(channel.account, { ...thread, offerId })
          yield* withdraw(sentOffer.offerId)
          yield* withdraw(sentOffer.offerId)
          assert.strictEqual(yield* errorTagOf(withdraw("nobody's")), "ChannelRefused")
          yield* TestClock.setTime(Date.parse(other.expiresAt))
          assert.strictEqual(yield* errorTagOf(withdraw(other.offerId)), "ChannelRefused")

          const sold = { start_date: offer.checkInDate, end_date: offer.checkInDate, inventory: 0 }
          yield* connector.pushInventories(channel.account, { ...listing, inventories: [sold] })
          for (const refused of [
            { ...offer, reference: "r-3" },
            { ...offer, reference: "r-4", threadId: "nobody's" }
          ]) {
            assert.strictEqual(yield* errorTagOf(connector.sendOffer(channel.account, refused)), "ChannelRefused")
          }
        })
    )

    it.effect("takes one review of an order that is over, and the same again", () =>
      Effect.gen(function* () {
        const { channel, connector, order } = yield* startConversation
        yield* connector.approve(channel.account, order)
        yield* TestClock.setTime(Date.parse(`${LATER_CHECK_OUT}T12:00:00Z`))
        const review = { score: 5, content: "Come again! 🙂", categoryRatings: { cleanliness: 4 } }
        const writeReview = (content: string, channelId = order.channelId) =>
          connector.writeReview(channel.account, { ...order, channelId, review: { ...review, content }, reply: null })
        yield* writeReview(review.content)
        yield* writeReview(review.content)
        assert.strictEqual(yield* errorTagOf(writeReview("Do not come again")), "ChannelRefused")
        assert.strictEqual(yield* errorTagOf(writeReview(review.content, "nobody's")), "ChannelRefused")
      })
    )
  })
