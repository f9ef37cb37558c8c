import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layerListingsWithPrices } from "../../../src/domain/calendars/base-prices/mapping-price-pushes.ts"
import { Listings } from "../../../src/domain/listings/Listings.ts"
import { createHostClient } from "../../support/domain/host-client.ts"
import { EVENT_TIME, makeListingEvent, toChannelAccountRef } from "../../support/domain/listings/listing-events.ts"
import { fieldOfError } from "../../support/error-messages.ts"
import { asSystemActor, call, createOperator, layerTest } from "../../support/harness.ts"
import { insertChannelAccount, insertListing } from "../../support/listings.ts"
import { countStatements } from "../../support/statement-count.ts"

layer(Layer.provideMerge(layerListingsWithPrices, layerTest))("listings", (it) => {
  it.effect("are listed as their channels have them", () =>
    Effect.gen(function* () {
      const { api, as, operatorId } = yield* createHostClient()
      const listings = yield* Listings
      const account = yield* insertChannelAccount(operatorId)
      const { channel_accounts } = yield* api.search_channel_accounts({ id: account }).pipe(as)
      const metadata = {
        city: "Lisbon",
        longitude: -9.1393,
        house_picture_list: ["https://img.example/1.jpg"],
        more: null
      }
      const full = makeListingEvent(1, {
        listing_id: "42",
        title: "Attic",
        cover: "https://img.example/1.jpg",
        url: "https://www.example/rooms/42",
        inventory: 3,
        shelf_status: "off",
        metadata
      })
      yield* asSystemActor(listings.applyUpdate(toChannelAccountRef(operatorId, account), full, EVENT_TIME))
      yield* asSystemActor(
        listings.applyUpdate(toChannelAccountRef(operatorId, account), makeListingEvent(1), EVENT_TIME)
      )
      const found = yield* api.search_listings({}).pipe(as)
      const [first, second] = found.listings
      const common = {
        channel_type: "airbnb",
        channel_account_id: account,
        origin_account_id: channel_accounts[0]?.origin_account_id,
        created_at: "2027-04-20T10:00:00Z",
        updated_at: "2027-04-20T10:00:00Z"
      }
      assert.strictEqual(found.total, 2)
      assert.deepStrictEqual(
        { ...first },
        {
          ...common,
          id: first?.id,
          listing_id: "42",
          title: "Attic",
          cover: "https://img.example/1.jpg",
          url: "https://www.example/rooms/42",
          inventory: 3,
          shelf_status: "off",
          metadata
        }
      )
      assert.deepStrictEqual(
        { ...second },
        {
          ...common,
          id: second?.id,
          listing_id: "300-77",
          title: "Harbour view",
          cover: null,
          url: null,
          inventory: 1,
          shelf_status: "on",
          metadata: null
        }
      )
    })
  )

  it.effect("are found by account, by the channel's own id and by channel, page by page", () =>
    Effect.gen(function* () {
      const { api, as, operatorId } = yield* createHostClient()
      const airbnb = yield* insertChannelAccount(operatorId)
      const vrbo = yield* insertChannelAccount(operatorId, { channelType: "vrbo" })
      const empty = yield* insertChannelAccount(operatorId, { channelType: "agoda" })
      for (const listingId of ["1", "2", "3"]) yield* insertListing(operatorId, airbnb, { listingId })
      for (const listingId of ["3", "4"]) yield* insertListing(operatorId, vrbo, { listingId, channelType: "vrbo" })
      const found = (payload: Parameters<typeof api.search_listings>[0]) =>
        Effect.map(api.search_listings(payload).pipe(as), ({ listings, total }) => [
          listings.map(({ channel_type, listing_id }) => `${channel_type} ${listing_id}`).join(", "),
          total
        ])
      assert.deepStrictEqual(yield* found({}), ["airbnb 1, airbnb 2, airbnb 3, vrbo 3, vrbo 4", 5])
      assert.deepStrictEqual(yield* found({ offset: 1, limit: 2 }), ["airbnb 2, airbnb 3", 5])
      assert.deepStrictEqual(yield* found({ channel_account_id: vrbo }), ["vrbo 3, vrbo 4", 2])
      assert.deepStrictEqual(yield* found({ channel_type: "vrbo" }), ["vrbo 3, vrbo 4", 2])
      assert.deepStrictEqual(yield* found({ listing_id: "3" }), ["airbnb 3, vrbo 3", 2])
      assert.deepStrictEqual(yield* found({ listing_id: "3", channel_type: "vrbo" }), ["vrbo 3", 1])
      assert.deepStrictEqual(yield* found({ listing_id: "9" }), ["", 0])
      assert.deepStrictEqual(yield* found({ channel_account_id: empty }), ["", 0])
      assert.deepStrictEqual(yield* found({ channel_account_id: vrbo, listing_id: "1" }), ["", 0])
    })
  )

  it.effect("of a booking site are listed, though its account is not", () =>
    Effect.gen(function* () {
      const { api, as, operatorId } = yield* createHostClient()
      const site = yield* insertChannelAccount(operatorId, { channelType: "booking_site" })
      yield* insertListing(operatorId, site, { channelType: "booking_site", listingId: "300-77" })
      for (const filter of [{}, { channel_account_id: site }, { channel_type: "booking_site" as const }]) {
        const { listings, total } = yield* api.search_listings(filter).pipe(as)
        assert.deepStrictEqual([listings.map(({ listing_id }) => listing_id), total], [["300-77"], 1])
      }
    })
  )

  it.effect("of an account that is nobody's or another's are not found at all", () =>
    Effect.gen(function* () {
      const { operatorId, token } = yield* createHostClient()
      const other = yield* createOperator()
      const theirs = yield* insertChannelAccount(other.operatorId)
      const listingId = yield* insertListing(other.operatorId, theirs)
      yield* insertListing(operatorId, yield* insertChannelAccount(operatorId))
      for (const channel_account_id of [theirs, 987_654_321]) {
        const missing = yield* call(token, "search_listings", { channel_account_id })
        assert.deepStrictEqual([missing.error_code, fieldOfError(missing)], [404, "channel_account_id"])
      }
      assert.deepInclude(yield* call(token, "search_listings", { listing_id: listingId }), {
        error_code: 0,
        data: { listings: [], total: 0 }
      })
      const unknown = yield* call(token, "search_listings", { channel_type: "myspace" })
      assert.strictEqual(unknown.error_code, 422)
      assert.match(unknown.error_msg, /^channel_type: must be one of/)
    })
  )

  it.effect("show with what they sell, in one statement however many there are", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, token } = yield* createHostClient()
      const account = yield* insertChannelAccount(operatorId)
      const vrbo = yield* insertChannelAccount(operatorId, { channelType: "vrbo" })
      const { property_id: first } = yield* api.create_property({ title: "Harbour 1" }).pipe(as)
      const { property_id: second } = yield* api.create_property({ title: "Harbour 2" }).pipe(as)
      const { room_type_id } = yield* api.create_room_type({ title: "Double", property_ids: [second] }).pipe(as)
      yield* insertListing(operatorId, vrbo, {
        listingId: "b",
        channelType: "vrbo",
        propertyId: first,
        currency: "USD"
      })
      yield* insertListing(operatorId, account, { listingId: "a", propertyId: first })
      yield* insertListing(operatorId, account, { listingId: "c", roomTypeId: room_type_id })
      yield* insertListing(operatorId, account, { listingId: "d" })
      const listings = yield* Listings
      yield* asSystemActor(
        listings.applyUpdate(
          toChannelAccountRef(operatorId, account),
          makeListingEvent(1, { listing_id: "d", shelf_status: "deleted" }),
          EVENT_TIME
        )
      )
      const key = { channel_type: "airbnb", listing_id: "d" }
      yield* asSystemActor(listings.setMapping(operatorId, key, { mapping: { type: "property", id: first } }))
      const { properties } = yield* api.search_properties({}).pipe(as)
      assert.deepStrictEqual(
        properties.map(({ channels }) => channels),
        [
          [
            { channel_type: "vrbo", listing_id: "b", currency: "USD" },
            { channel_type: "airbnb", listing_id: "a", currency: "EUR" }
          ],
          []
        ]
      )
      const { room_types } = yield* api.search_room_types({}).pipe(as)
      assert.deepStrictEqual(room_types[0]?.channels, [{ channel_type: "airbnb", listing_id: "c", currency: "EUR" }])
      for (const operation of ["search_properties", "search_room_types"] as const) {
        assert.strictEqual((yield* countStatements(call(token, operation)))[1], 1)
      }
    })
  )
})
