import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { toListingDays } from "../../../../src/connectors/sandbox/listing-calendar.ts"
import { priceStandardRoom } from "../../../../src/connectors/sandbox/order-transitions.ts"
import type { SandboxDay, SandboxListing } from "../../../../src/connectors/sandbox/rows.ts"
import { currencyDecimals } from "../../../../src/contract/fields.ts"
import { addDays } from "../../../../src/contract/time.ts"
import {
  type QuotedProperty,
  quoteListing,
  quoteProperty
} from "../../../../src/domain/bookings/quotes/rules/quote-terms.ts"
import {
  computePercentage,
  priceStay,
  toAmount,
  toUnits
} from "../../../../src/domain/bookings/quotes/rules/stay-price.ts"

const RUNS = 200
const CHECK_IN = "2027-06-01"

const currency = fc.constantFrom("EUR", "JPY", "KWD", "CHF")

/** An amount that the currency can hold. */
const amountIn = (code: string) => fc.integer({ min: 0, max: 5_000_000 }).map((units) => toAmount(BigInt(units), code))

const market = currency.chain((code) =>
  fc.record({
    currency: fc.constant(code),
    prices: fc.array(amountIn(code), { minLength: 1, maxLength: 30 }),
    cleaning: amountIn(code),
    tax: fc.integer({ min: 0, max: 100 }),
    commission: fc.integer({ min: 0, max: 30 }),
    guests: fc.integer({ min: 1, max: 9 })
  })
)

const toRequest = (nightCount: number, guests: number) => ({
  check_in_date: CHECK_IN,
  check_out_date: addDays(CHECK_IN, nightCount),
  number_of_guests: guests,
  nights: Array.from({ length: nightCount }, (_, index) => addDays(CHECK_IN, index)),
  timeZone: "UTC",
  now: new Date("2027-05-01T00:00:00Z")
})

const toProperty = (code: string, cleaning: number, tax: number): QuotedProperty => ({
  property_id: 1,
  currency: code,
  capacity: null,
  fees: [{ name: "Cleaning", amount: cleaning, per: "stay" }],
  taxes: [{ name: "VAT", percent: tax, per: "stay" }],
  is_active: true,
  unavailable: []
})

