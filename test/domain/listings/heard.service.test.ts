import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { layerListingsWithPrices } from "../../../src/domain/calendars/base-prices/mapping-price-pushes.ts"
import { Listings } from "../../../src/domain/listings/Listings.ts"
import { LISTING_JSON_LENGTH, LISTINGS_MAX } from "../../../src/platform/limits.ts"
import { countRows, createHostWithProperties, runConcurrently } from "../../support/domain/host-client.ts"
import {
  EVENT_TIME,
  listPermutations,
  loadAuditRecordLines,
  makeListingEvent,
  toChannelAccountRef
} from "../../support/domain/listings/listing-events.ts"
import { asSystemActor, createOperator, layerTest } from "../../support/harness.ts"
import { insertChannelAccount } from "../../support/listings.ts"

const LATER = new Date("2027-04-21T10:00:00Z")

const talking = Effect.gen(function* () {
  const operator = yield* createHostWithProperties("Harbour 1")
  const account = yield* insertChannelAccount(operator.operatorId)
  const listings = yield* Listings
  return { ...operator, account, listings, speaker: toChannelAccountRef(operator.operatorId, account) }
})

const rulesOf = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ price_and_rules: unknown }>`
    SELECT price_and_rules FROM listings WHERE operator_id = ${operatorId} ORDER BY id`
})

