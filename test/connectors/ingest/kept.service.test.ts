import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Ingest } from "../../../src/connectors/ingest/Ingest.ts"
import { HOST_RESPONSE_DEADLINE_MS } from "../../../src/platform/limits.ts"
import {
  createOperatorWithListings,
  makeChannelRoom,
  makeOrderEvent
} from "../../support/connectors/ingest/channel-events.ts"
import {
  layerWithoutRateWindows,
  loadNightHolders,
  NOW_ISO
} from "../../support/domain/bookings/reservations/reservation-operator.ts"
import { insertChannelAccount, insertListing } from "../../support/listings.ts"

const layerIngest = Layer.provideMerge(Ingest.layer, layerWithoutRateWindows)

layer(layerIngest, { excludeTestServices: false })("what is kept of an order of a channel", (it) => {
  const flexible = { cancellation_policy_category: "flexible" }

  it.effect("channel_details are null of every channel but airbnb", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId: property, ingest, reservations: rows } = yield* createOperatorWithListings
      const accountId = yield* insertChannelAccount(operatorId, { channelType: "booking.com" })
      const listing = yield* insertListing(operatorId, accountId, { channelType: "booking.com", propertyId: property })
      yield* ingest(
        { operatorId, accountId, channelType: "booking.com" },
        makeOrderEvent([makeChannelRoom(listing)], flexible)
      )
      assert.deepStrictEqual(
        (yield* rows).map(({ channel_details }) => channel_details),
        [null]
      )
    })
  )

  it.effect("under airbnb they are filled at once, or by the next change of an order that came before", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        listingId: listing,
        ingestEvent: hear,
        reservations: rows
      } = yield* createOperatorWithListings
      const sql = yield* SqlClient.SqlClient
      const details = Effect.map(rows, (all) => all[0]?.channel_details)
      yield* hear(makeOrderEvent([makeChannelRoom(listing)], flexible))
      assert.deepStrictEqual(yield* details, { airbnb: flexible })
      yield* sql`UPDATE orders SET cancellation_policy_category = NULL WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(yield* details, { airbnb: { cancellation_policy_category: null } })
      yield* hear(makeOrderEvent([makeChannelRoom(listing)], flexible))
      assert.deepStrictEqual(yield* details, { airbnb: { cancellation_policy_category: null } }, "no change")
      yield* hear(makeOrderEvent([makeChannelRoom(listing)], { ...flexible, version: 2 }))
      assert.deepStrictEqual(yield* details, { airbnb: flexible })
    })
  )

  it.effect("and never of an order whose channel had stopped talking of it before the release", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        listingId: listing,
        ingestEvent: hear,
        reservations: rows
      } = yield* createOperatorWithListings
      const sql = yield* SqlClient.SqlClient
      yield* hear(makeOrderEvent([makeChannelRoom(listing)], { status: "cancelled" }))
      yield* sql`
        UPDATE orders SET created_at = '2026-09-01', channel_synced_at = NULL WHERE operator_id = ${operatorId}`
      for (const version of [2, 3]) {
        const said = makeOrderEvent([makeChannelRoom(listing, { rate: 400 + version })], {
          ...flexible,
          version,
          status: "cancelled"
        })
        assert.deepStrictEqual(yield* hear(said), { outcome: "applied" })
        const [row] = yield* rows
        assert.deepStrictEqual(row?.channel_details, { airbnb: { cancellation_policy_category: null } })
        assert.strictEqual(row?.rates.rate.amount, 400 + version)
      }
    })
  )

  it.effect("a request has until its channel's time, or a day, and no end once it is answered here", () =>
    Effect.gen(function* () {
      const {
        api,
        as,
        operatorId,
        listingId: listing,
        otherListingId: other,
        ingestEvent: hear,
        reservations: rows
      } = yield* createOperatorWithListings
      const sql = yield* SqlClient.SqlClient
      const ends = Effect.map(
        sql<{ expires_at: Date | null }>`
          SELECT expires_at FROM orders WHERE operator_id = ${operatorId} AND channel_id = 'HM1'`,
        ([row]) => row?.expires_at?.toISOString() ?? null
      )
      yield* hear(makeOrderEvent([makeChannelRoom(listing)], { status: "wait_accept" }))
      assert.deepStrictEqual(yield* loadNightHolders(operatorId), [])
      assert.strictEqual(yield* ends, new Date(Date.parse(NOW_ISO) + HOST_RESPONSE_DEADLINE_MS).toISOString())
      const said = { status: "wait_accept", version: 2, expires_at: "2027-04-20T18:00:00+02:00" } as const
      yield* hear(makeOrderEvent([makeChannelRoom(listing)], said))
      assert.strictEqual(yield* ends, "2027-04-20T16:00:00.000Z")
      yield* hear(makeOrderEvent([makeChannelRoom(listing, { rate: 430 })], { status: "wait_accept", version: 3 }))
      assert.strictEqual(yield* ends, "2027-04-20T16:00:00.000Z")
      const [{ stay_code = "", reservation_code = "" } = {}] = yield* rows
      yield* api.move_stay_to_box({ stay_code }).pipe(as)
      assert.strictEqual(yield* ends, "2027-04-20T16:00:00.000Z")
      yield* api.approve_reservation({ reservation_code }).pipe(as)
      assert.isNull(yield* ends)
      // The channel spoke before it heard of that.
      yield* hear(makeOrderEvent([makeChannelRoom(listing)], { status: "wait_accept", version: 4 }))
      assert.isNull(yield* ends)
      assert.strictEqual((yield* rows)[0]?.status, "accepted")
      yield* hear(makeOrderEvent([makeChannelRoom(other)], { channel_id: "HM2", status: "wait_pay" }))
      yield* hear(makeOrderEvent([makeChannelRoom(other)], { channel_id: "HM2", version: 2, status: "timeout" }))
      const [waiting] = yield* sql`
        SELECT count(*) AS orders FROM orders WHERE operator_id = ${operatorId} AND expires_at IS NOT NULL`
      assert.deepStrictEqual(waiting, { orders: 0 })
    })
  )

  it.effect("a dropped room leaves its images to the order, its task to the host, and its code to nobody", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        listingId: listing,
        otherListingId: other,
        ingestEvent: hear,
        reservations: rows
      } = yield* createOperatorWithListings
      const sql = yield* SqlClient.SqlClient
      const [one, two] = [makeChannelRoom(listing), makeChannelRoom(other, { room_id: "R2" })]
      yield* hear(makeOrderEvent([one, two]))
      yield* sql`
        INSERT INTO identity_images (operator_id, order_id, guest_id, large_url, extra_large_url, created_at)
        SELECT s.operator_id, s.order_id, g.id, 'https://images.test/l', 'https://images.test/xl', now()
        FROM stays s JOIN guests g ON g.operator_id = s.operator_id AND g.stay_id = s.id
        WHERE s.operator_id = ${operatorId}`
      yield* hear(makeOrderEvent([one], { version: 2 }))
      const [left] = yield* rows
      assert.deepStrictEqual(left?.checkin_guide_images.map(({ client_id }) => client_id === null).toSorted(), [
        false,
        true
      ])
      yield* hear(makeOrderEvent([one, two], { version: 3 }))
      const codes = (yield* rows).map(({ stay_code }) => stay_code)
      assert.match(codes[1] ?? "", /^0-\d{9}_2-/)
    })
  )
})