describe("the price of a stay", () => {
  it("of a listing is to the cent what the sandbox charges for the same prices, fees and taxes", () => {
    fc.assert(
      fc.property(market, ({ currency: code, prices, cleaning, tax, commission, guests }) => {
        const request = toRequest(prices.length, guests)
        const listing: SandboxListing = {
          listing_id: "1",
          title: "Harbour",
          currency: code,
          rooms: 1,
          instant: true,
          commission,
          tax,
          settings: { base_price: 100, cleaning_fee: cleaning },
          version: 1,
          revision: 1
        }
        const days = new Map(
          prices.map((price, index): [string, SandboxDay] => {
            const day = addDays(CHECK_IN, index)
            return [
              day,
              { listing_id: "1", day, price: String(price), offered: 1, taken: 0, sold: 0, restrictions: {} }
            ]
          })
        )
        const room = priceStandardRoom(
          "airbnb",
          listing,
          days,
          { listing_id: "1", ...request, adults: guests, children: 0 },
          "R1"
        )
        const calendar = toListingDays("airbnb", listing, days, { start: CHECK_IN, end: request.check_out_date })
        const property = toProperty(code, cleaning, tax)
        const terms = Result.getOrThrow(
          quoteListing({ currency: code, is_listed: true, settings: {}, property }, calendar, request)
        )
        assert.strictEqual(terms.total, room.rate)
        assert.isTrue(terms.bookable, JSON.stringify(terms.violations))
      }),
      { numRuns: RUNS }
    )
  })

  it("is the exact sum of its nights, fees and taxes", () => {
    const item = (code: string) =>
      fc.oneof(
        fc.record({ name: fc.string(), amount: amountIn(code), per: fc.constantFrom("stay", "night", "guest") }),
        fc.record({
          name: fc.string(),
          percent: fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100),
          per: fc.constantFrom("stay", "night")
        })
      )
    const stay = currency.chain((code) =>
      fc.record({
        currency: fc.constant(code),
        nights: fc.array(fc.bigInt({ min: 0n, max: 10n ** 15n }), { minLength: 1, maxLength: 40 }),
        guests: fc.integer({ min: 1, max: 99 }),
        fees: fc.array(item(code), { maxLength: 20 }),
        taxes: fc.array(item(code), { maxLength: 20 })
      })
    )
    fc.assert(
      fc.property(stay, ({ nights, ...pricing }) => {
        const { fees, taxes, total } = priceStay(nights, pricing)
        const parts = [...nights, ...fees.map(({ units }) => units), ...taxes.map(({ units }) => units)]
        assert.strictEqual(
          parts.reduce((sum, units) => sum + units, 0n),
          total
        )
        assert.isTrue(parts.every((units) => units >= 0n))
        assert.deepStrictEqual([fees.length, taxes.length], [pricing.fees.length, pricing.taxes.length])
      }),
      { numRuns: RUNS }
    )
  })

  it("counts amounts per stay, night or guest, fees in percent on nights, taxes in percent on nights and fees", () => {
    const price = priceStay([10_000n, 20_000n, 5n], {
      currency: "EUR",
      guests: 4,
      fees: [
        { name: "Cleaning", amount: 40, per: "stay" },
        { name: "Heating", amount: 2.5, per: "night" },
        { name: "Towels", amount: 3, per: "guest" },
        { name: "Service", percent: 10, per: "stay" }
      ],
      taxes: [
        { name: "City tax", amount: 1, per: "guest" },
        { name: "VAT", percent: 7.25, per: "night" }
      ]
    })
    assert.deepStrictEqual(
      price.fees.map(({ units }) => units),
      [4_000n, 750n, 1_200n, 3_001n]
    )
    // 7.25 % of 389.56 is 28.2431.
    assert.deepStrictEqual(
      price.taxes.map(({ units }) => units),
      [400n, 2_824n]
    )
    assert.strictEqual(price.total, 30_005n + 8_951n + 3_224n)
  })

  it("rounds a percentage half up, and an amount that a new currency made too precise", () => {
    assert.strictEqual(computePercentage(50n, 1), 1n)
    assert.strictEqual(computePercentage(49n, 1), 0n)
    assert.strictEqual(computePercentage(1_000n, 0.05), 1n)
    assert.strictEqual(toUnits(10.5, "JPY"), 11n)
    assert.strictEqual(currencyDecimals("JPY"), 0)
  })
})

