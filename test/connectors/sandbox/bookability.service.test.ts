import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Marketplace } from "../../../src/connectors/sandbox/Marketplace.ts"
import { SandboxConnector } from "../../../src/connectors/sandbox/SandboxConnector.ts"
import { ChannelOrderEvent } from "../../../src/domain/channels/port/channel-events.ts"
import { SANDBOX_ORDERS_MAX } from "../../../src/platform/limits.ts"
import {
  createSandboxAccount,
  createSandboxListing,
  isEventOfType,
  layerSandboxTest,
  NOW,
  ReceivedEvents
} from "../../support/connectors/sandbox/sandbox-accounts.ts"

const GUEST = { guest_name: "Ana Reis" }
const STAY = { check_in_date: "2027-06-07", check_out_date: "2027-06-09" }

const fits = Schema.is(ChannelOrderEvent)

const LATER = { check_in_date: "2027-07-07", check_out_date: "2027-07-09" }

/** An account with one listing, and a guest. */
const ground = Effect.fn("ground")(function* (
  channel: Parameters<typeof createSandboxAccount>[0] = "booking.com",
  options: Parameters<typeof createSandboxListing>[1] = {}
) {
  yield* TestClock.setTime(NOW)
  const at = yield* createSandboxAccount(channel)
  const listing = yield* createSandboxListing(at.account, { title: "Harbour view", ...options })
  const market = yield* Marketplace
  const sandbox = yield* SandboxConnector
  const days = (start: string, end: string) =>
    sandbox.readCalendar(at.remoteAccount, { listingId: listing, start, end })
  return {
    ...at,
    listing,
    market,
    sandbox,
    days,
    book: (asked: Partial<Parameters<typeof market.bookOrder>[0]> = {}) =>
      market.bookOrder({ listing_id: listing, ...GUEST, ...STAY, ...asked }),
    /** What is left of each night. */
    left: Effect.map(days("2027-06-06", "2027-06-10"), (all) => all.map(({ inventory }) => inventory))
  }
})

const messageOf = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flip(effect).pipe(Effect.map(({ message }) => message))

