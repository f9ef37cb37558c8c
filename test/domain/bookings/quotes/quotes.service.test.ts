import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { addDays } from "../../../../src/contract/time.ts"
import { deleteExpiredQuotes } from "../../../../src/domain/bookings/quotes/retention.ts"
import {
  AMOUNT_MAX,
  AVAILABILITY_END_DAYS,
  AVAILABILITY_START_DAYS,
  GUESTS_MAX,
  QUOTE_LIFETIME_MS,
  QUOTE_RETENTION_MS
} from "../../../../src/platform/limits.ts"
import { setBasePrices } from "../../../support/domain/bookings/quotes/base-prices.ts"
import {
  layerWithoutRateWindows,
  loadReservationRows,
  MANUAL_RESERVATION,
  NOW_ISO,
  prepareOperator,
  TODAY
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import { call, callForResponse, insertOrder } from "../../../support/harness.ts"
import { countStatements } from "../../../support/statement-count.ts"

const STAY = { check_in_date: "2027-05-04", check_out_date: "2027-05-07", number_of_guests: 2 }
const { currency: _c, rate_amount: _r, commission_amount: _a, ...UNPRICED_RESERVATION } = MANUAL_RESERVATION

/** Three nights of 100, 110 and 120, cleaning of 40, towels of 3.50 per guest and 10 % tax: 377 and 37.70. */
const prepareQuotedProperty = Effect.gen(function* () {
  const host = yield* prepareOperator
  const { propertyId, token, api, as } = host
  yield* setBasePrices(token, { propertyId, from: STAY.check_in_date, prices: [100, 110, 120] })
  yield* api
    .update_property({
      id: propertyId,
      capacity: 4,
      fees: [
        { name: "Cleaning", amount: 40, per: "stay" },
        { name: "Towels", amount: 3.5, per: "guest" }
      ],
      taxes: [{ name: "VAT", percent: 10, per: "stay" }]
    })
    .pipe(as)
  const quote = api.create_quote({ property_id: propertyId, ...STAY }).pipe(as)
  const book = (fields: object) =>
    call(token, "create_reservation", { property_id: propertyId, ...UNPRICED_RESERVATION, ...fields })
  const rulesOf = (fields: object = {}) =>
    Effect.map(api.create_quote({ property_id: propertyId, ...STAY, ...fields }).pipe(as), ({ violations }) =>
      violations.map(({ rule }) => rule)
    )
  return { ...host, quote, book, rulesOf }
})

const statusAndText = ({ error_code, error_msg }: { readonly error_code: number; readonly error_msg: string }) =>
  `${error_code} ${error_msg}`

layer(layerWithoutRateWindows, { excludeTestServices: false })("a quote", (it) => {
  it.effect("of a property has its base prices, fees and taxes, and expires", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId, quote } = yield* prepareQuotedProperty
      const [{ quote_id, ...terms }, statements] = yield* countStatements(quote)
      assert.isAtMost(statements, 3, "the token, the property and the quote")
      assert.match(quote_id, /^[0-9a-z]{26}$/)
      assert.deepStrictEqual(terms, {
        property_id: propertyId,
        currency: "EUR",
        nights: [
          { date: "2027-05-04", price: 100 },
          { date: "2027-05-05", price: 110 },
          { date: "2027-05-06", price: 120 }
        ],
        fees: [
          { name: "Cleaning", amount: 40 },
          { name: "Towels", amount: 7 }
        ],
        taxes: [{ name: "VAT", amount: 37.7 }],
        total: 414.7,
        bookable: true,
        violations: [],
        expires_at: "2027-04-20T10:30:00Z"
      })
      const sql = yield* SqlClient.SqlClient
      const trail = yield* sql<{ record: string }>`
        SELECT record FROM trail WHERE operator_id = ${operatorId} AND operation = 'create_quote'`
      assert.lengthOf(trail, 1)
      assert.match(trail[0]?.record ?? "", /^quote:\d+$/)
    })
  )

  it.effect("has the value of the room type where the property has none, field by field", () =>
    Effect.gen(function* () {
      const { api, as, token, propertyId, rulesOf } = yield* prepareQuotedProperty
      const { room_type_id: roomTypeId } = yield* api
        .create_room_type({ title: "Double", property_ids: [propertyId] })
        .pipe(as)
      const from = STAY.check_in_date
      yield* setBasePrices(token, { roomTypeId, from, prices: [70, 70, 70, 70], minimumStay: 4 })
      const { nights } = yield* api
        .create_quote({ property_id: propertyId, ...STAY, check_out_date: "2027-05-08" })
        .pipe(as)
      assert.deepStrictEqual(
        nights.map(({ price }) => price),
        [100, 110, 120, 70]
      )
      assert.deepStrictEqual(yield* rulesOf(), ["minimum_stay"])
    })
  )

  it.effect("does not have the price of a room type with another currency", () =>
    Effect.gen(function* () {
      const { api, as, token, propertyId, secondPropertyId } = yield* prepareQuotedProperty
      const { room_type_id: roomTypeId } = yield* api
        .create_room_type({ title: "Double", property_ids: [propertyId, secondPropertyId] })
        .pipe(as)
      yield* setBasePrices(token, { roomTypeId, from: STAY.check_in_date, prices: [70, 70, 70, 70] })
      yield* api.update_property({ id: propertyId, currency: "USD" }).pipe(as)
      const { nights, currency } = yield* api
        .create_quote({ property_id: propertyId, ...STAY, check_out_date: "2027-05-08" })
        .pipe(as)
      assert.strictEqual(currency, "USD")
      assert.deepStrictEqual(
        nights.map(({ price }) => price),
        [100, 110, 120, null]
      )
    })
  )

  it.effect("returns every reason that prevents the stay", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId, rulesOf, token } = yield* prepareQuotedProperty
      assert.deepStrictEqual(yield* rulesOf({ number_of_guests: 4 }), [])
      assert.deepStrictEqual(yield* rulesOf({ number_of_guests: 5 }), ["capacity"])
      assert.deepStrictEqual(yield* rulesOf({ check_out_date: "2027-05-08" }), ["no_price"])
      assert.deepStrictEqual(yield* rulesOf({ check_in_date: "2027-04-19", check_out_date: "2027-04-20" }), [
        "past_check_in",
        "no_price"
      ])
      yield* insertOrder(operatorId, [{ propertyId, checkIn: "2027-05-06", checkOut: "2027-05-09" }])
      assert.deepStrictEqual(yield* rulesOf(), ["unavailable"])
      assert.deepStrictEqual(yield* rulesOf({ check_out_date: "2027-05-06" }), [])
      yield* call(token, "update_availabilities", {
        property_ids: [propertyId],
        available: false,
        start_date: "2027-05-04",
        end_date: "2027-05-04"
      })
      const { violations } = yield* api.create_quote({ property_id: propertyId, ...STAY }).pipe(as)
      assert.deepStrictEqual(violations, [
        {
          rule: "unavailable",
          message: "The property is not available for the night of 2027-05-04 and 1 other. Choose other nights."
        }
      ])
      yield* api.update_property({ id: propertyId, is_active: false }).pipe(as)
      assert.include(yield* rulesOf(), "inactive_property")
    })
  )

  it.effect("is rejected for an invalid call, and nothing is stored", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId, token } = yield* prepareQuotedProperty
      const other = yield* prepareOperator
      const property = { property_id: propertyId }
      const listing = { channel_type: "airbnb", listing_id: "1" }
      const [first, last] = [addDays(TODAY, -AVAILABILITY_START_DAYS), addDays(TODAY, AVAILABILITY_END_DAYS)]
      const cases = [
        ["400 property_id: is required, unless channel_type and listing_id are sent.", {}],
        ["400 property_id: must not be sent", { ...property, ...listing }],
        ["400 listing_id: is required with channel_type.", { channel_type: "airbnb" }],
        ["400 channel_type: is required with listing_id.", { listing_id: "1" }],
        ["422 channel_type: must be one of", { ...listing, channel_type: "couchsurfing" }],
        ["404 listing_id: no such listing.", listing],
        ["404 property_id: no such property.", { property_id: other.propertyId }],
        ["422 check_out_date: must be after check_in_date.", { ...property, check_out_date: STAY.check_in_date }],
        ["422 check_in_date: must be at most", { ...property, check_in_date: addDays(first, -1) }],
        ["422 check_out_date: must be at most", { ...property, check_out_date: addDays(last, 1) }],
        ["400 check_in_date: must be a date", { ...property, check_in_date: "May" }],
        ["400 number_of_guests: must be a number.", { ...property, number_of_guests: "two" }],
        ["400 guests: is an unknown field.", { ...property, guests: 2 }],
        ["422 number_of_guests: must be", { ...property, number_of_guests: 0 }],
        ["422 number_of_guests: must be", { ...property, number_of_guests: GUESTS_MAX + 1 }]
      ] as const
      for (const [text, fields] of cases) {
        const response = statusAndText(yield* call(token, "create_quote", { ...STAY, ...fields }))
        assert.isTrue(response.startsWith(text), `${response}, not ${text}`)
      }
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`SELECT id FROM quotes WHERE operator_id = ${operatorId}`, [])
      const largest = [
        { ...property, check_in_date: first, check_out_date: addDays(first, 1), number_of_guests: GUESTS_MAX },
        { ...property, check_in_date: addDays(last, -1), check_out_date: last }
      ]
      for (const fields of largest) {
        assert.strictEqual((yield* call(token, "create_quote", { ...STAY, ...fields })).error_code, 0)
      }
    })
  )

  it.effect("is refused if its total is above the largest amount", () =>
    Effect.gen(function* () {
      const { propertyId, token } = yield* prepareOperator
      const from = STAY.check_in_date
      yield* setBasePrices(token, { propertyId, from, prices: [AMOUNT_MAX, 1] })
      const quote = (nights: number) =>
        call(token, "create_quote", { property_id: propertyId, ...STAY, check_out_date: addDays(from, nights) })
      assert.strictEqual((yield* quote(1)).error_code, 0)
      assert.strictEqual(
        statusAndText(yield* quote(2)),
        `422 check_out_date: the stay costs more than ${AMOUNT_MAX}. Choose fewer nights.`
      )
    })
  )

  it.effect("is created once for an idempotency key", () =>
    Effect.gen(function* () {
      const { propertyId, token } = yield* prepareQuotedProperty
      const quote = callForResponse(token, "create_quote", { property_id: propertyId, ...STAY }, "one-quote")
      const first = (yield* quote).envelope
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual((yield* quote).envelope.data, first.data)
      assert.strictEqual(first.error_code, 0)
    })
  )

  it.effect("gives a reservation its price, currency and guests, in the usual number of statements", () =>
    Effect.gen(function* () {
      const { api, as, book, quote, operatorId } = yield* prepareQuotedProperty
      const { quote_id } = yield* quote
      const [created, statements] = yield* countStatements(book({ quote_id, channel_id: "Q1" }))
      assert.strictEqual(created.error_code, 0, created.error_msg)
      assert.isAtMost(statements, 3, "the token, the quote and the order")
      const { reservations } = yield* api.search_reservations({ reservation_code: "5-Q1" }).pipe(as)
      const [row] = reservations
      assert.deepStrictEqual(
        [row?.rates.total_rate, row?.rates.total_commission, row?.number_of_guests],
        [{ currency: "EUR", amount: 414.7 }, { currency: "EUR", amount: 0 }, 2]
      )
      const sql = yield* SqlClient.SqlClient
      const stored = yield* sql<{ reservation_code: string; used: boolean }>`
        SELECT reservation_code, used_at = ${new Date(NOW_ISO)} AS used FROM quotes WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(stored, [{ reservation_code: "5-Q1", used: true }])
      // A repeated call returns its reservation without a check of the quote.
      assert.strictEqual((yield* book({ quote_id, channel_id: "Q1" })).error_code, 0)
      assert.strictEqual(
        statusAndText(yield* book({ quote_id, check_in_date: "2027-05-04" })),
        "409 quote_id: the quote has been used for a reservation. Create another quote."
      )
    })
  )

  it.effect("sets the values of the reservation, and rejects others without a change", () =>
    Effect.gen(function* () {
      const { book, operatorId, quote, secondPropertyId } = yield* prepareQuotedProperty
      const { quote_id } = yield* quote
      const before = yield* loadReservationRows(operatorId)
      const cases = [
        ["422 property_id: ", { property_id: secondPropertyId }],
        ["422 check_in_date: must be 2027-05-04, as in the quote.", { check_in_date: "2027-05-05" }],
        ["422 check_out_date: must be 2027-05-07, as in the quote.", { check_out_date: "2027-05-08" }],
        ["422 rate_amount: must be 414.7, as in the quote.", { rate_amount: 414.71 }],
        ["422 currency: must be EUR, as in the quote.", { currency: "CHF" }],
        ["422 commission_amount: must be 0, as in the quote.", { commission_amount: 1 }],
        ["422 number_of_guests: must be at most 2, as in the quote.", { number_of_guests: 3 }],
        ["404 quote_id: no such quote.", { quote_id: `${quote_id}x` }],
        ["404 property_id: no such property.", { property_id: 2 ** 50 }]
      ] as const
      for (const [text, fields] of cases) {
        const response = statusAndText(yield* book({ quote_id, ...fields }))
        assert.isTrue(response.startsWith(text), `${response}, not ${text}`)
      }
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
      const same = { rate_amount: 414.7, currency: "EUR", commission_amount: 0, number_of_guests: 1 }
      assert.strictEqual((yield* book({ quote_id, ...same })).error_code, 0)
    })
  )

  it.effect("cannot be used by another operator, after its expiry, or with a violation", () =>
    Effect.gen(function* () {
      const { book, operatorId, propertyId, quote, api, as } = yield* prepareQuotedProperty
      const other = yield* prepareQuotedProperty
      const { quote_id } = yield* quote
      assert.strictEqual(statusAndText(yield* other.book({ quote_id })), "404 quote_id: no such quote.")
      const unbookable = yield* api.create_quote({ property_id: propertyId, ...STAY, number_of_guests: 5 }).pipe(as)
      assert.strictEqual(
        statusAndText(yield* book({ quote_id: unbookable.quote_id })),
        "409 quote_id: the quote does not allow the stay (capacity). Create another quote."
      )
      yield* TestClock.adjust(QUOTE_LIFETIME_MS)
      assert.strictEqual(
        statusAndText(yield* book({ quote_id })),
        "409 quote_id: the quote has expired. Create another quote."
      )
      const sql = yield* SqlClient.SqlClient
      const countQuotes = Effect.map(
        sql`SELECT id FROM quotes WHERE operator_id = ${operatorId}`,
        (rows) => rows.length
      )
      const now = Date.parse(NOW_ISO) + QUOTE_LIFETIME_MS
      yield* deleteExpiredQuotes(new Date(now + QUOTE_RETENTION_MS - 1))
      assert.strictEqual(yield* countQuotes, 2)
      yield* deleteExpiredQuotes(new Date(now + QUOTE_RETENTION_MS))
      assert.strictEqual(yield* countQuotes, 0)
      assert.strictEqual(statusAndText(yield* book({ quote_id })), "404 quote_id: no such quote.")
    })
  )

  it.effect("makes one reservation if many calls use it at once", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId, quote, token } = yield* prepareQuotedProperty
      const { quote_id } = yield* quote
      const codes = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, index) => index),
        () =>
          Effect.map(
            call(token, "create_reservation", { property_id: propertyId, ...UNPRICED_RESERVATION, quote_id }),
            ({ error_code }) => error_code
          ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(codes.toSorted(), [0, ...Array.from({ length: 11 }, () => 409)])
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`SELECT id FROM orders WHERE operator_id = ${operatorId}`, 1)
    })
  )

  it.effect("stays unused if the reservation fails", () =>
    Effect.gen(function* () {
      const { book, operatorId, propertyId, quote } = yield* prepareQuotedProperty
      const { quote_id } = yield* quote
      yield* insertOrder(operatorId, [{ propertyId, checkIn: "2027-05-06", checkOut: "2027-05-09" }])
      assert.strictEqual(
        statusAndText(yield* book({ quote_id })),
        "409 check_in_date: the property is not free on all of these nights."
      )
      assert.strictEqual((yield* book({ quote_id, income_method_id: 1 })).error_code, 422)
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`SELECT id FROM quotes WHERE operator_id = ${operatorId} AND used_at IS NULL`, 1)
    })
  )

  it.effect("leaves the errors of a reservation without a quote as they are", () =>
    Effect.gen(function* () {
      const { token, propertyId } = yield* prepareOperator
      const reservation = { property_id: propertyId, ...UNPRICED_RESERVATION }
      const missing = "currency: is required. rate_amount: is required. commission_amount: is required."
      for (const quote of [{}, { quote_id: null }]) {
        assert.strictEqual(
          statusAndText(yield* call(token, "create_reservation", { ...reservation, ...quote })),
          `400 ${missing}`
        )
      }
      const response = statusAndText(yield* call(token, "create_reservation", { ...reservation, guest_name: 1 }))
      assert.strictEqual(response, `400 guest_name: must be a text. ${missing}`)
    })
  )
})
