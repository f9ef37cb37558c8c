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
  readonly open: (channelType: "airbnb" | "vrbo" | "booking.com" | "ctrip") => Effect.Effect<TestChannel, never, R>
  /** A guest asks for nights of the listing, to be answered by the host; answers the channel's id of the order. */
  readonly request: (there: TestChannel, checkIn: string, checkOut: string) => Effect.Effect<string, never, R>
  /** The guest wants another morning to leave, or nothing any more. */
  readonly change: (orderId: string, checkOut: string) => Effect.Effect<void, never, R>
  readonly cancel: (orderId: string) => Effect.Effect<void, never, R>
  /**
   * Whether the channel has threads with guests, who are offered something and reviewed. On `airbnb` it knows a message again
   * by the name it was sent under, and tells of it.
   */
  readonly guests: boolean
  /** All that the channel has said of the account so far, once it has said all there is to say. */
  readonly said: (there: TestChannel) => Effect.Effect<ReadonlyArray<unknown>, never, R>
}

const [CHECK_IN, CHECK_OUT, LATER] = ["2027-06-07", "2027-06-09", "2027-06-10"]
const NOW = Date.parse("2027-05-01T09:00:00Z")

const decodeSaid = Schema.decodeUnknownEffect(ChannelEvent)

export const connectorSuite = <R, E>(rig: ConnectorUnderTest<R, E>): void =>
  layer(rig.layer)(`a connector: ${rig.name}`, (it) => {
    const begin = Effect.fnUntraced(function* (channelType: Parameters<typeof rig.open>[0]) {
      yield* TestClock.setTime(NOW)
      const there = yield* rig.open(channelType)
      const connector = yield* rig.connector
      return { there, connector, listing: { listingId: there.listingId } }
    })

    const requested = Effect.fnUntraced(function* (channelType: Parameters<typeof rig.open>[0]) {
      const begun = yield* begin(channelType)
      const channelId = yield* rig.request(begun.there, CHECK_IN, CHECK_OUT)
      return { ...begun, order: { reservationCode: "0-1-AAAA", channelId } }
    })

    /** What was said of orders, each as `Ingest` would read it. */
    const ordersSaid = Effect.fnUntraced(function* (there: TestChannel) {
      const all = yield* Effect.forEach(yield* rig.said(there), (each) => Effect.orDie(decodeSaid(each)))
      return all.flatMap((each) => (each.type === "order" ? [each] : []))
    })

    it.effect("says what it says in the one form, every version higher than the one before", () =>
      Effect.gen(function* () {
        const { there, order } = yield* requested("airbnb")
        yield* rig.change(order.channelId, LATER)
        yield* rig.cancel(order.channelId)
        const orders = yield* ordersSaid(there)
        assert.deepStrictEqual(
          orders.map(({ status, rooms }) => [status, rooms[0].check_out_date]),
          [
            ["wait_accept", CHECK_OUT],
            ["wait_accept", LATER],
            ["cancelled", LATER]
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
          const { there, connector, order } = yield* requested("airbnb")
          assert.strictEqual(yield* connector.answered(there.account, order), "pending")
          yield* connector[act](there.account, order)
          yield* connector[act](there.account, order)
          assert.strictEqual(yield* connector.answered(there.account, order), answer)
          const orders = yield* ordersSaid(there)
          assert.deepStrictEqual(
            orders.map((each) => each.status),
            ["wait_accept", status]
          )
          const other = act === "approve" ? "decline" : "approve"
          assert.strictEqual((yield* Effect.flip(connector[other](there.account, order)))._tag, "ChannelRefused")
          assert.strictEqual(yield* connector.answered(there.account, order), answer)
        })
      )
    }

    it.effect("refuses what is over and what is not there", () =>
      Effect.gen(function* () {
        const { there, connector, order } = yield* requested("airbnb")
        yield* rig.cancel(order.channelId)
        assert.strictEqual((yield* Effect.flip(connector.approve(there.account, order)))._tag, "ChannelRefused")
        assert.notStrictEqual(yield* connector.answered(there.account, order), "approved")
        const nobody = { ...order, channelId: "nobody's" }
        const nothing = { listingId: "nothing" }
        const refusals = yield* Effect.forEach(
          [
            connector.approve(there.account, nobody),
            connector.decline(there.account, nobody),
            connector.pushPrices(there.account, {
              ...nothing,
              prices: [{ start_date: CHECK_IN, end_date: CHECK_IN, price: 1 }]
            }),
            connector.readCalendar(there.account, { ...nothing, start: CHECK_IN, end: CHECK_IN }),
            connector.readAirbnbPriceAndRules(there.account, nothing),
            connector.writeAirbnbPriceAndRules(there.account, { ...nothing, settings: { base_price: 1 } })
          ],
          (refused) => Effect.flip(Effect.asVoid(refused))
        )
        assert.deepStrictEqual(
          refusals.map(({ _tag }) => _tag),
          refusals.map(() => "ChannelRefused")
        )
        assert.strictEqual(yield* connector.answered(there.account, nobody), "unknown")
      })
    )

    const read = (connector: Connector, { account, listingId }: TestChannel) =>
      connector.readCalendar(account, { listingId, start: "2027-06-01", end: "2027-06-05" })
    const field = <Name extends keyof ListingDay>(days: ReadonlyArray<ListingDay>, name: Name) =>
      days.map((day) => day[name])

    it.effect("reads back what was pushed, the later range where two name a day", () =>
      Effect.gen(function* () {
        const { there, connector, listing } = yield* begin("booking.com")
        const before = yield* read(connector, there)
        assert.deepStrictEqual(field(before, "date"), [
          "2027-06-01",
          "2027-06-02",
          "2027-06-03",
          "2027-06-04",
          "2027-06-05"
        ])
        assert.deepStrictEqual(field(before, "price"), [100, 100, 100, 100, 100])
        const days = (start_date: string, end_date: string) => ({ start_date, end_date })
        yield* connector.pushPrices(there.account, {
          ...listing,
          prices: [
            { ...days("2027-06-01", "2027-06-04"), price: 120 },
            { ...days("2027-06-03", "2027-06-03"), price: 150 }
          ]
        })
        yield* connector.pushInventories(there.account, {
          ...listing,
          inventories: [
            { ...days("2027-06-02", "2027-06-03"), inventory: 0 },
            { ...days("2027-06-03", "2027-06-05"), inventory: 2 }
          ]
        })
        yield* connector.pushRestrictions(there.account, {
          ...listing,
          restrictions: [{ ...days("2027-06-01", "2027-06-02"), min_stay_on_arrival: 2, closed_on_departure: true }]
        })
        yield* connector.pushRestrictions(there.account, {
          ...listing,
          restrictions: [{ ...days("2027-06-02", "2027-06-02"), min_stay_on_arrival: 3 }]
        })
        const after = yield* read(connector, there)
        assert.deepStrictEqual(field(after, "price"), [120, 120, 150, 120, 100])
        assert.deepStrictEqual(field(after, "inventory"), [1, 0, 2, 2, 2])
        assert.deepStrictEqual(field(after, "restrictions"), [
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
        const { there, connector, listing } = yield* begin("ctrip")
        yield* connector.pushPrices(there.account, {
          ...listing,
          prices: [{ start_date: "2027-06-01", end_date: "2027-06-05", price: 100 }]
        })
        assert.deepStrictEqual(field(yield* read(connector, there), "price"), [85, 85, 85, 85, 85])
      })
    )

    it.effect("takes back the price and rules it gave, and changes what is sent alone", () =>
      Effect.gen(function* () {
        const { there, connector, listing } = yield* begin("airbnb")
        const before = yield* connector.readAirbnbPriceAndRules(there.account, listing)
        yield* connector.writeAirbnbPriceAndRules(there.account, { ...listing, settings: before.settings })
        assert.deepStrictEqual(yield* connector.readAirbnbPriceAndRules(there.account, listing), before)
        yield* connector.writeAirbnbPriceAndRules(there.account, { ...listing, settings: { cleaning_fee: 45 } })
        const after = yield* connector.readAirbnbPriceAndRules(there.account, listing)
        assert.deepStrictEqual(after.settings, { ...before.settings, cleaning_fee: 45 })
        assert.include(before.eligible_cancellation_policies, before.settings["cancellation_policy"])
        const policy = { ...listing, settings: { cancellation_policy: "whatever" } }
        const refused = yield* Effect.flip(connector.writeAirbnbPriceAndRules(there.account, policy))
        assert.deepInclude(refused, { _tag: "ChannelRefused", field: "settings.cancellation_policy" })
        assert.deepStrictEqual(yield* connector.readAirbnbPriceAndRules(there.account, listing), after)
      })
    )

    if (!rig.guests) return

    /** A guest who asked for nights of the listing, and the thread with him. */
    const met = Effect.gen(function* () {
      const begun = yield* requested("airbnb")
      const [order] = yield* ordersSaid(begun.there)
      const threadId = order?.thread_id
      assert(typeof threadId === "string")
      const message = { threadId, messageId: "m-1", text: "Até já 👋\nשלום", imageUrl: null, again: false }
      const offer = {
        threadId,
        reference: "r-1",
        offerType: "special_offer" as const,
        listingId: begun.there.listingId,
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
      return { ...begun, message, offer }
    })
    const tagOf = (act: Effect.Effect<unknown, { readonly _tag: string }>) =>
      Effect.map(Effect.flip(act), ({ _tag }) => _tag)

    it.effect("brings a message to its guest once, however often it is told, and tells of it", () =>
      Effect.gen(function* () {
        const { there, connector, message } = yield* met
        const image = { ...message, messageId: "m-2", text: "", imageUrl: "https://example.test/images/a.jpg" }
        const sent = yield* connector.sendMessage(there.account, message)
        assert(sent.outcome === "sent")
        assert.deepStrictEqual(yield* connector.sendMessage(there.account, { ...message, again: true }), sent)
        yield* connector.sendMessage(there.account, image)
        const said = yield* Effect.forEach(yield* rig.said(there), (each) => Effect.orDie(decodeSaid(each)))
        const written = said.flatMap((each) => (each.type === "message" && each.sender === "host" ? [each] : []))
        assert.deepStrictEqual(
          written.map(({ thread_id, sent_as, text, attachment_url }) => [
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
        assert.strictEqual(written[0]?.message_id, sent.channelMessageId)
        const nobody = { ...message, threadId: "nobody's", messageId: "m-3" }
        assert.strictEqual(yield* tagOf(connector.sendMessage(there.account, nobody)), "ChannelRefused")
      })
    )

    it.effect(
      "offers once under one reference, for a day, at the price that is said or its own, and takes it back",
      () =>
        Effect.gen(function* () {
          const { there, connector, offer, listing } = yield* met
          const made = yield* connector.sendOffer(there.account, offer)
          assert.deepInclude(made, { price: 250, currency: "EUR" })
          assert.strictEqual(Date.parse(made.expiresAt) - Date.parse(made.createdAt), 24 * 60 * 60 * 1000)
          assert.deepStrictEqual(yield* connector.sendOffer(there.account, offer), made)
          const preapproval = {
            ...offer,
            reference: "r-2",
            offerType: "preapproval" as const,
            price: null,
            currency: null
          }
          const other = yield* connector.sendOffer(there.account, preapproval)
          assert.deepInclude(other, { price: 300, currency: "EUR" })
          assert.notStrictEqual(other.offerId, made.offerId)

          const thread = { threadId: offer.threadId }
          const withdraw = (offerId: string) => connector.withdrawOffer(there.account, { ...thread, offerId })
          yield* withdraw(made.offerId)
          yield* withdraw(made.offerId)
          assert.strictEqual(yield* tagOf(withdraw("nobody's")), "ChannelRefused")
          yield* TestClock.setTime(Date.parse(other.expiresAt))
          assert.strictEqual(yield* tagOf(withdraw(other.offerId)), "ChannelRefused")

          const sold = { start_date: offer.checkInDate, end_date: offer.checkInDate, inventory: 0 }
          yield* connector.pushInventories(there.account, { ...listing, inventories: [sold] })
          for (const refused of [
            { ...offer, reference: "r-3" },
            { ...offer, reference: "r-4", threadId: "nobody's" }
          ]) {
            assert.strictEqual(yield* tagOf(connector.sendOffer(there.account, refused)), "ChannelRefused")
          }
        })
    )

    it.effect("takes one review of an order that is over, and the same again", () =>
      Effect.gen(function* () {
        const { there, connector, order } = yield* met
        yield* connector.approve(there.account, order)
        yield* TestClock.setTime(Date.parse(`${LATER}T12:00:00Z`))
        const review = { score: 5, content: "Come again! 🙂", categoryRatings: { cleanliness: 4 } }
        const judged = (content: string, channelId = order.channelId) =>
          connector.writeReview(there.account, { ...order, channelId, review: { ...review, content }, reply: null })
        yield* judged(review.content)
        yield* judged(review.content)
        assert.strictEqual(yield* tagOf(judged("Do not come again")), "ChannelRefused")
        assert.strictEqual(yield* tagOf(judged(review.content, "nobody's")), "ChannelRefused")
      })
    )
  })