describe("the terms of a quote", () => {
  const day = (date: string, fields: object = {}) => ({
    date,
    price: 100,
    minimum_stay: null,
    maximum_stay: null,
    ...fields
  })
  const rulesOf = (fields: Partial<QuotedProperty>, days: ReadonlyArray<object>, guests = 2) => {
    const request = toRequest(days.length, guests)
    const prices = days.map((each, index) => day(addDays(CHECK_IN, index), each))
    const terms = Result.getOrThrow(quoteProperty({ ...toProperty("EUR", 10, 10), ...fields }, prices, request))
    return [terms.total, terms.violations.map(({ rule }) => rule)]
  }

  it("name each rule that prevents the stay in a property", () => {
    assert.deepStrictEqual(rulesOf({}, [{}, {}]), [231, []])
    assert.deepStrictEqual(rulesOf({ capacity: 2 }, [{}], 2), [121, []])
    assert.deepStrictEqual(rulesOf({ capacity: 2 }, [{}], 3), [121, ["capacity"]])
    assert.deepStrictEqual(rulesOf({ is_active: false }, [{}]), [121, ["inactive_property"]])
    assert.deepStrictEqual(rulesOf({ unavailable: [CHECK_IN] }, [{}]), [121, ["unavailable"]])
    assert.deepStrictEqual(rulesOf({}, [{}, { price: null }]), [null, ["no_price"]])
    assert.deepStrictEqual(rulesOf({}, [{ minimum_stay: 2 }, {}]), [231, []])
    assert.deepStrictEqual(rulesOf({}, [{ minimum_stay: 3 }, {}]), [231, ["minimum_stay"]])
    assert.deepStrictEqual(rulesOf({}, [{ maximum_stay: 1 }, {}]), [231, ["maximum_stay"]])
    // The arrival day decides.
    assert.deepStrictEqual(rulesOf({}, [{}, { minimum_stay: 9 }]), [231, []])
    assert.deepStrictEqual(rulesOf({ is_active: false, capacity: 1 }, [{ minimum_stay: 2, price: null }]), [
      null,
      ["inactive_property", "capacity", "minimum_stay", "no_price"]
    ])
  })

  it("name each restriction of a listing's calendar", () => {
    const request = toRequest(2, 2)
    const property = { ...toProperty("EUR", 0, 0), fees: [] }
    const base = { currency: "EUR", is_listed: true, settings: {}, property }
    const rules = (restrictions: object, fields: object = {}, listing: object = {}) => {
      const calendar = [0, 1, 2].map((index) => ({
        date: addDays(CHECK_IN, index),
        price: 100,
        inventory: 1,
        restrictions,
        ...fields
      }))
      const terms = Result.getOrThrow(quoteListing({ ...base, ...listing }, calendar, request))
      return terms.violations.map(({ rule }) => rule)
    }
    assert.deepStrictEqual(rules({}), [])
    for (const restriction of [
      { closed_on_arrival: true },
      { closed_on_departure: true },
      { min_stay_on_arrival: 3 },
      { max_stay_on_arrival: 1 },
      { min_stay_through: 3 },
      { max_stay_through: 1 },
      { min_advance_reservation: "32D" },
      { max_advance_reservation: "30D" },
      { exact_stay_on_arrival: 1 }
    ]) {
      assert.deepStrictEqual(rules(restriction), Object.keys(restriction))
    }
    assert.deepStrictEqual(
      rules({
        ...{ closed_on_arrival: false, closed_on_departure: false, min_stay_on_arrival: 2, max_stay_on_arrival: 2 },
        ...{ min_stay_through: 2, max_stay_through: 2, min_advance_reservation: "31D", max_advance_reservation: "31D" },
        exact_stay_on_arrival: 2
      }),
      []
    )
    assert.deepStrictEqual(rules({}, { inventory: 0 }), ["unavailable"])
    assert.deepStrictEqual(rules({}, {}, { property: null }), ["unmapped_listing"])
    assert.deepStrictEqual(rules({}, {}, { is_listed: false }), ["unlisted"])
    assert.deepStrictEqual(rules({}, {}, { currency: "CHF" }), [])
    const fees = [{ name: "Cleaning", amount: 40, per: "stay" as const }]
    assert.deepStrictEqual(rules({}, {}, { currency: "CHF", property: { ...property, fees } }), ["currency_mismatch"])
    assert.deepStrictEqual(rules({}, {}, { settings: { minimum_stay: 3, max_guests: 1 } }), [
      "minimum_stay",
      "capacity"
    ])
    assert.deepStrictEqual(rules({}, {}, { settings: { minimum_stay: 2, maximum_stay: 1, max_guests: 2 } }), [
      "maximum_stay"
    ])
  })

  it("have a message with a cure for each rule", () => {
    const request = { ...toRequest(2, 9), now: new Date("2027-07-01T00:00:00Z") }
    const terms = Result.getOrThrow(
      quoteProperty(
        { ...toProperty("EUR", 10, 10), capacity: 1, is_active: false, unavailable: [CHECK_IN] },
        [day(CHECK_IN, { price: null, minimum_stay: 5 }), day(addDays(CHECK_IN, 1))],
        request
      )
    )
    assert.strictEqual(terms.bookable, false)
    assert.lengthOf(terms.violations, 6)
    for (const { message } of terms.violations) assert.match(message, /\. [A-Z][^.]+\.$/)
  })
})