layer(layerSandboxTest)("a guest of the sandbox", (it) => {
  it.effect("books nights, pays what they cost to the cent, and nobody else has them", () =>
    Effect.gen(function* () {
      const { book, left, accountId } = yield* ground("booking.com", { base_price: 99.99, cleaning_fee: 30 })
      const order = yield* book()
      // 199.98 for the nights, 30 for cleaning, 10 % taxes on both: 22.998.
      assert.strictEqual(order.total, 252.98)
      assert.strictEqual(order.status, "accepted")
      assert.deepStrictEqual(yield* left, [1, 0, 0, 1, 1])
      const told = (yield* (yield* ReceivedEvents).listEvents(accountId)).filter(isEventOfType("order"))
      assert.lengthOf(told, 1)
      assert.isTrue(fits(told[0]))
      assert.deepStrictEqual(
        told[0]?.rooms.map(({ rate, commission, accommodation, details }) => ({
          rate,
          commission,
          accommodation,
          details
        })),
        [
          {
            rate: 252.98,
            commission: 34.5,
            accommodation: 199.98,
            details: [
              { type: "ACCOMMODATION", description: "2 nights", amount: 199.98 },
              { type: "CLEANING_FEE", description: "Cleaning", amount: 30 },
              { type: "TAXES", description: "10 % tax", amount: 23 },
              { type: "HOST_SERVICE_FEE", description: "15 % commission", amount: 34.5 }
            ]
          }
        ]
      )
      assert.match(yield* messageOf(book()), /^listing_id: .*2027-06-07/)
    })
  )

  it.effect("gets each of the rooms that are left, and none more", () =>
    Effect.gen(function* () {
      const { book, left } = yield* ground("booking.com", { rooms: 3 })
      const order = yield* book({ rooms: 2 })
      assert.deepStrictEqual(
        order.rooms.map(({ room_id }) => room_id),
        ["R1", "R2"]
      )
      assert.match(yield* messageOf(book({ rooms: 2 })), /^listing_id: .*2027-06-07/)
      assert.deepStrictEqual(yield* left, [3, 1, 1, 3, 3])
    })
  )

  it.effect("books several listings of an account in one order", () =>
    Effect.gen(function* () {
      const { book, listing, account } = yield* ground()
      const other = yield* createSandboxListing(account, { base_price: 50 })
      const order = yield* book({ listing_id: `${listing}, ${other}` })
      assert.deepStrictEqual(
        order.rooms.map(({ listing_id, accommodation }) => [listing_id, accommodation]),
        [
          [listing, 200],
          [other, 100]
        ]
      )
      const strange = yield* ground()
      assert.match(
        yield* messageOf(book({ listing_id: `${other}, ${strange.listing}`, ...LATER })),
        new RegExp(`^listing_id: .*${strange.listing}`)
      )
    })
  )

  it.effect("says what to change, or nothing is changed and nobody is told", () =>
    Effect.gen(function* () {
      const { book, market, accountId } = yield* ground()
      const { order_id, version } = yield* book()
      const told = ReceivedEvents.use(({ listEvents: heardOf }) => heardOf(accountId))
      const before = yield* told
      const refused = yield* Effect.flip(market.changeOrder({ order_id }))
      assert.strictEqual(refused._tag, "BadRequest")
      assert.include(refused.message, "check_in_date, check_out_date, listing_id, adults")
      assert.deepStrictEqual(yield* told, before)
      assert.strictEqual((yield* market.changeOrder({ order_id, adults: 1 })).version, version + 1)
    })
  )

  it.effect("has the last room alone, however many want it at once", () =>
    Effect.gen(function* () {
      const { book, left } = yield* ground()
      const tries = yield* Effect.forEach(Array.from({ length: 20 }), () => Effect.exit(book()), { concurrency: 20 })
      assert.lengthOf(
        tries.filter((each) => each._tag === "Success"),
        1
      )
      assert.deepStrictEqual(yield* left, [1, 0, 0, 1, 1])
    })
  )

  it.effect("finds twelve rooms for twelve who want one at once", () =>
    Effect.gen(function* () {
      const { book, left } = yield* ground("booking.com", { rooms: 12 })
      yield* Effect.forEach(Array.from({ length: 12 }), () => book(), { concurrency: 12 })
      assert.deepStrictEqual(yield* left, [12, 0, 0, 12, 12])
    })
  )

  it.effect("cannot book what the host has closed, nor against the restrictions of its channel", () =>
    Effect.gen(function* () {
      const { book, sandbox, remoteAccount: there, listing } = yield* ground("booking.com", { rooms: 50 })
      const restrict = (rule: object) =>
        sandbox.pushRestrictions(there, {
          listingId: listing,
          restrictions: [{ start_date: "2027-06-01", end_date: "2027-06-30", ...rule }]
        })
      const refusedBy = Effect.fnUntraced(function* (rule: object, none: object) {
        yield* restrict(rule)
        const message = yield* messageOf(book())
        yield* restrict(none)
        yield* book()
        return message
      })
      for (const [rule, none, pattern] of [
        [{ closed_on_arrival: true }, { closed_on_arrival: false }, /check-in on 2027-06-07/],
        [{ closed_on_departure: true }, { closed_on_departure: false }, /check-out on 2027-06-09/],
        [{ min_stay_on_arrival: 3 }, { min_stay_on_arrival: 2 }, /at least 3 nights from 2027-06-07/],
        [{ max_stay_on_arrival: 1 }, { max_stay_on_arrival: 2 }, /at most 1 night from 2027-06-07/],
        [{ exact_stay_on_arrival: 3 }, { exact_stay_on_arrival: 2 }, /exactly 3 nights from 2027-06-07/],
        [{ min_stay_through: 3 }, { min_stay_through: 1 }, /at least 3 nights\.$/],
        [{ max_stay_through: 1 }, { max_stay_through: 2 }, /at most 1 night\.$/],
        [{ min_advance_reservation: "37D" }, { min_advance_reservation: "36D4H" }, /37D ahead/],
        [{ max_advance_reservation: "36D4H" }, { max_advance_reservation: "37D" }, /36D4H ahead/]
      ] as const) {
        const message = yield* refusedBy(rule, none)
        assert.match(message, /^listing_id: Harbour view /)
        assert.match(message, pattern)
      }
      yield* sandbox.pushInventories(there, {
        listingId: listing,
        inventories: [{ start_date: "2027-06-08", end_date: "2027-06-08", inventory: 0 }]
      })
      assert.match(yield* messageOf(book()), /^listing_id: .*2027-06-08/)
      assert.match(
        yield* messageOf(book({ check_in_date: "2027-06-08", check_out_date: "2027-06-09" })),
        /^listing_id: .*2027-06-08/
      )
    })
  )

  it.effect("cannot book the past, no nights, a year and a day, nor what nobody sells", () =>
    Effect.gen(function* () {
      const { book } = yield* ground()
      const stay = (check_in_date: string, check_out_date: string) => messageOf(book({ check_in_date, check_out_date }))
      assert.match(yield* stay("2027-04-30", "2027-05-02"), /^check_in_date: .*in the past/)
      assert.match(yield* stay("2027-06-07", "2027-06-07"), /^check_out_date: .*check_in_date/)
      assert.match(yield* stay("2027-06-07", "2028-06-07"), /^check_out_date: .*365/)
      assert.match(yield* stay("2027-02-30", "2027-06-07"), /^check_in_date: .*a date/)
      assert.match(yield* messageOf(book({ guest_name: " " })), /^guest_name: .*empty/)
      assert.include(yield* messageOf(book({ listing_id: "nowhere" })), "no such listing")
      yield* book({ check_in_date: "2027-06-07", check_out_date: "2028-06-06" })
    })
  )

  it.effect("moves an order to other dates and rooms: what is dropped is free again", () =>
    Effect.gen(function* () {
      const { book, left, market, listing, account, accountId, sandbox, remoteAccount: there } = yield* ground()
      const other = yield* createSandboxListing(account)
      const order = yield* book()
      // The host closes the nights that are sold, which does not keep the guest from staying.
      yield* sandbox.pushInventories(there, {
        listingId: listing,
        inventories: [{ start_date: "2027-06-07", end_date: "2027-06-08", inventory: 0 }]
      })
      const longer = yield* market.changeOrder({ order_id: order.order_id, check_out_date: "2027-06-10" })
      assert.strictEqual(longer.version, 2)
      assert.strictEqual(longer.total, 330)
      assert.deepStrictEqual(yield* left, [1, 0, 0, 0, 1])
      const both = yield* market.changeOrder({ order_id: order.order_id, listing_id: `${other},${listing}` })
      assert.deepStrictEqual(
        both.rooms.map(({ room_id, listing_id }) => [room_id, listing_id]),
        [
          ["R2", other],
          ["R1", listing]
        ]
      )
      yield* market.changeOrder({ order_id: order.order_id, listing_id: other })
      // Closed by the host before: that stays the last word. The night that was sold after it is free.
      assert.deepStrictEqual(yield* left, [1, 0, 0, 1, 1])
      const versions = (yield* (yield* ReceivedEvents).listEvents(accountId))
        .filter(isEventOfType("order"))
        .map(({ version }) => version)
      assert.deepStrictEqual(versions, [1, 2, 3, 4])
    })
  )

  it.effect("cancels, and then others can book", () =>
    Effect.gen(function* () {
      const { book, left, market } = yield* ground()
      const order = yield* book()
      const over = yield* market.cancelOrder({ order_id: order.order_id })
      assert.strictEqual(over.status, "cancelled")
      assert.deepStrictEqual(yield* left, [1, 1, 1, 1, 1])
      assert.match(yield* messageOf(market.cancelOrder({ order_id: order.order_id })), /^order_id: .*cancelled/)
      yield* book()
    })
  )

  it.effect("pays in parts, gets some back, and never more than there is", () =>
    Effect.gen(function* () {
      const { book, market, accountId } = yield* ground("booking_site", { base_price: 50, tax: 0 })
      const { order_id } = yield* book()
      assert.strictEqual((yield* market.payOrder({ order_id, amount: 33.33 })).paid, 33.33)
      assert.match(yield* messageOf(market.payOrder({ order_id, amount: 66.68 })), /^amount: .*66\.67.*EUR/)
      assert.match(yield* messageOf(market.payOrder({ order_id, amount: 0.001 })), /^amount: .*decimals.*EUR/)
      assert.strictEqual((yield* market.payOrder({ order_id })).paid, 100)
      assert.match(yield* messageOf(market.payOrder({ order_id })), /^amount: .*nothing/)
      assert.strictEqual((yield* market.refundOrder({ order_id, amount: 40 })).paid, 60)
      assert.match(yield* messageOf(market.refundOrder({ order_id, amount: 60.01 })), /^amount: .*60.*EUR/)
      const said = yield* (yield* ReceivedEvents).listEvents(accountId)
      assert.deepStrictEqual(
        said.filter(isEventOfType("payment")).map(({ amount, channel_id }) => [amount, channel_id]),
        [
          [33.33, order_id],
          [66.67, order_id]
        ]
      )
      assert.deepStrictEqual(
        said.filter(isEventOfType("refund")).map(({ amount }) => amount),
        [40]
      )
    })
  )

  it.effect("pays once, however often at the same moment", () =>
    Effect.gen(function* () {
      const { book, market } = yield* ground("booking_site", { tax: 0 })
      const { order_id } = yield* book()
      const tries = yield* Effect.forEach(Array.from({ length: 8 }), () => Effect.exit(market.payOrder({ order_id })), {
        concurrency: 8
      })
      assert.lengthOf(
        tries.filter((each) => each._tag === "Success"),
        1
      )
    })
  )

  it.effect("who has paid enough for an order that got cheaper has agreed to it: it waits for no payment", () =>
    Effect.gen(function* () {
      const { book, market, sandbox, remoteAccount: there } = yield* ground("vrbo", { base_price: 100, tax: 0 })
      const { order_id } = yield* book()
      yield* sandbox.approve?.(there, { reservationCode: "0-1-AAAA", channelId: order_id }) ?? Effect.void
      assert.strictEqual((yield* market.payOrder({ order_id, amount: 100 })).status, "wait_pay")
      const cheaper = yield* market.changeOrder({ order_id, check_out_date: "2027-06-08" })
      assert.deepStrictEqual([cheaper.status, cheaper.total, cheaper.paid], ["accepted", 100, 100])
    })
  )

  it.effect("finds no room in an account that has as many orders as one keeps", () =>
    Effect.gen(function* () {
      const { book, operatorId, accountId } = yield* ground("booking.com", { rooms: 2 })
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO sandbox_orders (operator_id, account_id, order_id, version, status, said, booked_at)
        SELECT ${operatorId}, ${accountId}, 'old-' || number, 1, 'cancelled', '{}', now()
        FROM generate_series(2, ${SANDBOX_ORDERS_MAX}::int) number`
      assert.strictEqual((yield* book()).status, "accepted")
      assert.match(yield* messageOf(book()), /^listing_id: .*10000/)
    })
  )

  it.effect("pays and gets back no more than there is when the parts come at the same moment", () =>
    Effect.gen(function* () {
      const { book, market } = yield* ground("booking_site", { base_price: 100, tax: 0 })
      /** Parts of 40 that went through, each guest a few steps later than the one before. */
      const parts = (
        act: (asked: { readonly order_id: string; readonly amount: number }) => Effect.Effect<unknown, unknown>,
        order_id: string
      ) =>
        Effect.map(
          Effect.forEach(
            Array.from({ length: 8 }, (_, nth) => nth),
            (nth) =>
              Effect.repeat(Effect.yieldNow, { times: nth * 5 }).pipe(
                Effect.andThen(Effect.exit(act({ order_id, amount: 40 })))
              ),
            { concurrency: 8 }
          ),
          (tries) => tries.filter((each) => each._tag === "Success").length
        )
      for (let day = 10; day < 28; day++) {
        const { order_id } = yield* book({ check_in_date: `2027-06-${day}`, check_out_date: `2027-06-${day + 1}` })
        assert.strictEqual(yield* parts(market.payOrder, order_id), 2)
        yield* market.payOrder({ order_id })
        assert.strictEqual(yield* parts(market.refundOrder, order_id), 2)
      }
    })
  )
})
