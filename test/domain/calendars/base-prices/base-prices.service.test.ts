import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { addDays } from "../../../../src/contract/time.ts"
import { listingPriceSql } from "../../../../src/domain/calendars/base-prices/price-pushes.ts"
import {
  AMOUNT_MAX,
  AVAILABILITY_END_DAYS,
  AVAILABILITY_START_DAYS,
  BASE_PRICE_LISTINGS_MAX,
  LISTING_RANGES_MAX,
  QUEUED_LISTING_PUSHES_MAX,
  RATIO_MAX,
  STAY_NIGHTS
} from "../../../../src/platform/limits.ts"
import {
  listing,
  loadPrices,
  loadRestrictions,
  MAY,
  prepareHost,
  pushAll
} from "../../../support/domain/calendars/base-prices/price-host.ts"
import {
  layerPushService,
  loadListingUpdates,
  NOW,
  TODAY
} from "../../../support/domain/calendars/listing-calendars/push-service.ts"
import { createHostClient } from "../../../support/domain/host-client.ts"
import { loadAuditRecordLines } from "../../../support/domain/listings/listing-events.ts"
import { call, insertProperty } from "../../../support/harness.ts"
import { insertChannelAccount, insertListing } from "../../../support/listings.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"
import { countStatements } from "../../../support/statement-count.ts"

