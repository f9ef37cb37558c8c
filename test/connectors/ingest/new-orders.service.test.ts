import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Ingest } from "../../../src/connectors/ingest/Ingest.ts"
import {
  createOperatorWithListings,
  makeChannelRoom,
  makeOrderEvent
} from "../../support/connectors/ingest/channel-events.ts"
import {
  layerWithoutRateWindows,
  loadEvents,
  loadNightHolders,
  loadReservationRows,
  MANUAL_RESERVATION,
  makeAvailabilityEvent
} from "../../support/domain/bookings/reservations/reservation-operator.ts"

layer(Layer.provideMerge(Ingest.layer, layerWithoutRateWindows), { excludeTestServices: false })(
  "a new order of a channel",
  (it) => {
    it.effect("comes in under a code of its own, in the property of its listing, and is told once", () =>
      Effect.gen(function* () {
        const {
          operatorId,
          propertyId: property,
          listingId: listing,
          ingestEvent: hear,
          reservations: rows
        } = yield* createOperatorWithListings
        const said = makeOrderEvent([makeChannelRoom(listing)], {
          cancellation_policy_category: "flexible",
          remarks: "Late train"
        })
        assert.deepStrictEqual(yield* hear(said), { outcome: "applied" })
        const [row] = yield* rows
        assert.match(row?.reservation_code ?? "", /^0-\d{9}-[0-9A-Z]{4}$/)
        assert.deepInclude(row, {
          channel_id: "HM1",
          channel_type: "airbnb",
          property_id: property,
          listing_id: listing,
          number_of_guests: 3,
          status: "accepted",
          guest_name: "Grace Hopper",
          guest_phone: "+1 555",
          channel_remarks: "Late train",
          creator: "System",
          booked_at: "2027-04-19T08:00:00+00:00",
          channel_details: { airbnb: { cancellation_policy_category: "flexible" } }
        })
        const nights = ["2027-05-04", "2027-05-05", "2027-05-06"]
        assert.sameDeepMembers(
          [...(yield* loadEvents(operatorId))],
          [
            {
              event: "reservation_created",
              reservation_code: row?.reservation_code,
              stay_code: row?.stay_code,
              property_id: property
            },
            makeAvailabilityEvent(property, ...nights.map((day) => [day, false] as const))
          ]
        )
        const before = yield* loadReservationRows(operatorId)
        assert.deepStrictEqual(yield* hear(said), { outcome: "known" })
        assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
        const sql = yield* SqlClient.SqlClient
        const trail = yield* sql`SELECT application, operation, record FROM trail WHERE operator_id = ${operatorId}`
        assert.deepStrictEqual(trail, [
          { application: "channel airbnb", operation: "ingest order", record: `reservation:${row?.reservation_code}` }
        ])
      })
    )

    it.effect("goes into the box where its nights are held, and its other rooms hold theirs", () =>
      Effect.gen(function* () {
        const {
          api,
          as,
          operatorId,
          propertyId: property,
          secondPropertyId: second,
          listingId: listing,
          otherListingId: other,
          ingestEvent: hear,
          reservations: rows
        } = yield* createOperatorWithListings
        yield* api.create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id: "A1" }).pipe(as)
        yield* hear(makeOrderEvent([makeChannelRoom(listing), makeChannelRoom(other, { room_id: "R2" })]))
        assert.deepStrictEqual(
          (yield* rows).map(({ property_id, in_reservation_box }) => [property_id, in_reservation_box]),
          [
            [0, true],
            [second, false]
          ]
        )
        assert.lengthOf(yield* loadNightHolders(operatorId), 6)
      })
    )
  }
)