layer(Layer.provideMerge(layerListingsWithPrices, layerTest))("what channels say of listings", (it) => {
  it.effect("is taken once, and a new version in the place of the old one", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, listings, speaker } = yield* talking
      const say = (...said: Parameters<typeof makeListingEvent>) =>
        asSystemActor(listings.applyUpdate(speaker, makeListingEvent(...said), said[0] === 1 ? EVENT_TIME : LATER))
      assert.strictEqual(yield* say(1, { cover: "https://img.example/1.jpg" }), "applied")
      assert.strictEqual(yield* say(1, { title: "another" }), "known")
      assert.strictEqual(yield* say(3, { title: "Attic", shelf_status: "deleted", inventory: 2 }), "applied")
      assert.strictEqual(yield* say(2, { title: "too late" }), "late")
      const found = yield* api.search_listings({}).pipe(as)
      assert.strictEqual(found.total, 1)
      assert.deepInclude(found.listings[0], {
        title: "Attic",
        cover: null,
        inventory: 2,
        shelf_status: "deleted",
        created_at: "2027-04-20T10:00:00Z",
        updated_at: "2027-04-21T10:00:00Z"
      })
      // One more version of the same is no change.
      assert.strictEqual(yield* say(4, { title: "Attic", shelf_status: "deleted", inventory: 2 }), "applied")
      const record = `listing:${found.listings[0]?.id}`
      assert.deepStrictEqual(yield* loadAuditRecordLines(operatorId), [
        record,
        `${record} cover inventory shelf_status title`
      ])
    })
  )

  it.effect("leaves link and ratio to the host, and settings that are not said as they were", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyIds: rooms, listings, speaker } = yield* talking
      const [property = 0] = rooms
      const say = (...said: Parameters<typeof makeListingEvent>) =>
        asSystemActor(listings.applyUpdate(speaker, makeListingEvent(...said), EVENT_TIME))
      yield* say(1, { price_and_rules: { base_price: 90 } })
      const key = { channel_type: "airbnb", listing_id: "300-77" }
      const change = { mapping: { type: "property", id: property }, ratio: 115, readonly: false } as const
      yield* asSystemActor(listings.setMapping(operatorId, key, change))
      yield* say(2, { title: "Attic" })
      assert.deepStrictEqual((yield* api.get_pricing_ratios({ property_id: property }).pipe(as)).channels, [
        { channel_type: "airbnb", listing_id: "300-77", listing_title: "Attic", ratio: 115, readonly: false }
      ])
      assert.deepStrictEqual(yield* rulesOf(operatorId), [{ price_and_rules: { base_price: 90 } }])
      yield* say(3, { price_and_rules: { base_price: 95 } })
      assert.deepStrictEqual(yield* rulesOf(operatorId), [{ price_and_rules: { base_price: 95 } }])
      yield* say(4, { price_and_rules: null })
      assert.deepStrictEqual(yield* rulesOf(operatorId), [{ price_and_rules: null }])
    })
  )

  it.effect("ends in the latest version, in whichever order the versions arrive", () =>
    Effect.gen(function* () {
      const { api, as, listings, speaker } = yield* talking
      for (const [at, order] of listPermutations([1, 2, 3, 7]).entries()) {
        const listing_id = `${at}`
        for (const version of order) {
          yield* asSystemActor(
            listings.applyUpdate(speaker, makeListingEvent(version, { listing_id, title: `v${version}` }), EVENT_TIME)
          )
        }
        const found = yield* api.search_listings({ listing_id }).pipe(as)
        assert.strictEqual(found.listings[0]?.title, "v7", order.join())
      }
    })
  )

  it.effect("said many times at once makes one listing", () =>
    Effect.gen(function* () {
      const { operatorId, listings, speaker } = yield* talking
      const outcomes = yield* Effect.all(
        Array.from({ length: 20 }, () => asSystemActor(listings.applyUpdate(speaker, makeListingEvent(1), EVENT_TIME))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(outcomes.toSorted(), ["applied", ...Array.from({ length: 19 }, () => "known")])
      assert.strictEqual(yield* countRows(operatorId, "listings"), 1)
    })
  )

  it.effect("ends in the latest version, however many are said at once", () =>
    Effect.gen(function* () {
      const { api, as, listings, speaker } = yield* talking
      const versions = Array.from({ length: 20 }, (_, at) => ((at * 7) % 20) + 1)
      yield* Effect.all(
        versions.map((each) =>
          asSystemActor(listings.applyUpdate(speaker, makeListingEvent(each, { title: `v${each}` }), EVENT_TIME))
        ),
        { concurrency: "unbounded" }
      )
      const found = yield* api.search_listings({}).pipe(as)
      assert.deepStrictEqual(
        found.listings.map(({ title }) => title),
        ["v20"]
      )
      // What was said is heard: the last version is known, the one before is late.
      assert.strictEqual(yield* asSystemActor(listings.applyUpdate(speaker, makeListingEvent(20), EVENT_TIME)), "known")
      assert.strictEqual(yield* asSystemActor(listings.applyUpdate(speaker, makeListingEvent(19), EVENT_TIME)), "late")
    })
  )

  it.effect("is refused of another account's listing, until that account is disconnected", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, account, listings, speaker } = yield* talking
      const second = yield* insertChannelAccount(operatorId)
      yield* asSystemActor(listings.applyUpdate(speaker, makeListingEvent(1), EVENT_TIME))
      const said = makeListingEvent(2, { title: "taken over" })
      const refused = yield* Effect.flip(
        asSystemActor(listings.applyUpdate(toChannelAccountRef(operatorId, second), said, EVENT_TIME))
      )
      assert.match(refused.reason, /^listing_id: .*another account/)
      const titles = Effect.map(api.search_listings({}).pipe(as), (found) =>
        found.listings.map(({ title, channel_account_id }) => [title, channel_account_id])
      )
      assert.deepStrictEqual(yield* titles, [["Harbour view", account]])
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        UPDATE channel_accounts SET auth_status = 'disconnected' WHERE operator_id = ${operatorId} AND id = ${account}`
      assert.strictEqual(
        yield* asSystemActor(listings.applyUpdate(toChannelAccountRef(operatorId, second), said, EVENT_TIME)),
        "applied"
      )
      assert.deepStrictEqual(yield* titles, [["taken over", second]])
    })
  )

  it.effect("is refused of who is no account here, and of one of another channel", () =>
    Effect.gen(function* () {
      const { operatorId, account, listings } = yield* talking
      const other = yield* createOperator()
      for (const speaker of [
        toChannelAccountRef(other.operatorId, account),
        toChannelAccountRef(operatorId, account, "vrbo"),
        toChannelAccountRef(operatorId, 987_654_321)
      ]) {
        const refused = yield* Effect.flip(
          asSystemActor(listings.applyUpdate(speaker, makeListingEvent(1), EVENT_TIME))
        )
        assert.match(refused.reason, /no such account/)
      }
      assert.strictEqual(yield* countRows(operatorId, "listings"), 0)
      assert.strictEqual(yield* countRows(other.operatorId, "listings"), 0)
    })
  )

  it.effect("is another listing under another channel or at another host", () =>
    Effect.gen(function* () {
      const { operatorId, listings, speaker } = yield* talking
      const vrbo = yield* insertChannelAccount(operatorId, { channelType: "vrbo" })
      const other = yield* createOperator()
      const theirs = yield* insertChannelAccount(other.operatorId)
      for (const each of [
        speaker,
        toChannelAccountRef(operatorId, vrbo, "vrbo"),
        toChannelAccountRef(other.operatorId, theirs)
      ]) {
        assert.strictEqual(yield* asSystemActor(listings.applyUpdate(each, makeListingEvent(1), EVENT_TIME)), "applied")
      }
      assert.strictEqual(yield* countRows(operatorId, "listings"), 2)
      assert.strictEqual(yield* countRows(other.operatorId, "listings"), 1)
    })
  )

  it.effect(`passes along ${LISTING_JSON_LENGTH} characters of metadata and of settings, and no more`, () =>
    Effect.gen(function* () {
      const { operatorId, listings, speaker } = yield* talking
      const sized = (characters: number) => ({ text: "x".repeat(characters - '{"text":""}'.length) })
      for (const field of ["metadata", "price_and_rules"] as const) {
        const large = makeListingEvent(1, { listing_id: field, [field]: sized(LISTING_JSON_LENGTH + 1) })
        const refused = yield* Effect.flip(asSystemActor(listings.applyUpdate(speaker, large, EVENT_TIME)))
        assert.match(refused.reason, new RegExp(`^${field}: .*20000`))
        const most = makeListingEvent(1, { listing_id: field, [field]: sized(LISTING_JSON_LENGTH) })
        assert.strictEqual(yield* asSystemActor(listings.applyUpdate(speaker, most, EVENT_TIME)), "applied")
      }
      assert.strictEqual(yield* countRows(operatorId, "listings"), 2)
    })
  )

  it.effect(`is of ${LISTINGS_MAX} listings of a host at most; what is known goes on being heard`, () =>
    Effect.gen(function* () {
      const { operatorId, account, listings, speaker } = yield* talking
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO listings (operator_id, account_id, channel_type, listing_id, title, currency, shelf_status, created_at,
          updated_at)
        SELECT ${operatorId}::bigint, ${account}::bigint, 'airbnb', 'filler ' || n, 'Filler', 'EUR', 'on', now(), now()
        FROM generate_series(1, ${LISTINGS_MAX - 1}::int) n`
      const several = ["a", "b", "c"].map((listing_id) =>
        asSystemActor(listings.applyUpdate(speaker, makeListingEvent(1, { listing_id }), EVENT_TIME))
      )
      assert.deepStrictEqual(yield* runConcurrently(several), { succeeded: 1, refused: ["InvalidChannelEvent"] })
      assert.strictEqual(yield* countRows(operatorId, "listings"), LISTINGS_MAX)
      const known = makeListingEvent(1, { listing_id: "filler 5", title: "heard" })
      assert.strictEqual(yield* asSystemActor(listings.applyUpdate(speaker, known, EVENT_TIME)), "applied")
    })
  )
})