layer(layerPushService)("base prices", (it) => {
  it.effect("reach the mapped listings times their ratio, and are read back", () =>
    Effect.gen(function* () {
      const { setBasePrices, plain, listingWithRatio, operatorId, account, propertyId, api, as } = yield* prepareHost
      const readonly = yield* insertListing(operatorId, account, { propertyId, isReadOnly: true })
      const dollars = yield* insertListing(operatorId, account, { propertyId, currency: "USD" })
      const unmapped = yield* insertListing(operatorId, account)
      const disconnectedAccount = yield* insertChannelAccount(operatorId, {
        channelType: "vrbo",
        authStatus: "disconnected"
      })
      const disconnected = yield* insertListing(operatorId, disconnectedAccount, { propertyId, channelType: "vrbo" })
      const { data, ...envelope } = yield* setBasePrices(
        { ...MAY, price: 101, minimum_stay: 2 },
        { ...MAY, weekdays: [6, 7], price: 151 }
      )
      assert.strictEqual(envelope.error_code, 0)
      assert.deepStrictEqual(data, {
        pushed: [listing(plain), listing(listingWithRatio)],
        skipped: [
          { ...listing(readonly), reason: "readonly" },
          { ...listing(dollars), reason: "currency" },
          { ...listing(unmapped), reason: "no_mapping" },
          { ...listing(disconnected, "vrbo"), reason: "disconnected" }
        ]
      })
      yield* pushAll
      // 2027-05-01 is a Saturday.
      assert.deepStrictEqual(yield* loadPrices(plain), ["2027-05-01..2027-05-02 151, 2027-05-03..2027-05-04 101"])
      assert.deepStrictEqual(yield* loadPrices(listingWithRatio), [
        "2027-05-01..2027-05-02 166, 2027-05-03..2027-05-04 111"
      ])
      assert.deepStrictEqual(yield* loadRestrictions(plain), [{ ...MAY, min_stay_on_arrival: 2 }])
      assert.deepStrictEqual(yield* loadPrices(readonly), [])
      const read = yield* api
        .get_base_prices({ property_id: propertyId, start_date: "2027-05-02", end_date: "2027-05-05" })
        .pipe(as)
      const day = { minimum_stay: 2, maximum_stay: null }
      assert.deepStrictEqual(read, {
        currency: "EUR",
        days: [
          { date: "2027-05-02", price: 151, ...day },
          { date: "2027-05-03", price: 101, ...day },
          { date: "2027-05-04", price: 101, ...day },
          { date: "2027-05-05", price: null, minimum_stay: null, maximum_stay: null }
        ]
      })
      assert.include(yield* loadAuditRecordLines(operatorId), `property:${propertyId} base_prices`)
    })
  )

  it.effect("are pushed for changed days only, and a cleared day keeps its price on the channel", () =>
    Effect.gen(function* () {
      const { setBasePrices, plain, listingWithRatio, api, as, propertyId } = yield* prepareHost
      yield* setBasePrices({ ...MAY, price: 100 })
      const same = yield* setBasePrices({ ...MAY, price: 100 })
      assert.deepStrictEqual(same.data, { pushed: [], skipped: [] })
      const oneDay = { start_date: "2027-05-03", end_date: "2027-05-03" }
      assert.deepStrictEqual((yield* setBasePrices({ ...MAY, price: 100 }, { ...oneDay, price: 120 })).data, {
        pushed: [listing(plain), listing(listingWithRatio)],
        skipped: []
      })
      assert.deepStrictEqual((yield* setBasePrices({ ...oneDay, price: null })).data, { pushed: [], skipped: [] })
      const { days } = yield* api
        .get_base_prices({ property_id: propertyId, start_date: "2027-05-03", end_date: "2027-05-04" })
        .pipe(as)
      assert.deepStrictEqual(
        days.map(({ price }) => price),
        [null, 100]
      )
      yield* pushAll
      assert.deepStrictEqual(yield* loadPrices(plain), ["2027-05-01..2027-05-04 100", "2027-05-03..2027-05-03 120"])
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`SELECT FROM base_prices WHERE property_id = ${propertyId}`
      assert.strictEqual(rows.length, 3)
    })
  )

  it.effect("are pushed again with a new ratio, which leaves out direct prices", () =>
    Effect.gen(function* () {
      const { setBasePrices, setMapping, plain, token } = yield* prepareHost
      yield* setBasePrices({ ...MAY, price: 100 })
      const direct = { start_date: "2027-05-02", end_date: "2027-05-02", price: 77 }
      yield* call(token, "update_listing_prices", { ...listing(plain), prices: [direct] })
      yield* setMapping(plain, { ratio: 120 })
      // The same again is no change.
      yield* setMapping(plain, { ratio: 120 })
      yield* setBasePrices({ ...MAY, price: 100 })
      yield* setBasePrices({ ...MAY, price: 90 })
      yield* setMapping(plain, { ratio: 100 })
      yield* setMapping(plain, { readonly: true })
      yield* setBasePrices({ ...MAY, price: 80 })
      yield* setMapping(plain, { readonly: false })
      yield* pushAll
      assert.deepStrictEqual(yield* loadPrices(plain), [
        "2027-05-01..2027-05-04 100",
        "2027-05-02..2027-05-02 77",
        "2027-05-01..2027-05-01 120, 2027-05-03..2027-05-04 120",
        "2027-05-01..2027-05-04 108",
        "2027-05-01..2027-05-04 90",
        "2027-05-01..2027-05-04 80"
      ])
    })
  )

  it.effect(
    "that a read-only listing missed reach it afterwards, with stay lengths and in place of direct prices",
    () =>
      Effect.gen(function* () {
        const { setBasePrices, setMapping, plain, token } = yield* prepareHost
        yield* setBasePrices({ ...MAY, price: 100 })
        const direct = { start_date: "2027-05-02", end_date: "2027-05-03", price: 77 }
        yield* call(token, "update_listing_prices", { ...listing(plain), prices: [direct] })
        yield* setMapping(plain, { readonly: true })
        yield* setBasePrices({ start_date: "2027-05-01", end_date: "2027-05-02", price: 80, minimum_stay: 3 })
        yield* setMapping(plain, { readonly: false })
        yield* pushAll
        // The base price of the second day has changed meanwhile, and that of the third day has not.
        assert.deepStrictEqual(
          (yield* loadPrices(plain)).at(-1),
          "2027-05-01..2027-05-02 80, 2027-05-04..2027-05-04 100"
        )
        assert.deepStrictEqual(yield* loadRestrictions(plain), [
          { start_date: "2027-05-01", end_date: "2027-05-02", min_stay_on_arrival: 3 }
        ])
      })
  )

  it.effect("queue nothing for a new ratio if every day has a direct price", () =>
    Effect.gen(function* () {
      const { setBasePrices, setMapping, plain, token } = yield* prepareHost
      yield* setBasePrices({ ...MAY, price: 100 })
      yield* call(token, "update_listing_prices", { ...listing(plain), prices: [{ ...MAY, price: 70 }] })
      yield* setMapping(plain, { ratio: 120 })
      const sql = yield* SqlClient.SqlClient
      const [lane] = yield* sql<{ waiting: number; pushes: number }>`
        SELECT waiting, (SELECT count(*)::integer FROM listing_pushes p WHERE p.listing_row = lane.listing_row) AS pushes
        FROM listing_lanes lane WHERE listing_row = (SELECT id FROM listings WHERE listing_id = ${plain})`
      assert.deepStrictEqual(lane, { waiting: 2, pushes: 2 })
      yield* pushAll
      assert.deepStrictEqual(yield* loadPrices(plain), ["2027-05-01..2027-05-04 100", "2027-05-01..2027-05-04 70"])
    })
  )

  it.effect("go to a newly mapped listing, with stay lengths, from today on", () =>
    Effect.gen(function* () {
      const { setBasePrices, setMapping, operatorId, account, propertyId, token } = yield* prepareHost
      yield* setBasePrices({ start_date: TODAY, end_date: "2027-04-22", price: 100, maximum_stay: 9 })
      const added = yield* insertListing(operatorId, account, { ratio: 50 })
      yield* call(token, "update_listing_prices", {
        ...listing(added),
        prices: [{ start_date: TODAY, end_date: "2027-04-22", price: 7 }]
      })
      yield* TestClock.setTime(NOW + 24 * 60 * 60 * 1000)
      yield* setMapping(added, { property_id: propertyId })
      yield* pushAll
      yield* setMapping(added, { property_id: null, room_type_id: null })
      yield* pushAll
      assert.deepStrictEqual(yield* loadPrices(added), ["2027-04-20..2027-04-22 7", "2027-04-21..2027-04-22 50"])
      assert.deepStrictEqual(yield* loadRestrictions(added), [
        { start_date: "2027-04-21", end_date: "2027-04-22", max_stay_on_arrival: 9 }
      ])
    })
  )

  it.effect("of a room type go to its listings, and to those of its properties without an own price", () =>
    Effect.gen(function* () {
      const { setBasePrices, operatorId, account, propertyId, plain, listingWithRatio, api, as, token } =
        yield* prepareHost
      const { room_type_id } = yield* api.create_room_type({ title: "Double", property_ids: [propertyId] }).pipe(as)
      const shared = yield* insertListing(operatorId, account, { roomTypeId: room_type_id })
      const own = yield* setBasePrices({
        start_date: "2027-05-01",
        end_date: "2027-05-02",
        price: 200,
        minimum_stay: 3
      })
      assert.deepStrictEqual(own.data, {
        pushed: [listing(plain), listing(listingWithRatio)],
        skipped: [{ ...listing(shared), reason: "no_mapping" }]
      })
      const setShared = (...ranges: ReadonlyArray<object>) => call(token, "set_base_prices", { room_type_id, ranges })
      const { data } = yield* setShared({ ...MAY, price: 100 })
      assert.deepStrictEqual(data, {
        pushed: [listing(plain), listing(listingWithRatio), listing(shared)],
        skipped: []
      })
      // The property falls back to its room type.
      yield* setBasePrices({ start_date: "2027-05-01", end_date: "2027-05-01", price: null })
      yield* pushAll
      assert.deepStrictEqual(yield* loadPrices(shared), ["2027-05-01..2027-05-04 100"])
      assert.deepStrictEqual(yield* loadPrices(plain), [
        "2027-05-01..2027-05-02 200",
        "2027-05-03..2027-05-04 100",
        "2027-05-01..2027-05-01 100"
      ])
      const range = { start_date: "2027-05-01", end_date: "2027-05-03" }
      const read = yield* api.get_base_prices({ property_id: propertyId, ...range }).pipe(as)
      assert.deepStrictEqual(
        read.days.map(({ price, minimum_stay }) => [price, minimum_stay]),
        [
          [100, 3],
          [200, 3],
          [100, null]
        ]
      )
      const refused = yield* setShared({ ...MAY, maximum_stay: 2 })
      assert.deepStrictEqual(
        [refused.error_code, refused.error_msg],
        [422, "ranges[0].maximum_stay: must not be below minimum_stay on 2027-05-01."]
      )
    })
  )

  it.effect("are not taken from a room type with another currency", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId, plain, api, as, token } = yield* prepareHost
      const sql = yield* SqlClient.SqlClient
      const other = yield* insertProperty(operatorId, "Harbour 2")
      yield* sql`UPDATE properties SET currency = 'USD' WHERE id = ${propertyId}`
      const { room_type_id } = yield* api
        .create_room_type({ title: "Double", property_ids: [propertyId, other] })
        .pipe(as)
      const ranges = [{ ...MAY, price: 100, minimum_stay: 2 }]
      const { data } = yield* call(token, "set_base_prices", { room_type_id, ranges })
      const mine = yield* api.get_base_prices({ property_id: propertyId, ...MAY }).pipe(as)
      assert.deepStrictEqual([mine.currency, mine.days[0]?.price, mine.days[0]?.minimum_stay], ["USD", null, 2])
      const type = yield* api.get_base_prices({ room_type_id, ...MAY }).pipe(as)
      assert.deepStrictEqual([type.currency, type.days[0]?.price], ["EUR", 100])
      // Stay lengths have no currency, but a listing of another currency is skipped as a whole.
      assert.deepInclude(data, { pushed: [] })
      yield* pushAll
      assert.deepStrictEqual(yield* loadRestrictions(plain), [])
      yield* sql`UPDATE properties SET currency = 'USD' WHERE id = ${other}`
      const same = yield* api.get_base_prices({ property_id: propertyId, ...MAY }).pipe(as)
      assert.deepStrictEqual([same.currency, same.days[0]?.price], ["USD", 100])
    })
  )

  it.effect("of a room type do not depend on the currencies of other room types", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId, api, as, token } = yield* prepareHost
      const sql = yield* SqlClient.SqlClient
      const other = yield* insertProperty(operatorId, "Harbour 2")
      yield* sql`UPDATE properties SET currency = 'USD' WHERE id = ${other}`
      yield* api.create_room_type({ title: "Single", property_ids: [propertyId] }).pipe(as)
      const { room_type_id } = yield* api.create_room_type({ title: "Double", property_ids: [other] }).pipe(as)
      yield* call(token, "set_base_prices", { room_type_id, ranges: [{ ...MAY, price: 100 }] })
      for (const target of [{ room_type_id }, { property_id: other }]) {
        const { currency, days } = yield* api.get_base_prices({ ...target, ...MAY }).pipe(as)
        assert.deepStrictEqual([currency, days[0]?.price], ["USD", 100])
      }
    })
  )

  it.effect("of a room type name the listings of properties that have another currency", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId, account, plain, listingWithRatio, setBasePrices, api, as, token } =
        yield* prepareHost
      const sql = yield* SqlClient.SqlClient
      const other = yield* insertProperty(operatorId, "Harbour 2")
      const dollars = yield* insertListing(operatorId, account, { propertyId: other, currency: "USD" })
      const { room_type_id } = yield* api
        .create_room_type({ title: "Double", property_ids: [propertyId, other] })
        .pipe(as)
      yield* sql`UPDATE properties SET currency = 'USD' WHERE id = ${other}`
      const setShared = (range: object) =>
        Effect.map(call(token, "set_base_prices", { room_type_id, ranges: [{ ...MAY, ...range }] }), ({ data }) => data)
      const skipped = [{ ...listing(dollars), reason: "currency" }]
      assert.deepStrictEqual(yield* setShared({ price: 100 }), {
        pushed: [listing(plain), listing(listingWithRatio)],
        skipped
      })
      assert.deepStrictEqual(yield* setShared({ price: 100 }), { pushed: [], skipped: [] })
      // Stay lengths have no currency.
      assert.deepInclude(yield* setShared({ price: 110, minimum_stay: 2 }), {
        pushed: [listing(plain), listing(listingWithRatio), listing(dollars)],
        skipped: []
      })
      assert.deepStrictEqual(yield* setShared({ price: null }), { pushed: [], skipped: [] })
      // A property that has a price of its own misses nothing.
      yield* call(token, "set_base_prices", { property_id: other, ranges: [{ ...MAY, price: 90 }] })
      assert.deepInclude(yield* setShared({ price: 120 }), { skipped: [] })
      // Prices of a property without a room type are not concerned.
      assert.deepStrictEqual((yield* setBasePrices({ ...MAY, price: 130 })).data, {
        pushed: [listing(plain), listing(listingWithRatio)],
        skipped: []
      })
    })
  )

  it.effect("push stay lengths only where the channel supports them", () =>
    Effect.gen(function* () {
      const { setBasePrices, operatorId, propertyId, plain, listingWithRatio } = yield* prepareHost
      const account = yield* insertChannelAccount(operatorId, { channelType: "vrbo" })
      const vrbo = yield* insertListing(operatorId, account, { propertyId, channelType: "vrbo" })
      const tujia = yield* insertListing(operatorId, account, { propertyId, channelType: "tujia" })
      const stays = yield* setBasePrices({ ...MAY, minimum_stay: 2 })
      assert.deepStrictEqual(stays.data, {
        pushed: [listing(plain), listing(listingWithRatio)],
        skipped: [
          { ...listing(vrbo, "vrbo"), reason: "unsupported" },
          { ...listing(tujia, "tujia"), reason: "unsupported" }
        ]
      })
      const prices = yield* setBasePrices({ ...MAY, price: 100, maximum_stay: 5 })
      assert.deepStrictEqual(prices.data, {
        pushed: [listing(plain), listing(listingWithRatio), listing(vrbo, "vrbo")],
        skipped: [{ ...listing(tujia, "tujia"), reason: "unsupported" }]
      })
      yield* pushAll
      assert.deepStrictEqual(yield* loadRestrictions(vrbo), [])
      assert.deepStrictEqual(yield* loadRestrictions(plain), [
        { ...MAY, min_stay_on_arrival: 2 },
        { ...MAY, max_stay_on_arrival: 5 }
      ])
    })
  )

  it.effect("are not changed by an invalid call, whose error names the field", () =>
    Effect.gen(function* () {
      const { token, propertyId, setBasePrices } = yield* prepareHost
      const otherHost = yield* createHostClient()
      const sql = yield* SqlClient.SqlClient
      const findRejection = Effect.fnUntraced(function* (input: object, as = token) {
        const { error_code, error_msg } = yield* call(as, "set_base_prices", {
          ranges: [{ ...MAY, price: 1 }],
          ...input
        })
        return `${error_code} ${error_msg}`
      })
      const property_id = propertyId
      assert.match(yield* findRejection({}), /^400 property_id, room_type_id: give one/)
      assert.match(
        yield* findRejection({ property_id, room_type_id: 1 }),
        /^400 property_id, room_type_id: conflicting/
      )
      assert.strictEqual(yield* findRejection({ property_id }, otherHost.token), "404 property_id: no such property.")
      assert.strictEqual(yield* findRejection({ room_type_id: 987_654 }), "404 room_type_id: no such room type.")
      const rejectRange = (range: object) => findRejection({ property_id, ranges: [{ ...MAY, price: 1, ...range }] })
      const last = addDays(TODAY, AVAILABILITY_END_DAYS)
      assert.match(yield* rejectRange({ end_date: addDays(last, 1) }), /^422 ranges\[0\]\.end_date: /)
      assert.match(yield* rejectRange({ start_date: addDays(TODAY, -1) }), /^422 ranges\[0\]\.start_date: .*today/)
      for (const weekday of [0, 8])
        assert.match(yield* rejectRange({ weekdays: [weekday] }), /^422 ranges\[0\]\.weekdays/)
      assert.match(yield* rejectRange({ weekdays: [] }), /^422 ranges\[0\]\.weekdays/)
      assert.match(yield* rejectRange({ weekdays: [1, 2, 3, 4, 5, 6, 7, 1] }), /^422 ranges\[0\]\.weekdays/)
      for (const price of [0, AMOUNT_MAX + 1]) assert.match(yield* rejectRange({ price }), /^422 ranges\[0\]\.price/)
      assert.strictEqual(yield* rejectRange({ prise: 2 }), "400 ranges[0].prise: is an unknown field.")
      assert.strictEqual(yield* findRejection({ property_id, price: 2 }), "400 price: is an unknown field.")
      assert.match(yield* rejectRange({ price: 1.5 }), /^400 ranges\[0\]\.price/)
      for (const minimum_stay of [0, STAY_NIGHTS + 1])
        assert.match(yield* rejectRange({ minimum_stay }), /^422 ranges\[0\]\.minimum_stay/)
      const range = { ...MAY, price: 1 }
      const many = Array.from({ length: LISTING_RANGES_MAX }, () => range)
      assert.match(yield* findRejection({ property_id, ranges: [] }), /^422 ranges: /)
      assert.match(yield* findRejection({ property_id, ranges: [...many, range] }), /^422 ranges: /)
      const rows = yield* sql`SELECT FROM base_prices WHERE property_id = ${propertyId}`
      assert.strictEqual(rows.length, 0)
      assert.strictEqual((yield* setBasePrices(...many)).error_code, 0)
      const whole = { start_date: TODAY, end_date: last, price: AMOUNT_MAX, minimum_stay: STAY_NIGHTS }
      assert.strictEqual((yield* setBasePrices(whole)).error_code, 0)
      assert.match(
        (yield* setBasePrices({ ...MAY, maximum_stay: 3 })).error_msg,
        /^ranges\[0\]\.maximum_stay: .*2027-05-01/
      )
      const read = (fields: object) => call(token, "get_base_prices", { property_id, ...MAY, ...fields })
      assert.match((yield* read({ end_date: "2027-04-30" })).error_msg, /^start_date: /)
      const first = addDays(TODAY, -AVAILABILITY_START_DAYS)
      assert.match((yield* read({ start_date: addDays(first, -1) })).error_msg, /^start_date: .* before today/)
      assert.strictEqual((yield* read({ start_date: first, end_date: last })).error_code, 0)
      const { data: lastDay } = yield* read({ start_date: last, end_date: last })
      const day = { date: last, price: AMOUNT_MAX, minimum_stay: STAY_NIGHTS, maximum_stay: null }
      assert.deepStrictEqual(lastDay, { currency: "EUR", days: [day] })
      assert.match((yield* read({ end_date: addDays(last, 1) })).error_msg, /^end_date: /)
      assert.strictEqual((yield* call(otherHost.token, "get_base_prices", { property_id, ...MAY })).error_code, 404)
    })
  )

  it.effect("make one statement to read, and two in a transaction to change", () =>
    Effect.gen(function* () {
      const { setBasePrices, setMapping, plain, api, as, propertyId } = yield* prepareHost
      yield* setBasePrices({ ...MAY, price: 100 })
      const count = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.map(countStatements(effect), ([, made]) => made)
      // BEGIN, the operator's lock, the change, COMMIT.
      assert.strictEqual(yield* count(setBasePrices({ ...MAY, price: 101 })), 4)
      assert.strictEqual(yield* count(setMapping(plain, { ratio: 99 })), 4)
      assert.strictEqual(yield* count(api.get_base_prices({ property_id: propertyId, ...MAY }).pipe(as)), 1)
    })
  )

  it.effect("change nothing while the queue of one listing is full", () =>
    Effect.gen(function* () {
      const { setBasePrices, setMapping, plain, listingWithRatio, operatorId, propertyId } = yield* prepareHost
      const sql = yield* SqlClient.SqlClient
      yield* setBasePrices({ ...MAY, price: 100 })
      const fill = (waiting: number) =>
        sql`UPDATE listing_lanes SET waiting = ${waiting} WHERE listing_row = (SELECT id FROM listings WHERE listing_id = ${plain})`
      const snapshot = sql`
        SELECT (SELECT sum(price) FROM base_prices WHERE property_id = ${propertyId}) AS prices,
          (SELECT count(*) FROM listing_pushes WHERE operator_id = ${operatorId}) AS pushes,
          (SELECT sum(waiting) FROM listing_lanes WHERE operator_id = ${operatorId}) AS waiting,
          (SELECT count(*) FROM trail WHERE operator_id = ${operatorId}) AS changes,
          (SELECT sum(ratio) FROM listings WHERE operator_id = ${operatorId}) AS ratios`
      yield* fill(QUEUED_LISTING_PUSHES_MAX)
      const before = yield* snapshot
      const rejections = [
        [yield* setBasePrices({ ...MAY, price: 200 }), /^ranges: 1000 changes of a mapped listing are already queued/],
        [yield* setMapping(plain, { ratio: 99 }), /^listing_id: 1000 changes of this listing are already queued/]
      ] as const
      for (const [rejection, message] of rejections) {
        assert.strictEqual(rejection.error_code, 409)
        assert.match(rejection.error_msg, message)
      }
      assert.deepStrictEqual(yield* snapshot, before)
      yield* fill(QUEUED_LISTING_PUSHES_MAX - 1)
      // A price and a stay length are two pushes.
      assert.strictEqual((yield* setBasePrices({ ...MAY, price: 200, minimum_stay: 2 })).error_code, 409)
      assert.deepStrictEqual((yield* setBasePrices({ ...MAY, price: 200 })).data, {
        pushed: [listing(plain), listing(listingWithRatio)],
        skipped: []
      })
    })
  )

  it.effect(`go to at most ${BASE_PRICE_LISTINGS_MAX} listings at once`, () =>
    Effect.gen(function* () {
      const { operatorId, account, propertyId, token, api, as } = yield* prepareHost
      const sql = yield* SqlClient.SqlClient
      const { room_type_id } = yield* api.create_room_type({ title: "Dorm", property_ids: [propertyId] }).pipe(as)
      const fill = (count: number) => sql`
        INSERT INTO listings (operator_id, account_id, channel_type, listing_id, title, currency, shelf_status, property_id,
          created_at, updated_at)
        SELECT ${operatorId}::bigint, ${account}::bigint, 'airbnb', gen_random_uuid(), 'Filler', 'EUR', 'on',
          ${propertyId}::bigint, now(), now()
        FROM generate_series(1, ${count}::int) n`
      yield* fill(BASE_PRICE_LISTINGS_MAX - 2)
      const setShared = (price: number) =>
        call(token, "set_base_prices", { room_type_id, ranges: [{ ...MAY, price, weekdays: [1, 3, 5, 7] }] })
      const { data } = yield* setShared(100)
      assert.strictEqual(pushedCount(data), BASE_PRICE_LISTINGS_MAX)
      yield* fill(1)
      const refused = yield* setShared(120)
      assert.strictEqual(refused.error_code, 422)
      assert.match(refused.error_msg, new RegExp(`^room_type_id: .*${BASE_PRICE_LISTINGS_MAX} listings`))
      const { days } = yield* api.get_base_prices({ room_type_id, ...MAY }).pipe(as)
      assert.strictEqual(days[2]?.price, 100)
    })
  )

  it.effect(`are sent in messages of at most ${LISTING_RANGES_MAX} ranges`, () =>
    Effect.gen(function* () {
      const { setBasePrices, plain } = yield* prepareHost
      const days = { start_date: TODAY, end_date: addDays(TODAY, AVAILABILITY_END_DAYS) }
      yield* setBasePrices(
        ...[1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ ...days, weekdays: [weekday], price: 100 + weekday }))
      )
      yield* pushAll
      const updates = yield* loadListingUpdates(plain)
      assert.deepStrictEqual(
        updates.map(({ prices }) => prices?.length),
        [LISTING_RANGES_MAX, LISTING_RANGES_MAX, AVAILABILITY_END_DAYS + 1 - 2 * LISTING_RANGES_MAX]
      )
      assert.deepStrictEqual(updates.at(-1)?.prices?.at(-1)?.end_date, days.end_date)
    })
  )

  it.effect.skipIf(!canOverlap)(withServerNote("reach the channel in the order in which changes commit"), () =>
    Effect.gen(function* () {
      const { setBasePrices, setMapping, plain, token } = yield* prepareHost
      yield* setBasePrices({ ...MAY, price: 100 })
      const direct = call(token, "update_listing_prices", { ...listing(plain), prices: [{ ...MAY, price: 70 }] })
      yield* runOverlapping(direct, setBasePrices({ ...MAY, price: 110 }))
      yield* runOverlapping(setBasePrices({ ...MAY, price: 120 }), direct)
      // The ratio leaves out the direct price of the call that it waited for.
      yield* runOverlapping(setBasePrices({ ...MAY, price: 130 }), setMapping(plain, { ratio: 50 }))
      yield* runOverlapping(setMapping(plain, { ratio: 200 }), setBasePrices({ ...MAY, price: 140 }))
      yield* runOverlapping(direct, setMapping(plain, { ratio: 100 }))
      yield* pushAll
      assert.deepStrictEqual(
        yield* loadPrices(plain),
        [100, 70, 110, 120, 70, 130, 65, 260, 280, 70].map((price) => `2027-05-01..2027-05-04 ${price}`)
      )
    })
  )

  it.effect("round half up in whole numbers", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const prices = [1, 2, 9, 49, 50, 101, 12_345, AMOUNT_MAX - 1, AMOUNT_MAX]
      const ratios = [1, 49, 50, 51, 99, 100, 101, 115, 333, RATIO_MAX]
      const cases = prices.flatMap((price) => ratios.map((ratio) => ({ price, ratio })))
      const rows = yield* sql<{ price: number; ratio: number; result: number }>`
        SELECT price, ratio, ${listingPriceSql(sql, sql`price`, sql`ratio`)}::float8 AS result
        FROM jsonb_to_recordset(${JSON.stringify(cases)}::jsonb) AS c (price bigint, ratio integer)`
      assert.strictEqual(rows.length, cases.length)
      for (const { price, ratio, result } of rows) {
        const exact = (BigInt(price) * BigInt(ratio) * 2n + 100n) / 200n
        assert.strictEqual(result, Math.min(AMOUNT_MAX, Math.max(1, Number(exact))))
      }
    })
  )
})

const pushedCount = (data: unknown) =>
  typeof data === "object" && data !== null && "pushed" in data && Array.isArray(data.pushed) ? data.pushed.length : -1
