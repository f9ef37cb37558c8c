import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { layerAccountsWithPrices } from "../../../../src/domain/calendars/base-prices/missed-price-pushes.ts"
import { ChannelAccounts } from "../../../../src/domain/channels/channel-accounts/ChannelAccounts.ts"
import { ChannelRefused, ChannelUnavailable } from "../../../../src/domain/channels/port/errors.ts"
import {
  BASE_PRICE_LISTINGS_MAX,
  LISTING_PUSH_GIVE_UP_MS,
  MISSED_PRICE_LISTINGS,
  QUEUED_LISTING_PUSHES_MAX
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
  loadPushLines,
  NOW
} from "../../../support/domain/calendars/listing-calendars/push-service.ts"
import { EVENT_TIME, makeAccountEvent, toChannelAccountRef } from "../../../support/domain/listings/listing-events.ts"
import { asSystemActor, call, insertProperty } from "../../../support/harness.ts"
import { insertListing } from "../../../support/listings.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"
import { ScriptedChannel } from "../../../support/scripted-channel.ts"

const layerAccounts = Layer.provideMerge(layerAccountsWithPrices, layerPushService)

const SECOND_DAY = { start_date: "2027-05-02", end_date: "2027-05-02" }

const setQueueLength = Effect.fnUntraced(function* (listingId: string, waiting: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    UPDATE listing_lanes SET waiting = ${waiting} WHERE listing_row = (SELECT id FROM listings WHERE listing_id = ${listingId})`
})

layer(layerAccounts)("base prices that a listing missed", (it) => {
  it.effect("reach the listings in a property's new currency, with stay lengths and in place of direct prices", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, account, propertyId, plain, listingWithRatio, setBasePrices, token } =
        yield* prepareHost
      const dollars = yield* insertListing(operatorId, account, { propertyId, currency: "USD", ratio: 200 })
      const readonly = yield* insertListing(operatorId, account, { propertyId, currency: "USD", isReadOnly: true })
      const setCurrency = (currency: string | null) => api.update_property({ id: propertyId, currency }).pipe(as)
      yield* setBasePrices({ ...MAY, price: 100, minimum_stay: 2 })
      yield* call(token, "update_listing_prices", { ...listing(dollars), prices: [{ ...SECOND_DAY, price: 7 }] })
      yield* setCurrency("USD")
      // Neither the currency that the property has by now nor another field queues anything.
      yield* setCurrency("USD")
      yield* api.update_property({ id: propertyId, title: "Harbour 2" }).pipe(as)
      yield* pushAll
      assert.deepStrictEqual(yield* loadPrices(dollars), ["2027-05-02..2027-05-02 7", "2027-05-01..2027-05-04 200"])
      assert.deepStrictEqual(yield* loadRestrictions(dollars), [{ ...MAY, min_stay_on_arrival: 2 }])
      assert.deepStrictEqual(yield* loadPrices(readonly), [])
      assert.deepStrictEqual(yield* loadPrices(plain), ["2027-05-01..2027-05-04 100"])
      yield* setBasePrices({ ...MAY, price: 90 })
      yield* setCurrency(null)
      yield* pushAll
      assert.deepStrictEqual((yield* loadPrices(dollars)).slice(2), ["2027-05-01..2027-05-04 180"])
      assert.deepStrictEqual((yield* loadPrices(plain)).slice(1), ["2027-05-01..2027-05-04 90"])
      assert.deepStrictEqual((yield* loadPrices(listingWithRatio)).slice(1), ["2027-05-01..2027-05-04 99"])
    })
  )

  it.effect("of a room type reach its own listings and those of its properties when all share a new currency", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, account, propertyId, plain, setBasePrices, token } = yield* prepareHost
      const otherId = yield* insertProperty(operatorId, "Harbour 2")
      const property_ids = [propertyId, otherId]
      const { room_type_id } = yield* api.create_room_type({ title: "Double", property_ids }).pipe(as)
      const add = (options: object) => insertListing(operatorId, account, { currency: "USD", ...options })
      const [shared, own] = [yield* add({ roomTypeId: room_type_id }), yield* add({ propertyId })]
      const other = yield* add({ propertyId: otherId })
      const setCurrency = (id: number, currency: string) => api.update_property({ id, currency }).pipe(as)
      yield* call(token, "set_base_prices", { room_type_id, ranges: [{ ...MAY, price: 100 }] })
      yield* setBasePrices({ ...SECOND_DAY, price: 120 })
      yield* pushAll
      const before = yield* loadPrices(plain)
      // The room type keeps the operator's currency, so the property in dollars does not use its prices.
      yield* setCurrency(propertyId, "USD")
      yield* pushAll
      assert.deepStrictEqual(yield* loadPrices(own), ["2027-05-02..2027-05-02 120"])
      assert.deepStrictEqual([yield* loadPrices(shared), yield* loadPrices(other)], [[], []])
      // Its second day has a price of its own, which stays as it is.
      yield* setCurrency(otherId, "USD")
      yield* pushAll
      assert.deepStrictEqual((yield* loadPrices(own)).slice(1), [
        "2027-05-01..2027-05-01 100, 2027-05-03..2027-05-04 100"
      ])
      assert.deepStrictEqual(yield* loadPrices(shared), ["2027-05-01..2027-05-04 100"])
      assert.deepStrictEqual(yield* loadPrices(other), ["2027-05-01..2027-05-04 100"])
      assert.deepStrictEqual(yield* loadPrices(plain), before)
    })
  )

  it.effect("stay unpushed, and the currency stays, while the queue of a listing is full", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, account, propertyId, setBasePrices, token } = yield* prepareHost
      const dollars = yield* insertListing(operatorId, account, { propertyId, currency: "USD" })
      yield* setBasePrices({ ...MAY, price: 100 })
      yield* call(token, "update_listing_prices", { ...listing(dollars), prices: [{ ...SECOND_DAY, price: 7 }] })
      const edit = { id: propertyId, currency: "USD", is_active: false }
      yield* setQueueLength(dollars, QUEUED_LISTING_PUSHES_MAX)
      const rejection = yield* call(token, "update_property", edit)
      assert.strictEqual(rejection.error_code, 409)
      assert.match(rejection.error_msg, /^currency: 1000 changes of a mapped listing are already queued/)
      const load = Effect.map(api.search_properties({ id: propertyId }).pipe(as), ({ properties }) => properties[0])
      assert.deepInclude(yield* load, { currency: "EUR", is_active: true })
      yield* setQueueLength(dollars, QUEUED_LISTING_PUSHES_MAX - 1)
      assert.strictEqual((yield* call(token, "update_property", edit)).error_code, 0)
      assert.deepInclude(yield* load, { currency: "USD", is_active: false })
    })
  )

  it.effect(`go to at most ${BASE_PRICE_LISTINGS_MAX} listings in a new currency`, () =>
    Effect.gen(function* () {
      const { operatorId, account, propertyId, setBasePrices, token } = yield* prepareHost
      const sql = yield* SqlClient.SqlClient
      yield* setBasePrices({ ...MAY, price: 100 })
      const add = (from: number, to: number) => sql`
        INSERT INTO listings (operator_id, account_id, channel_type, listing_id, title, currency, shelf_status, property_id,
          ratio, ratio_readonly, created_at, updated_at)
        SELECT ${operatorId}::bigint, ${account}::bigint, 'airbnb', 'dollars-' || n, 'Harbour', 'USD', 'on',
          ${propertyId}::bigint, 100, false, now(), now() FROM generate_series(${from}::int, ${to}::int) n`
      yield* add(0, BASE_PRICE_LISTINGS_MAX)
      const setCurrency = call(token, "update_property", { id: propertyId, currency: "USD" })
      const rejection = yield* setCurrency
      assert.strictEqual(rejection.error_code, 422)
      assert.match(rejection.error_msg, /^currency: .* more than 500 listings/)
      const countPushes = Effect.map(
        sql`SELECT FROM listing_pushes WHERE operator_id = ${operatorId}`,
        ({ length }) => length
      )
      assert.strictEqual(yield* countPushes, 2)
      yield* sql`UPDATE listings SET shelf_status = 'deleted' WHERE operator_id = ${operatorId} AND listing_id = 'dollars-0'`
      assert.strictEqual((yield* setCurrency).error_code, 0)
      assert.strictEqual(yield* countPushes, BASE_PRICE_LISTINGS_MAX + 2)
    })
  )

  it.effect("reach the listings of an account that is connected again", () =>
    Effect.gen(function* () {
      const { operatorId, account, propertyId, plain, listingWithRatio, setBasePrices, token } = yield* prepareHost
      const accounts = yield* ChannelAccounts
      const unmapped = yield* insertListing(operatorId, account)
      const readonly = yield* insertListing(operatorId, account, { propertyId, isReadOnly: true })
      const sendAccountEvent = (version: number, auth_status: "active" | "disconnected") =>
        asSystemActor(
          accounts.applyUpdate(
            toChannelAccountRef(operatorId, account),
            makeAccountEvent(version, { auth_status }),
            EVENT_TIME
          )
        )
      yield* setBasePrices({ ...MAY, price: 100 })
      yield* call(token, "update_listing_prices", { ...listing(plain), prices: [{ ...MAY, price: 70 }] })
      yield* pushAll
      yield* sendAccountEvent(1, "disconnected")
      yield* setBasePrices({ ...SECOND_DAY, price: 120, minimum_stay: 2 })
      yield* sendAccountEvent(2, "active")
      // Neither an account that is connected already nor an old event queues anything.
      yield* sendAccountEvent(3, "active")
      yield* sendAccountEvent(1, "disconnected")
      yield* pushAll
      assert.deepStrictEqual((yield* loadPrices(plain)).slice(2), ["2027-05-02..2027-05-02 120"])
      assert.deepStrictEqual((yield* loadPrices(listingWithRatio)).slice(1), [
        "2027-05-01..2027-05-01 110, 2027-05-02..2027-05-02 132, 2027-05-03..2027-05-04 110"
      ])
      assert.deepStrictEqual(yield* loadRestrictions(listingWithRatio), [{ ...SECOND_DAY, min_stay_on_arrival: 2 }])
      assert.deepStrictEqual([yield* loadPrices(unmapped), yield* loadPrices(readonly)], [[], []])

      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ origin_account_id: string }>`
        SELECT origin_account_id FROM channel_accounts WHERE id = ${account}`
      const origin_account_id = row?.origin_account_id ?? ""
      yield* sendAccountEvent(4, "disconnected")
      yield* setBasePrices({ ...MAY, price: 200 })
      const connection = {
        channel_type: "airbnb",
        username: "harbour",
        origin_account_id,
        connector: "sandbox"
      } as const
      assert.strictEqual(yield* asSystemActor(accounts.connect(operatorId, connection, EVENT_TIME)), account)
      yield* pushAll
      assert.deepStrictEqual((yield* loadPrices(plain)).at(-1), "2027-05-01..2027-05-04 200")
    })
  )

  it.effect("reach every listing of an account, apart from one whose queue is full", () =>
    Effect.gen(function* () {
      const { operatorId, account, propertyId, plain, setBasePrices } = yield* prepareHost
      const accounts = yield* ChannelAccounts
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO listings (operator_id, account_id, channel_type, listing_id, title, currency, shelf_status, property_id,
          ratio, ratio_readonly, created_at, updated_at)
        SELECT ${operatorId}::bigint, ${account}::bigint, 'airbnb', 'many-' || n, 'Harbour', 'EUR', 'on', ${propertyId}::bigint,
          100, false, now(), now() FROM generate_series(1, ${MISSED_PRICE_LISTINGS}::int) n`
      yield* setBasePrices({ ...MAY, price: 100 })
      yield* setQueueLength(plain, QUEUED_LISTING_PUSHES_MAX)
      const countPushes = Effect.map(
        sql<{ pushes: number }>`SELECT count(*)::int AS pushes FROM listing_pushes WHERE operator_id = ${operatorId}`,
        ([row]) => row?.pushes
      )
      assert.strictEqual(yield* countPushes, MISSED_PRICE_LISTINGS + 2)
      yield* sql`UPDATE channel_accounts SET auth_status = 'disconnected' WHERE id = ${account}`
      const event = makeAccountEvent(1)
      const outcome = yield* asSystemActor(
        accounts.applyUpdate(toChannelAccountRef(operatorId, account), event, EVENT_TIME)
      )
      assert.strictEqual(outcome, "applied")
      assert.strictEqual(yield* countPushes, 2 * MISSED_PRICE_LISTINGS + 3)
    })
  )

  it.effect("replace a direct price that the channel refused, at the next new ratio", () =>
    Effect.gen(function* () {
      const { plain, listingWithRatio, setBasePrices, setMapping, token } = yield* prepareHost
      const channel = yield* ScriptedChannel
      const setDirectPrice = (listingId: string, price: number, days: object = SECOND_DAY) =>
        call(token, "update_listing_prices", { ...listing(listingId), prices: [{ ...days, price }] })
      yield* setBasePrices({ ...MAY, price: 100 })
      yield* setDirectPrice(listingWithRatio, 70)
      yield* pushAll
      yield* channel.setResponse(plain, Effect.fail(new ChannelRefused({ reason: "too low" })))
      yield* setDirectPrice(plain, 7)
      yield* pushAll
      // It refuses this base price too, which is not the direct price of the second listing.
      yield* setBasePrices({ start_date: "2027-05-04", end_date: "2027-05-04", price: 99 })
      yield* channel.setResponse(listingWithRatio, Effect.fail(new ChannelUnavailable({ code: 503 })))
      yield* setDirectPrice(listingWithRatio, 8, { start_date: "2027-05-03", end_date: "2027-05-03" })
      yield* pushAll
      yield* TestClock.setTime(NOW + LISTING_PUSH_GIVE_UP_MS)
      yield* pushAll
      for (const each of [plain, listingWithRatio]) yield* channel.setResponse(each, Effect.void)
      for (const each of [plain, listingWithRatio]) yield* setMapping(each, { ratio: 200 })
      // The first try after a failure waits.
      yield* TestClock.adjust("1 hour")
      yield* pushAll
      assert.deepStrictEqual(
        (yield* loadPrices(plain)).at(-1),
        "2027-05-01..2027-05-03 200, 2027-05-04..2027-05-04 198"
      )
      assert.deepStrictEqual(
        (yield* loadPrices(listingWithRatio)).at(-1),
        "2027-05-01..2027-05-01 200, 2027-05-03..2027-05-03 200, 2027-05-04..2027-05-04 198"
      )
    })
  )

  it.effect("do not replace a pending direct price when an earlier direct price is refused", () =>
    Effect.gen(function* () {
      const { plain, setBasePrices, setMapping, token } = yield* prepareHost
      const channel = yield* ScriptedChannel
      yield* setBasePrices({ ...MAY, price: 100 })
      yield* pushAll
      const setDirectPrice = (price: number) =>
        call(token, "update_listing_prices", { ...listing(plain), prices: [{ ...MAY, price }] })
      let refusals = 1
      const refuseOnce = Effect.suspend(() =>
        refusals-- > 0 ? Effect.fail(new ChannelRefused({ reason: "too low" })) : Effect.void
      )
      yield* channel.setResponse(plain, refuseOnce)
      yield* setDirectPrice(7)
      yield* setDirectPrice(70)
      yield* pushAll
      yield* setMapping(plain, { ratio: 200 })
      yield* pushAll
      assert.deepStrictEqual(yield* loadPrices(plain), ["2027-05-01..2027-05-04 100", "2027-05-01..2027-05-04 70"])
    })
  )

  it.effect("stay behind a direct price that the channel accepted before it refused later ones of the day", () =>
    Effect.gen(function* () {
      const { plain, listingWithRatio, setBasePrices, setMapping, token } = yield* prepareHost
      const channel = yield* ScriptedChannel
      yield* setBasePrices({ ...MAY, price: 100 })
      const setDirectPrice = (listingId: string, price: number) =>
        call(token, "update_listing_prices", { ...listing(listingId), prices: [{ ...SECOND_DAY, price }] })
      yield* setDirectPrice(plain, 70)
      yield* pushAll
      for (const each of [plain, listingWithRatio])
        yield* channel.setResponse(each, Effect.fail(new ChannelRefused({ reason: "too low" })))
      // Only the first listing has a direct price that its channel accepted.
      for (const price of [7, 8]) for (const each of [plain, listingWithRatio]) yield* setDirectPrice(each, price)
      yield* pushAll
      for (const each of [plain, listingWithRatio]) yield* channel.setResponse(each, Effect.void)
      for (const each of [plain, listingWithRatio]) yield* setMapping(each, { ratio: 200 })
      yield* pushAll
      assert.deepStrictEqual(
        (yield* loadPrices(plain)).at(-1),
        "2027-05-01..2027-05-01 200, 2027-05-03..2027-05-04 200"
      )
      assert.deepStrictEqual((yield* loadPrices(listingWithRatio)).at(-1), "2027-05-01..2027-05-04 200")
      // A new base price ends the direct price, so a refused direct price after it holds no day.
      yield* setBasePrices({ ...SECOND_DAY, price: 110 })
      yield* pushAll
      yield* channel.setResponse(plain, Effect.fail(new ChannelRefused({ reason: "too low" })))
      yield* setDirectPrice(plain, 9)
      yield* pushAll
      yield* channel.setResponse(plain, Effect.void)
      yield* setMapping(plain, { ratio: 100 })
      yield* pushAll
      assert.deepStrictEqual(
        (yield* loadPrices(plain)).at(-1),
        "2027-05-01..2027-05-01 100, 2027-05-02..2027-05-02 110, 2027-05-03..2027-05-04 100"
      )
    })
  )

  it.effect("are not sent to a listing that became read-only or got another mapping while they were queued", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId, plain, listingWithRatio, setBasePrices, setMapping } = yield* prepareHost
      const otherId = yield* insertProperty(operatorId, "Harbour 2")
      yield* setBasePrices({ ...MAY, price: 100, minimum_stay: 2 })
      yield* setMapping(plain, { readonly: true })
      yield* setMapping(listingWithRatio, { property_id: otherId })
      yield* pushAll
      for (const each of [plain, listingWithRatio])
        assert.deepStrictEqual([yield* loadPrices(each), yield* loadRestrictions(each)], [[], []])
      const [readonly, remapped] = [
        "the prices of the listing are set on its channel",
        "the listing is no longer mapped to the owner of these base prices"
      ]
      for (const [listingId, reason] of [
        [plain, readonly],
        [listingWithRatio, remapped]
      ] as const)
        assert.deepStrictEqual(yield* loadPushLines(listingId), [
          `prices pushed after 1: ${reason}`,
          `restrictions pushed after 1: ${reason}`
        ])
      yield* setMapping(plain, { readonly: false })
      yield* setMapping(listingWithRatio, { property_id: propertyId })
      yield* pushAll
      assert.deepStrictEqual(yield* loadPrices(plain), ["2027-05-01..2027-05-04 100"])
      assert.deepStrictEqual(yield* loadRestrictions(listingWithRatio), [{ ...MAY, min_stay_on_arrival: 2 }])
    })
  )

  it.effect("reach a listing whose channel refused them when the host sets them again", () =>
    Effect.gen(function* () {
      const { plain, listingWithRatio, setBasePrices } = yield* prepareHost
      const channel = yield* ScriptedChannel
      yield* channel.setResponse(plain, Effect.fail(new ChannelRefused({ reason: "too low" })))
      yield* setBasePrices({ ...MAY, price: 100 })
      yield* pushAll
      yield* channel.setResponse(plain, Effect.void)
      yield* setBasePrices({ ...MAY, minimum_stay: 2 })
      yield* pushAll
      assert.deepStrictEqual(yield* loadPrices(plain), [])
      assert.deepStrictEqual((yield* setBasePrices({ ...SECOND_DAY, price: 100 })).data, {
        pushed: [listing(plain)],
        skipped: []
      })
      yield* pushAll
      assert.deepStrictEqual(yield* loadPrices(plain), ["2027-05-02..2027-05-02 100"])
      const again = [
        { ...MAY, price: 100 },
        { start_date: "2027-05-04", end_date: "2027-05-04", price: 120 }
      ]
      yield* setBasePrices(...again)
      yield* pushAll
      assert.deepStrictEqual((yield* loadPrices(plain)).slice(1), [
        "2027-05-01..2027-05-01 100, 2027-05-03..2027-05-03 100, 2027-05-04..2027-05-04 120"
      ])
      assert.deepStrictEqual((yield* loadPrices(listingWithRatio)).slice(1), ["2027-05-04..2027-05-04 132"])
      assert.deepStrictEqual((yield* setBasePrices(...again)).data, { pushed: [], skipped: [] })
    })
  )

  it.effect("of a room type reach the listing of a property that missed them", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, account, propertyId, plain, listingWithRatio, token } = yield* prepareHost
      const channel = yield* ScriptedChannel
      const { room_type_id } = yield* api.create_room_type({ title: "Double", property_ids: [propertyId] }).pipe(as)
      const shared = yield* insertListing(operatorId, account, { roomTypeId: room_type_id })
      const set = call(token, "set_base_prices", { room_type_id, ranges: [{ ...MAY, price: 100 }] })
      yield* channel.setResponse(listingWithRatio, Effect.fail(new ChannelRefused({ reason: "too low" })))
      yield* set
      yield* pushAll
      yield* channel.setResponse(listingWithRatio, Effect.void)
      assert.deepStrictEqual((yield* set).data, { pushed: [listing(listingWithRatio)], skipped: [] })
      yield* pushAll
      assert.deepStrictEqual(yield* loadPrices(listingWithRatio), ["2027-05-01..2027-05-04 110"])
      for (const each of [plain, shared]) assert.strictEqual((yield* loadPrices(each)).length, 1)
    })
  )

  it.effect("wait for a channel that is unreachable for days, without the days that pass", () =>
    Effect.gen(function* () {
      const { plain, setBasePrices } = yield* prepareHost
      const channel = yield* ScriptedChannel
      yield* channel.setResponse(plain, Effect.fail(new ChannelUnavailable({ code: 503 })))
      yield* setBasePrices({ ...MAY, price: 100, maximum_stay: 9 })
      yield* pushAll
      yield* TestClock.setTime(NOW + LISTING_PUSH_GIVE_UP_MS)
      yield* pushAll
      yield* channel.setResponse(plain, Effect.void)
      yield* TestClock.setTime(Date.parse("2027-05-03T10:00:00Z"))
      yield* pushAll
      assert.deepStrictEqual(yield* loadPrices(plain), ["2027-05-03..2027-05-04 100"])
      assert.deepStrictEqual(yield* loadRestrictions(plain), [
        { start_date: "2027-05-03", end_date: "2027-05-04", max_stay_on_arrival: 9 }
      ])
      assert.deepStrictEqual(
        (yield* loadPushLines(plain)).map((line) => line.replace(/ after.*/, "")),
        ["prices dead", "restrictions dead", "prices pushed", "restrictions pushed"]
      )
    })
  )

  it.effect("because a direct price was pending reach the channel once it does not take that price", () =>
    Effect.gen(function* () {
      const { plain, listingWithRatio, setBasePrices, setMapping, token } = yield* prepareHost
      const channel = yield* ScriptedChannel
      yield* setBasePrices({ ...MAY, price: 100 })
      yield* pushAll
      const listings = [plain, listingWithRatio]
      for (const each of listings) {
        yield* call(token, "update_listing_prices", { ...listing(each), prices: [{ ...SECOND_DAY, price: 7 }] })
        yield* setMapping(each, { ratio: 200 })
      }
      const failOnce = (error: ChannelRefused | ChannelUnavailable) => {
        let failures = 1
        return Effect.suspend(() => (failures-- > 0 ? Effect.fail(error) : Effect.void))
      }
      yield* channel.setResponse(plain, failOnce(new ChannelRefused({ reason: "too low" })))
      yield* channel.setResponse(listingWithRatio, failOnce(new ChannelUnavailable({ code: 503 })))
      yield* TestClock.setTime(NOW + LISTING_PUSH_GIVE_UP_MS)
      yield* pushAll
      yield* TestClock.adjust("1 hour")
      yield* pushAll
      for (const each of listings)
        assert.deepStrictEqual((yield* loadPrices(each)).at(-1), "2027-05-01..2027-05-04 200")
    })
  )

  it.effect.skipIf(!canOverlap)(withServerNote("are never pushed in the wrong currency"), () =>
    Effect.gen(function* () {
      const { api, as, operatorId, account, propertyId, plain, setBasePrices } = yield* prepareHost
      const dollars = yield* insertListing(operatorId, account, { propertyId, currency: "USD" })
      const setCurrency = (currency: string) => api.update_property({ id: propertyId, currency }).pipe(as)
      const quote = api
        .create_quote({
          property_id: propertyId,
          check_in_date: "2027-05-01",
          check_out_date: "2027-05-02",
          number_of_guests: 1
        })
        .pipe(as)
      yield* setBasePrices({ ...MAY, price: 100 })
      yield* runOverlapping(setBasePrices({ ...MAY, price: 110 }), setCurrency("USD"))
      yield* runOverlapping(setCurrency("EUR"), setBasePrices({ ...MAY, price: 120 }))
      yield* runOverlapping(setCurrency("USD"), setBasePrices({ ...MAY, price: 130 }))
      yield* pushAll
      const days = "2027-05-01..2027-05-04"
      assert.deepStrictEqual(yield* loadPrices(plain), [`${days} 100`, `${days} 110`, `${days} 110`, `${days} 120`])
      assert.deepStrictEqual(yield* loadPrices(dollars), [`${days} 110`, `${days} 120`, `${days} 130`])
      const [, early] = yield* runOverlapping(setCurrency("EUR"), quote)
      assert.deepInclude(early, { currency: "USD", total: 130 })
      assert.deepInclude(yield* quote, { currency: "EUR", total: 130 })
    })
  )
})
