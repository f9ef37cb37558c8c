import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Marketplace } from "../../../../src/connectors/sandbox/Marketplace.ts"
import { layerServiceWithSandbox } from "../../../support/connectors/sandbox/service-with-sandbox.ts"
import { call, createOperator, insertProperty, typedClient, withToken } from "../../../support/harness.ts"

// The service and its marketplace together, on the clock on the wall.

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

interface SandboxPrices {
  readonly base_price: number
  readonly cleaning_fee: number
  readonly tax: number
}

const prepareListing = Effect.fn("prepareListing")(function* (prices: SandboxPrices) {
  const { operatorId, token } = yield* createOperator()
  const [market, api, sql] = [yield* Marketplace, yield* typedClient, yield* SqlClient.SqlClient]
  const propertyId = yield* insertProperty(operatorId, "Harbour view")
  const { listing_id } = yield* market.openListing({ operator_id: operatorId, channel_type: "booking.com", ...prices })
  const as = withToken(token)
  yield* api
    .update_property({
      id: propertyId,
      fees: [{ name: "Cleaning", amount: prices.cleaning_fee, per: "stay" }],
      taxes: [{ name: "VAT", percent: prices.tax, per: "stay" }]
    })
    .pipe(as)
  const map = (column: "property_id" | "room_type_id", id: number) =>
    Effect.orDie(sql`
      UPDATE listings SET ${sql(column)} = ${id}
      WHERE operator_id = ${operatorId} AND listing_id = ${listing_id}`)
  const quote = (nights: number, guests = 2) =>
    api
      .create_quote({
        channel_type: "booking.com",
        listing_id,
        check_in_date: inDays(30),
        check_out_date: inDays(30 + nights),
        number_of_guests: guests
      })
      .pipe(as)
  const bookAtChannel = (nights: number) =>
    market.bookOrder({
      listing_id,
      guest_name: "Ana Reis",
      check_in_date: inDays(30),
      check_out_date: inDays(30 + nights)
    })
  return { operatorId, token, propertyId, listing_id, api, as, market, map, quote, bookAtChannel }
})

layer(layerServiceWithSandbox, { excludeTestServices: true })("a quote of a listing", (it) => {
  for (const prices of [
    { base_price: 99.99, cleaning_fee: 30, tax: 10 },
    { base_price: 83.35, cleaning_fee: 12.45, tax: 7 },
    { base_price: 120, cleaning_fee: 0, tax: 0 }
  ]) {
    it.effect(`is to the cent what its booking site charges for ${JSON.stringify(prices)}`, () =>
      Effect.gen(function* () {
        const { propertyId, map, quote, bookAtChannel } = yield* prepareListing(prices)
        yield* map("property_id", propertyId)
        const { total, currency, bookable, violations, property_id } = yield* quote(3)
        assert.deepStrictEqual(violations, [])
        assert.deepStrictEqual([currency, bookable, property_id], ["EUR", true, propertyId])
        assert.strictEqual((yield* bookAtChannel(3)).total, total)
        assert.deepStrictEqual(
          (yield* quote(3)).violations.map(({ rule }) => rule),
          ["unavailable"]
        )
      })
    )
  }

  it.effect("makes a reservation in the property to which the listing is mapped, and in no other", () =>
    Effect.gen(function* () {
      const host = yield* prepareListing({ base_price: 50, cleaning_fee: 5, tax: 20 })
      const { operatorId, token, propertyId, map, quote } = host
      const other = yield* insertProperty(operatorId, "Harbour court")
      const book = (quote_id: string, property_id: number) =>
        call(token, "create_reservation", {
          property_id,
          quote_id,
          custom_channel_id: 30,
          check_in_date: inDays(30),
          check_out_date: inDays(32),
          guest_name: "Ada Lovelace",
          received_amount: 0,
          income_method_id: 197
        })
      const unmapped = yield* quote(2)
      assert.deepStrictEqual(
        [unmapped.total, unmapped.property_id, unmapped.violations.map(({ rule }) => rule)],
        [100, null, ["unmapped_listing"]]
      )
      assert.strictEqual((yield* book(unmapped.quote_id, propertyId)).error_code, 409)
      yield* map("property_id", propertyId)
      const { quote_id, total } = yield* quote(2)
      assert.strictEqual(total, 126)
      const wrong = yield* book(quote_id, other)
      assert.deepStrictEqual(
        [wrong.error_code, wrong.error_msg],
        [422, `property_id: must be ${propertyId}, as in the quote.`]
      )
      assert.strictEqual((yield* book(quote_id, propertyId)).error_code, 0)
    })
  )

  it.effect("of a room type is for its first property that is free", () =>
    Effect.gen(function* () {
      const host = yield* prepareListing({ base_price: 50, cleaning_fee: 5, tax: 20 })
      const { api, as, operatorId, token, propertyId, map, quote } = host
      const other = yield* insertProperty(operatorId, "Harbour court")
      const rooms = { title: "Double", property_ids: [propertyId, other] }
      const { room_type_id } = yield* api.create_room_type(rooms).pipe(as)
      yield* map("room_type_id", room_type_id)
      assert.deepStrictEqual((yield* quote(2)).property_id, propertyId)
      yield* call(token, "update_availabilities", {
        property_ids: [propertyId],
        available: false,
        start_date: inDays(31),
        end_date: inDays(31)
      })
      const { property_id, fees, total } = yield* quote(2)
      assert.deepStrictEqual([property_id, fees, total], [other, [], 100])
    })
  )

  it.effect("of a room type is for its first free property that can take the stay, if there is one", () =>
    Effect.gen(function* () {
      const host = yield* prepareListing({ base_price: 50, cleaning_fee: 5, tax: 20 })
      const { api, as, operatorId, token, propertyId, map, quote } = host
      const [dollars, large] = [yield* insertProperty(operatorId, "Court"), yield* insertProperty(operatorId, "Garden")]
      const patch = (id: number, fields: object) => call(token, "update_property", { id, ...fields })
      const fees = [{ name: "Towels", amount: 2, per: "stay" }]
      yield* patch(propertyId, { capacity: 1 })
      yield* patch(dollars, { currency: "USD", fees })
      yield* patch(large, { capacity: 4 })
      const rooms = { title: "Double", property_ids: [propertyId, dollars, large] }
      const { room_type_id } = yield* api.create_room_type(rooms).pipe(as)
      yield* map("room_type_id", room_type_id)
      const quoted = Effect.map(quote(2), ({ property_id, bookable }) => [property_id, bookable])
      assert.deepStrictEqual(yield* quoted, [large, true])
      // Fees in percent have no currency.
      yield* patch(dollars, { fees: [{ name: "Service", percent: 10, per: "stay" }] })
      assert.deepStrictEqual(yield* quoted, [dollars, true])
      yield* patch(dollars, { fees })
      yield* patch(large, { capacity: 1 })
      assert.deepStrictEqual(yield* quoted, [propertyId, false])
    })
  )
})
