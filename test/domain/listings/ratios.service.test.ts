import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { layerListingsWithPrices } from "../../../src/domain/calendars/base-prices/mapping-price-pushes.ts"
import { Listings } from "../../../src/domain/listings/Listings.ts"
import { LISTINGS_PER_MAPPING, RATIO_MAX } from "../../../src/platform/limits.ts"
import { createHostClient, createHostWithProperties, runConcurrently } from "../../support/domain/host-client.ts"
import { loadAuditRecordLines } from "../../support/domain/listings/listing-events.ts"
import { fieldOfError } from "../../support/error-messages.ts"
import { asSystemActor, call, layerTest } from "../../support/harness.ts"
import { insertChannelAccount, insertListing } from "../../support/listings.ts"

/** A host with a property, an account and a listing linked to nothing. */
const selling = Effect.gen(function* () {
  const operator = yield* createHostWithProperties("Harbour 1")
  const [property = 0] = operator.propertyIds
  const account = yield* insertChannelAccount(operator.operatorId)
  const listingId = yield* insertListing(operator.operatorId, account, { title: "Attic" })
  const listings = yield* Listings
  const [{ id = 0 } = {}] = yield* listings.list(
    { operator_id: operator.operatorId, channel_type: undefined, listing_id: listingId },
    1
  )
  const key = { channel_type: "airbnb", listing_id: listingId }
  return { ...operator, property, account, listings, listingId, key, id }
})

