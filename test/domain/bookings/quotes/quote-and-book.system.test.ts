import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { toBasePriceBody } from "../../../support/domain/bookings/quotes/base-prices.ts"
import { NOW_ISO } from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import { createOperator, insertProperty } from "../../../support/harness.ts"
import { BaseUrl, layerHttpServer } from "../../../support/http-server.ts"

// The whole way over the public API: base prices, fees and taxes, a quote, a reservation at its price.

const STAY = { check_in_date: "2027-06-01", check_out_date: "2027-06-03" }

layer(layerHttpServer())("a quoted stay", (it) => {
  it.effect("is booked once, at the price of the quote", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse(NOW_ISO))
      const url = yield* BaseUrl
      const { operatorId, token } = yield* createOperator()
      const property_id = yield* insertProperty(operatorId, "Harbour 1")
      const send = (method: string, path: string, body?: object) =>
        Effect.promise(async () => {
          const response = await fetch(`${url}/v3${path}`, {
            method,
            headers: { "service-access-token": token, "content-type": "application/json" },
            ...(body === undefined ? {} : { body: JSON.stringify(body) })
          })
          const { error_code, error_msg, data } = JSON.parse(await response.text())
          return { code: error_code, message: error_msg, data }
        })
      const basePrices = toBasePriceBody({ propertyId: property_id, from: STAY.check_in_date, prices: [110, 125] })
      assert.strictEqual((yield* send("POST", "/base_prices", basePrices)).code, 0)
      const prices = {
        currency: "CHF",
        capacity: 2,
        fees: [{ name: "Cleaning", amount: 40.5, per: "stay" }],
        taxes: [
          { name: "VAT", percent: 7.5, per: "stay" },
          { name: "City tax", amount: 2, per: "guest" }
        ]
      }
      assert.strictEqual((yield* send("PATCH", `/properties/${property_id}`, prices)).code, 0)
      const { data: search } = yield* send("GET", `/properties?id=${property_id}`)
      const [record] = search.properties
      assert.deepInclude(record, prices)
      assert.strictEqual((yield* send("PATCH", `/properties/${property_id}`, record)).code, 0)

      const quoted = yield* send("POST", "/quotes", { property_id, ...STAY, number_of_guests: 2 })
      assert.strictEqual(quoted.code, 0, quoted.message)
      const { quote_id, total, currency, bookable } = quoted.data
      // 275.50 for nights and cleaning, 20.66 VAT and 4 city tax.
      assert.deepStrictEqual([total, currency, bookable], [300.16, "CHF", true])

      const reservation = {
        ...{ quote_id, property_id, ...STAY, custom_channel_id: 30, guest_name: "Ada Lovelace" },
        ...{ received_amount: 0, income_method_id: 197 }
      }
      const wrong = yield* send("POST", "/reservations", { ...reservation, rate_amount: 300 })
      assert.deepStrictEqual([wrong.code, wrong.message], [422, "rate_amount: must be 300.16, as in the quote."])
      const booked = yield* send("POST", "/reservations", reservation)
      assert.strictEqual(booked.code, 0, booked.message)
      const code = booked.data.reservation_code
      const { data } = yield* send("GET", `/reservations?reservation_code=${code}`)
      const [{ rates, payment, number_of_guests }] = data.reservations
      assert.deepStrictEqual(rates.total_rate, { currency: "CHF", amount: 300.16 })
      assert.deepStrictEqual(rates.total_commission, { currency: "CHF", amount: 0 })
      assert.deepStrictEqual([payment.total_amount, number_of_guests], [300.16, 2])
      assert.deepStrictEqual(rates.tax, { currency: "CHF", amount: 24.66 })
      const parts = [
        { type: "ACCOMMODATION", description: "Nights", amount: 235, currency: "CHF" },
        { type: "FEE", description: "Cleaning", amount: 40.5, currency: "CHF" },
        { type: "TAXES", description: "VAT", amount: 20.66, currency: "CHF" },
        { type: "TAXES", description: "City tax", amount: 4, currency: "CHF" }
      ]
      assert.deepStrictEqual(rates.details, parts)

      // A commission is one more part. A new rate has no parts.
      const edit = Effect.fnUntraced(function* (change: object) {
        assert.strictEqual((yield* send("PATCH", `/reservations/${code}`, change)).code, 0)
        const edited = yield* send("GET", `/reservations?reservation_code=${code}`)
        return edited.data.reservations[0].rates
      })
      const commission = { type: "HOST_SERVICE_FEE", description: "Commission", amount: 30, currency: "CHF" }
      assert.deepStrictEqual((yield* edit({ commission_amount: 30 })).details, [...parts, commission])
      assert.deepStrictEqual((yield* edit({ commission_amount: 0 })).details, parts)
      const { tax, details } = yield* edit({ rate_amount: 280 })
      assert.deepStrictEqual(
        [tax, details],
        [null, [{ type: "ACCOMMODATION", description: "Nights", amount: 280, currency: "CHF" }]]
      )

      const again = yield* send("POST", "/reservations", reservation)
      assert.strictEqual(again.code, 409)
      assert.match(again.message, /^quote_id: /)
      const after = yield* send("POST", "/quotes", { property_id, ...STAY, number_of_guests: 3 })
      assert.deepStrictEqual(
        after.data.violations.map(({ rule }: { readonly rule: string }) => rule),
        ["unavailable", "capacity"]
      )
    })
  )
})
