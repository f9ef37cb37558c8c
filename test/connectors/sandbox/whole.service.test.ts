import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Marketplace } from "../../../src/connectors/sandbox/Marketplace.ts"
import { SandboxQueries } from "../../../src/connectors/sandbox/SandboxQueries.ts"
import { layerServiceWithSandbox } from "../../support/connectors/sandbox/service-with-sandbox.ts"
import { call, createOperator, insertProperty, typedClient, withToken } from "../../support/harness.ts"

// The service and its marketplace together, on the clock on the wall: what each says reaches the other by itself.

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

const EACH_DAY = { sunday: 90, monday: 90, tuesday: 90, wednesday: 90, thursday: 90, friday: 90, saturday: 90 }

const linked = Effect.fn("linked")(function* (channel_type: "airbnb" | "vrbo" | "ctrip") {
  const { operatorId, token } = yield* createOperator()
  const market = yield* Marketplace
  const api = yield* typedClient
  const property = yield* insertProperty(operatorId, "Harbour view")
  const opened = yield* market.openListing({ operator_id: operatorId, channel_type, base_price: 100, tax: 0 })
  const sql = yield* SqlClient.SqlClient
  yield* Effect.orDie(sql`
    UPDATE listings SET property_id = ${property}
    WHERE operator_id = ${operatorId} AND listing_id = ${opened.listing_id}`)
  const book = market.bookOrder({
    listing_id: opened.listing_id,
    guest_name: "Ana Reis",
    check_in_date: inDays(30),
    check_out_date: inDays(32)
  })
  const found = (channel_id: string) =>
    Effect.map(api.search_reservations({ channel_id }).pipe(withToken(token)), ({ reservations }) => reservations[0])
  return { operatorId, token, market, api, property, opened, book, found }
})

layer(layerServiceWithSandbox, { excludeTestServices: true })("the service and its sandbox", (it) => {
  it.effect("see each other's work: a booking comes in, is approved, is paid, moves and is cancelled", () =>
    Effect.gen(function* () {
      const { api, book, found, market, opened, property, token } = yield* linked("airbnb")
      const order = yield* book
      assert.strictEqual(order.heard, "applied")
      const pending = yield* found(order.order_id)
      assert.deepStrictEqual(
        [pending?.status, pending?.property_id, pending?.listing_id, pending?.guest_name, pending?.rates.rate.amount],
        ["wait_accept", property, opened.listing_id, "Ana Reis", 200]
      )
      yield* api.approve_reservation({ reservation_code: pending?.reservation_code ?? "" }).pipe(withToken(token))
      yield* market.payOrder({ order_id: order.order_id, amount: 50 })
      const moved = yield* market.changeOrder({ order_id: order.order_id, check_out_date: inDays(33) })
      assert.strictEqual(moved.heard, "applied")
      const paid = yield* found(order.order_id)
      assert.deepStrictEqual(
        [paid?.status, paid?.check_out_date, paid?.payment.total_amount, paid?.payment.received_amount],
        ["accepted", inDays(33), 300, 50]
      )
      yield* market.cancelOrder({ order_id: order.order_id })
      assert.strictEqual((yield* found(order.order_id))?.status, "cancelled")
    })
  )

  it.effect("wait together for the payment of an order that its host has agreed to", () =>
    Effect.gen(function* () {
      const { book, found, market, token } = yield* linked("vrbo")
      const { order_id } = yield* book
      const code = (yield* found(order_id))?.reservation_code
      assert.strictEqual((yield* call(token, "approve_reservation", { reservation_code: code })).error_code, 0)
      assert.strictEqual((yield* found(order_id))?.status, "wait_pay")
      yield* market.payOrder({ order_id })
      const paid = yield* found(order_id)
      assert.deepStrictEqual([paid?.status, paid?.payment.status], ["accepted", "received"])
    })
  )

  it.effect("have one calendar: what is pushed is what guests pay, and what the host is left with is read", () =>
    Effect.gen(function* () {
      const { api, market, opened, operatorId, token } = yield* linked("ctrip")
      const listing = { channel_type: "ctrip", listing_id: opened.listing_id } as const
      const days = { start_date: inDays(40), end_date: inDays(41) }
      yield* api.update_listing_prices({ ...listing, prices: [{ ...days, price: 200 }] }).pipe(withToken(token))
      const prices = Effect.map(
        api.search_listing_calendars({ ...days, listings: [listing] }).pipe(withToken(token)),
        ({ listings }) => listings[0]?.calendar.map(({ price }) => price)
      )
      const seeing = yield* SandboxQueries
      const asked = seeing.listRequests({ limit: 1, offset: 0 }, { operator_id: operatorId })
      while ((yield* asked).rows[0]?.act !== "pushPrices") yield* Effect.yieldNow
      assert.deepStrictEqual(yield* prices, [170, 170])
      const order = yield* market.bookOrder({
        listing_id: opened.listing_id,
        guest_name: "Li Wei",
        check_in_date: inDays(40),
        check_out_date: inDays(42)
      })
      assert.strictEqual(order.total, 400)
    })
  )

  for (const [channel, untaken] of [
    [
      "airbnb",
      [
        [{ cancellation_policy: "bogus" }, /^settings\.cancellation_policy: .*bogus/],
        [{ listing_currency: "USD" }, /^settings\.listing_currency: .*EUR/],
        [{ base_price: 120.555 }, /^settings\.base_price: .*120\.555.*EUR/],
        [
          { pet_fee_obj: { amount: 0.001, charge_type: "FLAT", charge_period: "STAY" } },
          /^settings\.pet_fee_obj\.amount: .*0\.001.*EUR/
        ]
      ]
    ],
    [
      "vrbo",
      [
        [{ nightly_rate: { ...EACH_DAY, friday: 99.999 } }, /^settings\.nightly_rate\.friday: .*99\.999.*EUR/],
        [{ cleaning_fee: 9.999 }, /^settings\.cleaning_fee: .*9\.999.*EUR/]
      ]
    ]
  ] as const) {
    it.effect(`name the setting of ${channel} that the marketplace does not take, and nothing is changed`, () =>
      Effect.gen(function* () {
        const { opened, token } = yield* linked(channel)
        const listing = { listing_id: opened.listing_id }
        const read = Effect.map(call(token, `get_${channel}_price_and_rules`, listing), ({ data }) => data)
        const write = (settings: object) => call(token, `update_${channel}_price_and_rules`, { ...listing, settings })
        const before = yield* read
        for (const [settings, pattern] of untaken) {
          const { error_code, error_msg } = yield* write({ minimum_stay: 3, ...settings })
          assert.strictEqual(error_code, 422)
          assert.match(error_msg, pattern)
        }
        assert.deepStrictEqual(yield* read, before)
        assert.deepInclude(yield* write({ minimum_stay: 3, base_price: 120.55 }), { error_code: 0 })
        assert.deepNestedInclude(yield* read, { minimum_stay: 3, base_price: 120.55 })
      })
    )
  }
})