/** Listings of the account that are linked to the property. */
const linked = Effect.fnUntraced(function* (operatorId: number, account: number, property: number, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO listings (operator_id, account_id, channel_type, listing_id, title, currency, shelf_status, property_id,
      created_at, updated_at)
    SELECT ${operatorId}::bigint, ${account}::bigint, 'airbnb', 'filler ' || n, 'Filler', 'EUR', 'on', ${property}::bigint,
      now(), now()
    FROM generate_series(1, ${count}::int) n`
})

layer(Layer.provideMerge(layerListingsWithPrices, layerTest))("pricing ratios", (it) => {
  it.effect("are told of a property or of a room type, a row a listing, -1 where they are read-only", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property } = yield* selling
      const { room_type_id } = yield* api.create_room_type({ title: "Double" }).pipe(as)
      const vrbo = yield* insertChannelAccount(operatorId, { channelType: "vrbo" })
      const common = { propertyId: property, channelType: "vrbo" }
      yield* insertListing(operatorId, vrbo, { ...common, listingId: "1", title: "One", ratio: 115 })
      yield* insertListing(operatorId, vrbo, { ...common, listingId: "2", title: "Two", ratio: 130, isReadOnly: true })
      yield* insertListing(operatorId, vrbo, {
        channelType: "vrbo",
        listingId: "3",
        title: "Three",
        roomTypeId: room_type_id
      })
      assert.deepStrictEqual(yield* api.get_pricing_ratios({ property_id: property }).pipe(as), {
        link_type: "property",
        link_id: property,
        channels: [
          { channel_type: "vrbo", listing_id: "1", listing_title: "One", ratio: 115, readonly: false },
          { channel_type: "vrbo", listing_id: "2", listing_title: "Two", ratio: -1, readonly: true }
        ]
      })
      assert.deepStrictEqual(yield* api.get_pricing_ratios({ room_type_id }).pipe(as), {
        link_type: "room_type",
        link_id: room_type_id,
        channels: [{ channel_type: "vrbo", listing_id: "3", listing_title: "Three", ratio: 100, readonly: false }]
      })
    })
  )

  it.effect("are asked for by exactly one of the two", () =>
    Effect.gen(function* () {
      const { token, property, api, as } = yield* selling
      const { room_type_id } = yield* api.create_room_type({ title: "Double" }).pipe(as)
      const both = { property_id: property, room_type_id }
      for (const [fields, isConflict] of [
        [{}, false],
        [both, true]
      ] as const) {
        const envelope = yield* call(token, "get_pricing_ratios", fields)
        assert.deepStrictEqual([envelope.error_code, fieldOfError(envelope)], [400, "property_id, room_type_id"])
        assert.strictEqual(envelope.error_msg.includes("conflict"), isConflict)
      }
      for (const [fields, field] of [
        [{ property_id: 987_654_321 }, "property_id"],
        [{ room_type_id: 987_654_321 }, "room_type_id"]
      ] as const) {
        const envelope = yield* call(token, "get_pricing_ratios", fields)
        assert.deepStrictEqual([envelope.error_code, fieldOfError(envelope)], [404, field])
      }
      const none = yield* api.get_pricing_ratios({ room_type_id }).pipe(as)
      assert.deepStrictEqual(none, { link_type: "room_type", link_id: room_type_id, channels: [] })
    })
  )

  it.effect("follow the host's hand, which leaves a trail", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property, listings, listingId, key, id } = yield* selling
      const { room_type_id } = yield* api.create_room_type({ title: "Double" }).pipe(as)
      const shown = (fields: Parameters<typeof api.get_pricing_ratios>[0]) =>
        Effect.map(api.get_pricing_ratios(fields).pipe(as), ({ channels }) =>
          channels.map(({ listing_id, ratio, readonly }) => [listing_id, ratio, readonly])
        )
      const before = (yield* loadAuditRecordLines(operatorId)).length
      yield* asSystemActor(listings.setMapping(operatorId, key, { mapping: { type: "property", id: property } }))
      assert.deepStrictEqual(yield* shown({ property_id: property }), [[listingId, 100, false]])
      yield* asSystemActor(listings.setMapping(operatorId, key, { ratio: 1, readonly: false }))
      assert.deepStrictEqual(yield* shown({ property_id: property }), [[listingId, 1, false]])
      yield* asSystemActor(listings.setMapping(operatorId, key, { ratio: RATIO_MAX, readonly: false }))
      yield* asSystemActor(listings.setMapping(operatorId, key, { readonly: true }))
      assert.deepStrictEqual(yield* shown({ property_id: property }), [[listingId, -1, true]])
      yield* asSystemActor(listings.setMapping(operatorId, key, { readonly: false }))
      assert.deepStrictEqual(yield* shown({ property_id: property }), [[listingId, RATIO_MAX, false]])
      // A listing has one link.
      yield* asSystemActor(listings.setMapping(operatorId, key, { mapping: { type: "room_type", id: room_type_id } }))
      assert.deepStrictEqual(yield* shown({ property_id: property }), [])
      assert.deepStrictEqual(yield* shown({ room_type_id }), [[listingId, RATIO_MAX, false]])
      yield* asSystemActor(listings.setMapping(operatorId, key, { mapping: null }))
      assert.deepStrictEqual(yield* shown({ room_type_id }), [])
      assert.deepStrictEqual(
        (yield* loadAuditRecordLines(operatorId)).slice(before),
        [
          "property_id",
          "ratio",
          "ratio",
          "ratio_readonly",
          "ratio_readonly",
          "property_id room_type_id",
          "room_type_id"
        ].map((fields) => `listing:${id} ${fields}`)
      )
    })
  )

  it.effect(`are from 1 to ${RATIO_MAX}`, () =>
    Effect.gen(function* () {
      const { operatorId, listings, key } = yield* selling
      for (const ratio of [0, RATIO_MAX + 1, 1.5, Number.NaN]) {
        const error = yield* Effect.flip(
          asSystemActor(listings.setMapping(operatorId, key, { ratio, readonly: false }))
        )
        assert.match(error.message, /^ratio: .*1.*1000/)
      }
    })
  )

  it.effect("of what is another host's are not set, and nothing is linked to it", () =>
    Effect.gen(function* () {
      const mine = yield* selling
      const theirs = yield* selling
      const { room_type_id } = yield* theirs.api.create_room_type({ title: "Double" }).pipe(theirs.as)
      const messages = yield* Effect.forEach(
        [
          mine.listings.setMapping(mine.operatorId, mine.key, { mapping: { type: "property", id: theirs.property } }),
          mine.listings.setMapping(mine.operatorId, mine.key, { mapping: { type: "room_type", id: room_type_id } }),
          mine.listings.setMapping(mine.operatorId, theirs.key, { mapping: { type: "property", id: mine.property } }),
          mine.listings.setMapping(mine.operatorId, theirs.key, { ratio: 50, readonly: false })
        ],
        (each) => Effect.map(Effect.flip(asSystemActor(each)), ({ message }) => message)
      )
      assert.deepStrictEqual(
        messages.map((error_msg) => fieldOfError({ error_msg })),
        ["property_id", "room_type_id", "listing_id", "listing_id"]
      )
      const { channels } = yield* theirs.api.get_pricing_ratios({ property_id: theirs.property }).pipe(theirs.as)
      assert.deepStrictEqual(channels, [])
    })
  )

  it.effect(`are of ${LISTINGS_PER_MAPPING} listings of a property at most, also when several are linked at once`, () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property, account, listings, listingId } = yield* selling
      yield* linked(operatorId, account, property, LISTINGS_PER_MAPPING - 1)
      const more = yield* Effect.forEach(["x", "y", "z"], (each) =>
        insertListing(operatorId, account, { listingId: each })
      )
      const mapping = { type: "property", id: property } as const
      const calls = [listingId, ...more].map((listing_id) =>
        asSystemActor(listings.setMapping(operatorId, { channel_type: "airbnb", listing_id }, { mapping }))
      )
      assert.deepStrictEqual(yield* runConcurrently(calls), { succeeded: 1, refused: ["ValidationFailed"] })
      const { channels } = yield* api.get_pricing_ratios({ property_id: property }).pipe(as)
      assert.lengthOf(channels, LISTINGS_PER_MAPPING)
      // One that is linked there already may be linked again.
      const again = yield* runConcurrently(calls)
      assert.strictEqual(again.succeeded, 1)
    })
  )

  it.effect("need no account or listing to be asked for", () =>
    Effect.gen(function* () {
      const { api, as } = yield* createHostClient()
      const { property_id } = yield* api.create_property({ title: "Harbour 1" }).pipe(as)
      const none = yield* api.get_pricing_ratios({ property_id }).pipe(as)
      assert.deepStrictEqual(none.channels, [])
    })
  )
})
