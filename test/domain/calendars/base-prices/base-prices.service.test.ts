import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { addDays } from "../../../../src/contract/time.ts"
import { listingPriceSql } from "../../../../src/domain/calendars/base-prices/price-pushes.ts"
import {
  AMOUNT_MAX,
  AVAILABILITY_END_DAYS,
  BASE_PRICE_LISTINGS_MAX,
  LISTING_RANGES_MAX,
  LISTINGS_PER_MAPPING,
  QUEUED_LISTING_PUSHES_MAX,
  RATIO_MAX,
  STAY_NIGHTS,
  UNMAPPED_LISTINGS_SHOWN
} from "../../../../src/platform/limits.ts"
import {
  layerPushService,
  loadListingUpdates,
  makePushWorker,
  NOW,
  pushAllDue,
  TODAY
} from "../../../support/domain/calendars/listing-calendars/push-service.ts"
import { createHostClient } from "../../../support/domain/host-client.ts"
import { loadAuditRecordLines } from "../../../support/domain/listings/listing-events.ts"
import { call, insertProperty } from "../../../support/harness.ts"
import { insertChannelAccount, insertListing } from "../../../support/listings.ts"
import { countStatements } from "../../../support/statement-count.ts"
import { TestClock } from "effect/testing"

const MAY = { start_date: "2027-05-01", end_date: "2027-05-04" }

/** A host with a property and two listings of it, on a day in April. */
const prepareHost = Effect.gen(function* () {
  yield* TestClock.setTime(NOW)
  const host = yield* createHostClient({ currency: "EUR" })
  const { operatorId, token } = host
  const propertyId = yield* insertProperty(operatorId, "Harbour 1")
  const account = yield* insertChannelAccount(operatorId)
  const plain = yield* insertListing(operatorId, account, { propertyId })
  const dearer = yield* insertListing(operatorId, account, { propertyId, ratio: 110 })
  const set = (...ranges: ReadonlyArray<object>) => call(token, "set_base_prices", { property_id: propertyId, ranges })
  const setRatio = (listing_id: string, change: object) =>
    call(token, "set_listing_mapping", { channel_type: "airbnb", listing_id, ...change })
  return { ...host, propertyId, account, plain, dearer, set, setRatio }
})

const listing = (listing_id: string, channel_type = "airbnb") => ({ channel_type, listing_id })

/** The prices that a listing got, each push one line: `2027-05-01..2027-05-03 100, …`. */
const loadPrices = (listingId: string) =>
  Effect.map(loadListingUpdates(listingId), (all) =>
    all.flatMap(({ prices }) =>
      prices === undefined
        ? []
        : [prices.map(({ start_date, end_date, price }) => `${start_date}..${end_date} ${price}`).join(", ")]
    )
  )

const loadRestrictions = (listingId: string) =>
  Effect.map(loadListingUpdates(listingId), (all) => all.flatMap(({ restrictions }) => restrictions ?? []))

const pushAll = Effect.flatMap(makePushWorker, pushAllDue)

layer(layerPushService)("base prices", (it) => {
  it.effect("reach the mapped listings times their ratio, and are read back", () =>
    Effect.gen(function* () {
      const { set, plain, dearer, operatorId, account, propertyId, api, as } = yield* prepareHost
      const readonly = yield* insertListing(operatorId, account, { propertyId, isReadOnly: true })
      const dollars = yield* insertListing(operatorId, account, { propertyId, currency: "USD" })
      const unmapped = yield* insertListing(operatorId, account)
      const cut = yield* insertChannelAccount(operatorId, { channelType: "vrbo", authStatus: "disconnected" })
      const disconnected = yield* insertListing(operatorId, cut, { propertyId, channelType: "vrbo" })
      const { data, ...envelope } = yield* set(
        { ...MAY, price: 101, minimum_stay: 2 },
        { ...MAY, weekdays: [6, 7], price: 151 }
      )
      assert.strictEqual(envelope.error_code, 0)
      assert.deepStrictEqual(data, {
        pushed: [listing(plain), listing(dearer)],
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
      assert.deepStrictEqual(yield* loadPrices(dearer), ["2027-05-01..2027-05-02 166, 2027-05-03..2027-05-04 111"])
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
})
