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
  deleteEvents,
  layerWithoutRateWindows,
  loadEvents,
  loadNightHolders,
  loadReservationRows,
  MANUAL_RESERVATION,
  makeAvailabilityEvent
} from "../../support/domain/bookings/reservations/reservation-operator.ts"

const layerIngest = Layer.provideMerge(Ingest.layer, layerWithoutRateWindows)

layer(layerIngest, { excludeTestServices: false })("an order of a channel that changes", (it) => {
  it.effect("moves to its new dates, gives its old nights back, and keeps what is the host's", () =>
    Effect.gen(function* () {
      const {
        api,
        as,
        operatorId,
        propertyId: property,
        listingId: listing,
        ingestEvent: hear,
        reservations: rows
      } = yield* createOperatorWithListings
      yield* hear(makeOrderEvent([makeChannelRoom(listing)]))
      const [before] = yield* rows
      const stay_code = before?.stay_code ?? ""
      yield* api.update_reservation_basic({ stay_code, remarks: "Crib", guest_name: "Admiral Hopper" }).pipe(as)
      yield* deleteEvents(operatorId)
      const said = { version: 2, booker: { name: "Grace M. Hopper" } }
      const moved = { check_in_date: "2027-05-06", check_out_date: "2027-05-08", rate: 300, number_of_adults: 1 }
      assert.deepStrictEqual(yield* hear(makeOrderEvent([makeChannelRoom(listing, moved)], said)), {
        outcome: "applied"
      })
      const [after] = yield* rows
      assert.deepInclude(after, {
        stay_code,
        property_id: property,
        check_in_date: "2027-05-06",
        check_out_date: "2027-05-08",
        number_of_guests: 2,
        guest_name: "Grace M. Hopper",
        guest_phone: null,
        remarks: "Crib"
      })
      assert.strictEqual(after?.rates.rate.amount, 300)
      assert.deepStrictEqual(yield* loadNightHolders(operatorId), [
        `${property} 2027-05-06 ${stay_code}`,
        `${property} 2027-05-07 ${stay_code}`
      ])
      const updated = { event: "reservation_updated", reservation_code: stay_code, stay_code, property_id: property }
      assert.sameDeepMembers(
        [...(yield* loadEvents(operatorId))],
        [
          updated,
          { ...updated, sub_event: "rates_updated" },
          makeAvailabilityEvent(property, ["2027-05-04", true], ["2027-05-05", true], ["2027-05-07", false])
        ]
      )
    })
  )

  it.effect("goes into the box where its new nights are held, and gives its own back", () =>
    Effect.gen(function* () {
      const {
        api,
        as,
        operatorId,
        propertyId: property,
        listingId: listing,
        ingestEvent: hear,
        reservations: rows
      } = yield* createOperatorWithListings
      yield* hear(makeOrderEvent([makeChannelRoom(listing)]))
      const later = { check_in_date: "2027-05-08", check_out_date: "2027-05-10" }
      yield* api
        .create_reservation({ ...MANUAL_RESERVATION, ...later, property_id: property, channel_id: "A1" })
        .pipe(as)
      yield* hear(makeOrderEvent([makeChannelRoom(listing, { check_out_date: "2027-05-09" })], { version: 2 }))
      assert.deepInclude((yield* rows)[0], { property_id: 0, in_reservation_box: true, check_out_date: "2027-05-09" })
      assert.deepStrictEqual(yield* loadNightHolders(operatorId), [
        `${property} 2027-05-08 5-A1`,
        `${property} 2027-05-09 5-A1`
      ])
    })
  )

  it.effect("gets rooms, loses rooms and passes nights on to a room that takes another's place", () =>
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
      const sql = yield* SqlClient.SqlClient
      yield* hear(
        makeOrderEvent([makeChannelRoom(listing), makeChannelRoom(other, { room_id: "R2", accommodation: 120 })])
      )
      const [one] = yield* rows
      const code = one?.reservation_code ?? ""
      const { transaction_id: id } = yield* api
        .create_transaction({
          direction: "income",
          item_id: 11,
          payment_method_id: 197,
          amount: 100,
          reservation_code: code
        })
        .pipe(as)
      yield* api.add_reservation_tag({ stay_code: code, tag_name: "VIP" }).pipe(as)
      const { task_id } = yield* api
        .create_task({ type: "cleaning", property_id: property, expected_date: "2027-05-07", stay_code: code })
        .pipe(as)
      yield* deleteEvents(operatorId)
      // R1 goes, R3 comes in its place: the nights there change hands and are never free.
      yield* hear(
        makeOrderEvent(
          [makeChannelRoom(other, { room_id: "R2", accommodation: 120 }), makeChannelRoom(listing, { room_id: "R3" })],
          { version: 2 }
        )
      )
      const [head, tail] = [code.slice(0, 11), code.slice(11)]
      const stays = [`${head}_1${tail}`, `${head}_2${tail}`]
      assert.deepStrictEqual(
        (yield* rows).map(({ stay_code, property_id }) => [stay_code, property_id]),
        [
          [stays[0], second],
          [stays[1], property]
        ]
      )
      assert.sameDeepMembers(
        [...(yield* loadEvents(operatorId))],
        [
          { event: "reservation_created", reservation_code: code, stay_code: stays[1], property_id: property },
          { event: "reservation_updated", reservation_code: code, stay_code: stays[0], property_id: second }
        ]
      )
      assert.lengthOf(
        (yield* loadNightHolders(operatorId)).filter((night) => night.endsWith(stays[1] ?? "none")),
        3
      )
      const { transactions } = yield* api.search_transactions({ id }).pipe(as)
      assert.deepStrictEqual(transactions[0]?.shares, [
        { property_id: second, amount: 24 },
        { property_id: property, amount: 76 }
      ])
      assert.strictEqual((yield* api.search_reservations({ channel_type: "airbnb" }).pipe(as)).total, 2)
      const [task] = yield* sql`SELECT stay_id FROM tasks WHERE operator_id = ${operatorId} AND id = ${task_id}`
      assert.deepStrictEqual(task, { stay_id: null })
      assert.deepStrictEqual(yield* sql`SELECT stay_code FROM stays_out_of_step WHERE operator_id = ${operatorId}`, [])
      const [counted] = yield* sql`SELECT stay_count FROM orders WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(counted, { stay_count: 2 })
    })
  )

  it.effect("says nothing to anybody where a newer version is what is known", () =>
    Effect.gen(function* () {
      const { operatorId, listingId: listing, ingestEvent: hear } = yield* createOperatorWithListings
      const sql = yield* SqlClient.SqlClient
      const details = [{ type: "CLEANING_FEE", description: "Cleaning", amount: 40 }]
      yield* hear(makeOrderEvent([makeChannelRoom(listing, { details })]))
      const trail = sql`SELECT count(*) AS entries FROM trail WHERE operator_id = ${operatorId}`
      const [entries, events] = [yield* trail, yield* loadEvents(operatorId)]
      assert.deepStrictEqual(yield* hear(makeOrderEvent([makeChannelRoom(listing, { details })], { version: 5 })), {
        outcome: "applied"
      })
      assert.deepStrictEqual([yield* trail, yield* loadEvents(operatorId)], [entries, events])
      assert.deepStrictEqual(yield* hear(makeOrderEvent([makeChannelRoom(listing)], { version: 4 })), {
        outcome: "late"
      })
    })
  )

  it.effect("is over when it is cancelled, whatever came before, and sold again when that is said", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        propertyId: property,
        listingId: listing,
        ingestEvent: hear,
        reservations: rows
      } = yield* createOperatorWithListings
      yield* hear(makeOrderEvent([makeChannelRoom(listing)], { version: 2, status: "cancelled" }))
      assert.deepStrictEqual(yield* hear(makeOrderEvent([makeChannelRoom(listing)])), { outcome: "late" })
      assert.deepInclude((yield* rows)[0], { status: "cancelled", cancelled_at: "2027-04-20T10:00:00+00:00" })
      assert.deepStrictEqual(yield* loadNightHolders(operatorId), [])
      yield* hear(makeOrderEvent([makeChannelRoom(listing)], { version: 3, status: "wait_accept" }))
      assert.strictEqual((yield* rows)[0]?.status, "cancelled")
      yield* hear(makeOrderEvent([makeChannelRoom(listing)], { version: 4 }))
      assert.deepInclude((yield* rows)[0], { status: "accepted", cancelled_at: null, property_id: property })
      assert.lengthOf(yield* loadNightHolders(operatorId), 3)
      yield* hear(makeOrderEvent([makeChannelRoom(listing)], { version: 5, status: "wait_accept" }))
      assert.strictEqual((yield* rows)[0]?.status, "accepted")
      yield* deleteEvents(operatorId)
      yield* hear(makeOrderEvent([makeChannelRoom(listing)], { version: 6, status: "cancelled" }))
      assert.deepStrictEqual(yield* loadNightHolders(operatorId), [])
      assert.includeDeepMembers(
        [...(yield* loadEvents(operatorId))],
        [makeAvailabilityEvent(property, ["2027-05-04", true], ["2027-05-05", true], ["2027-05-06", true])]
      )
      const before = yield* loadReservationRows(operatorId)
      assert.deepStrictEqual(yield* hear(makeOrderEvent([makeChannelRoom(listing)], { version: 6 })), {
        outcome: "known"
      })
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
    })
  )
})
