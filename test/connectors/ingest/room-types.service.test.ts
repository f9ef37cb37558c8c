import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { Ingest } from "../../../src/connectors/ingest/Ingest.ts"
import { CHANNEL_ORDER_ATTEMPTS } from "../../../src/domain/bookings/reservations/Orders.ts"
import { PropertyEditStore } from "../../../src/domain/properties/property-edits/PropertyEditStore.ts"
import {
  createOperatorWithListings,
  makeChannelRoom,
  makeOrderEvent
} from "../../support/connectors/ingest/channel-events.ts"
import {
  layerWithoutRateWindows,
  loadNightHolders,
  MANUAL_RESERVATION
} from "../../support/domain/bookings/reservations/reservation-operator.ts"
import { insertProperty } from "../../support/harness.ts"
import { insertListing } from "../../support/listings.ts"
import { deactivateProperty } from "../../support/property-activation.ts"

const layerIngest = Layer.provideMerge(Layer.merge(Ingest.layer, PropertyEditStore.layer), layerWithoutRateWindows)

layer(layerIngest, { excludeTestServices: false })("a room sold by the type", (it) => {
  /** A type of three properties, its listing, and one that is linked to nothing. */
  const ground = Effect.gen(function* () {
    const ground = yield* createOperatorWithListings
    const { api, as, operatorId, accountId, propertyId: property, secondPropertyId: second } = ground
    const third = yield* insertProperty(operatorId, "Harbour 3")
    const { room_type_id } = yield* api
      .create_room_type({ title: "Double", property_ids: [property, second, third] })
      .pipe(as)
    const double = yield* insertListing(operatorId, accountId, { roomTypeId: room_type_id })
    const unlinked = yield* insertListing(operatorId, accountId)
    const properties = Effect.map(ground.reservations, (rows) => rows.map(({ property_id }) => property_id))
    return { ...ground, third, double, unlinked, properties }
  })

  const doubles = (listing: string, count: number) => {
    const [first = makeChannelRoom(listing), ...others] = Array.from({ length: count }, (_, at) =>
      makeChannelRoom(listing, { room_id: `R${at}` })
    )
    return makeOrderEvent([first, ...others])
  }

  it.effect("is in the first property of it that is free for all its nights, and open for them if there is one", () =>
    Effect.gen(function* () {
      const {
        api,
        as,
        operatorId,
        propertyId: property,
        secondPropertyId: second,
        third,
        double,
        ingestEvent: hear,
        properties
      } = yield* ground
      const last = { check_in_date: "2027-05-06", check_out_date: "2027-05-08" }
      yield* api
        .create_reservation({ ...MANUAL_RESERVATION, ...last, property_id: property, channel_id: "A1" })
        .pipe(as)
      yield* api.update_availabilities({ property_ids: [second], available: false, dates: ["2027-05-05"] }).pipe(as)
      yield* hear(doubles(double, 3))
      assert.deepStrictEqual(yield* properties, [third, second, 0])
      assert.lengthOf(yield* loadNightHolders(operatorId), 8)
    })
  )

  it.effect(
    "is where least speaks against it: an open one, a closed one, one busy elsewhere, one that is not let",
    () =>
      Effect.gen(function* () {
        const {
          api,
          as,
          operatorId,
          propertyId: property,
          secondPropertyId: second,
          third,
          ingestEvent: hear,
          accountId
        } = yield* ground
        const sql = yield* SqlClient.SqlClient
        const [open, shut] = [
          yield* insertProperty(operatorId, "Harbour 4"),
          yield* insertProperty(operatorId, "Harbour 5")
        ]
        yield* deactivateProperty(property)
        yield* sql`
        INSERT INTO calendar_days (operator_id, property_id, day, imported) VALUES (${operatorId}, ${second}, '2027-05-05', 2)`
        yield* api.update_availabilities({ property_ids: [shut], available: false, dates: ["2027-05-06"] }).pipe(as)
        // Of no night of the rooms.
        yield* api.update_availabilities({ property_ids: [open], available: false, dates: ["2027-05-07"] }).pipe(as)
        yield* sql`
        INSERT INTO calendar_days (operator_id, property_id, day, imported) VALUES (${operatorId}, ${open}, '2027-05-03', 1)`
        const five = yield* api.create_room_type({ title: "Five", property_ids: [] }).pipe(as)
        yield* sql`
        UPDATE room_type_properties SET room_type_id = ${five.room_type_id} WHERE operator_id = ${operatorId}`
        for (const id of [open, shut]) {
          yield* sql`
          INSERT INTO room_type_properties (operator_id, room_type_id, property_id)
          VALUES (${operatorId}, ${five.room_type_id}, ${id})`
        }
        const listing = yield* insertListing(operatorId, accountId, { roomTypeId: five.room_type_id })
        const came: Array<number | undefined> = []
        for (const channel_id of ["N1", "N2", "N3", "N4", "N5", "N6"]) {
          yield* hear(makeOrderEvent([makeChannelRoom(listing)], { channel_id }))
          const { reservations } = yield* api.search_reservations({ channel_id }).pipe(as)
          came.push(reservations[0]?.property_id)
        }
        assert.deepStrictEqual(came, [third, open, shut, second, property, 0])
      })
  )

  it.effect("of which none is left, or of a listing that is linked to nothing, is in the box", () =>
    Effect.gen(function* () {
      const {
        propertyId: property,
        secondPropertyId: second,
        third,
        double,
        unlinked,
        ingestEvent: hear,
        properties
      } = yield* ground
      const four = doubles(double, 4)
      yield* hear({ ...four, rooms: [makeChannelRoom(unlinked, { room_id: "U" }), ...four.rooms] })
      assert.deepStrictEqual(yield* properties, [0, property, second, third, 0])
    })
  )

  it.effect("moves on to the next property while others are faster, and to the box after so many", () =>
    Effect.gen(function* () {
      const { operatorId, accountId, api, as, ingestEvent: hear } = yield* ground
      const many = yield* Effect.forEach(Array.from({ length: CHANNEL_ORDER_ATTEMPTS + 1 }), (_, at) =>
        insertProperty(operatorId, `Attic ${at}`)
      )
      const { room_type_id } = yield* api.create_room_type({ title: "Attic", property_ids: many }).pipe(as)
      const attic = yield* insertListing(operatorId, accountId, { roomTypeId: room_type_id })
      /** Somebody takes the first free attic right before an order is written, that many times. */
      const whileOthersTake = (channel_id: string, times: number) => {
        let left = times
        return Effect.provideService(
          hear(makeOrderEvent([makeChannelRoom(attic)], { channel_id })),
          Statement.CurrentTransformer,
          Effect.fnUntraced(function* (statement) {
            const [text] = statement.compile()
            if (text.includes("INSERT INTO stays") && left > 0) {
              left -= 1
              yield* Effect.provideService(
                hear(makeOrderEvent([makeChannelRoom(attic)], { channel_id: `${channel_id} ${left}` })).pipe(
                  Effect.orDie
                ),
                Statement.CurrentTransformer,
                undefined
              )
            }
            return statement
          })
        )
      }
      const where = Effect.fnUntraced(function* (channel_id: string) {
        const { reservations } = yield* api.search_reservations({ channel_id }).pipe(as)
        return reservations[0]?.property_id
      })
      yield* whileOthersTake("A", CHANNEL_ORDER_ATTEMPTS - 1)
      assert.strictEqual(yield* where("A"), many[CHANNEL_ORDER_ATTEMPTS - 1])
      yield* Effect.forEach(Array.from({ length: CHANNEL_ORDER_ATTEMPTS - 1 }), (_, at) =>
        hear(makeOrderEvent([makeChannelRoom(attic)], { channel_id: `A ${at}`, version: 2, status: "cancelled" }))
      )
      yield* whileOthersTake("B", CHANNEL_ORDER_ATTEMPTS)
      assert.strictEqual(yield* where("B"), 0)
    })
  )

  it.effect("gets another property when it is accepted, where others were faster than its request", () =>
    Effect.gen(function* () {
      const {
        api,
        as,
        propertyId: property,
        secondPropertyId: second,
        double,
        ingestEvent: hear,
        properties
      } = yield* ground
      yield* hear(makeOrderEvent([makeChannelRoom(double)], { status: "wait_accept" }))
      assert.deepStrictEqual(yield* properties, [property])
      yield* api.create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id: "A1" }).pipe(as)
      yield* hear(makeOrderEvent([makeChannelRoom(double, { rate: 430 })], { version: 2, status: "wait_pay" }))
      assert.deepStrictEqual(yield* properties, [property])
      yield* hear(makeOrderEvent([makeChannelRoom(double)], { version: 3 }))
      assert.deepStrictEqual(yield* properties, [second])
    })
  )

  it.effect("goes where another listing is when it is said to be there, and stays where its host put it else", () =>
    Effect.gen(function* () {
      const {
        api,
        as,
        propertyId: property,
        secondPropertyId: second,
        listingId: listing,
        double,
        ingestEvent: hear,
        reservations: rows,
        properties
      } = yield* ground
      yield* hear(makeOrderEvent([makeChannelRoom(listing)]))
      const [{ stay_code = "" } = {}] = yield* rows
      yield* api.allocate_stay({ stay_code, property_id: second }).pipe(as)
      yield* hear(makeOrderEvent([makeChannelRoom(listing, { rate: 500 })], { version: 2 }))
      assert.deepStrictEqual(yield* properties, [second])
      yield* api.move_stay_to_box({ stay_code }).pipe(as)
      yield* hear(makeOrderEvent([makeChannelRoom(listing, { rate: 510 })], { version: 3 }))
      assert.deepStrictEqual(yield* properties, [0])
      yield* hear(makeOrderEvent([makeChannelRoom(double, { rate: 520 })], { version: 4 }))
      assert.deepStrictEqual(yield* properties, [property])
    })
  )
})
