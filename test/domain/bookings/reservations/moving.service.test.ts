import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  deleteEvents,
  layerWithoutRateWindows,
  loadEvents,
  loadNightHolders,
  loadReservationRows,
  loadStayRow,
  MANUAL_RESERVATION,
  makeAvailabilityEvent,
  prepareOperator,
  sortEvents
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import { call, insertOrder } from "../../../support/harness.ts"
import { countStatements } from "../../../support/statement-count.ts"

layer(layerWithoutRateWindows, { excludeTestServices: false })("moving between properties", (it) => {
  it.effect("puts whoever is in the way into the box, with all of its nights", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOperator
      const { api, as, operatorId, propertyId: property, secondPropertyId: second } = ground
      yield* api.create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id: "A1" }).pipe(as)
      const wide = {
        ...MANUAL_RESERVATION,
        property_id: second,
        check_in_date: "2027-05-03",
        check_out_date: "2027-05-06"
      }
      yield* api.create_reservation({ ...wide, channel_id: "B1" }).pipe(as)
      yield* deleteEvents(operatorId)
      const [, statements] = yield* countStatements(
        api.allocate_stay({ stay_code: "5-A1", property_id: second }).pipe(as)
      )
      assert.isAtMost(statements, 3, "the token and two")
      assert.deepStrictEqual(yield* loadNightHolders(operatorId), [
        `${second} 2027-05-04 5-A1`,
        `${second} 2027-05-05 5-A1`,
        `${second} 2027-05-06 5-A1`
      ])
      assert.deepStrictEqual(
        sortEvents(yield* loadEvents(operatorId)),
        sortEvents([
          { event: "reservation_updated", reservation_code: "5-A1", stay_code: "5-A1", property_id: second },
          { event: "reservation_updated", reservation_code: "5-B1", stay_code: "5-B1", property_id: 0 },
          makeAvailabilityEvent(property, ["2027-05-04", true], ["2027-05-05", true], ["2027-05-06", true]),
          // The 4th and 5th went from one stay to the other: nothing changed for whoever wants to book.
          makeAvailabilityEvent(second, ["2027-05-03", true], ["2027-05-06", false])
        ])
      )
      assert.deepInclude(yield* loadStayRow(ground, "5-B1"), {
        property_id: 0,
        listing_id: "0",
        in_reservation_box: true,
        status: "accepted"
      })
      assert.deepInclude(yield* loadStayRow(ground, "5-A1"), {
        property_id: second,
        listing_id: String(second),
        in_reservation_box: false
      })
      // Out of the box again, into what is free now.
      yield* api.allocate_stay({ stay_code: "5-B1", property_id: property }).pipe(as)
      assert.lengthOf(yield* loadNightHolders(operatorId), 6)
      yield* deleteEvents(operatorId)
      yield* api.allocate_stay({ stay_code: "5-B1", property_id: property }).pipe(as)
      assert.deepStrictEqual(yield* loadEvents(operatorId), [], "it is there already")
    })
  )

  it.effect("displaces several stays of several orders, and rooms of its own order", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property, secondPropertyId: second } = yield* prepareOperator
      const code = yield* insertOrder(operatorId, [
        { propertyId: property, checkIn: "2027-05-01", checkOut: "2027-05-10" },
        { propertyId: second, checkIn: "2027-05-08", checkOut: "2027-05-09" }
      ])
      const one = yield* insertOrder(operatorId, [
        { propertyId: second, checkIn: "2027-05-01", checkOut: "2027-05-02" }
      ])
      const two = yield* insertOrder(operatorId, [
        { propertyId: second, checkIn: "2027-05-03", checkOut: "2027-05-05" },
        { propertyId: second, checkIn: "2027-05-10", checkOut: "2027-05-11" }
      ])
      yield* api.allocate_stay({ stay_code: code, property_id: second }).pipe(as)
      const { reservations } = yield* api.search_reservations({ property_id: second }).pipe(as)
      assert.deepStrictEqual(reservations.map(({ stay_code }) => stay_code).sort(), [code, `${two}_1`].sort())
      const box = (yield* api.search_reservations({ status: "accepted" }).pipe(as)).reservations.filter(
        (each) => each.in_reservation_box
      )
      assert.deepStrictEqual(box.map(({ stay_code }) => stay_code).sort(), [`${code}_1`, one, two].sort())
      assert.lengthOf(yield* loadNightHolders(operatorId), 10)
    })
  )

  it.effect("into the box frees the nights and is no cancellation", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOperator
      const { api, as, operatorId, propertyId: property } = ground
      yield* api.create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id: "A1" }).pipe(as)
      yield* deleteEvents(operatorId)
      yield* api.move_stay_to_box({ stay_code: "5-A1" }).pipe(as)
      assert.deepStrictEqual(yield* loadNightHolders(operatorId), [])
      assert.deepInclude(yield* loadStayRow(ground, "5-A1"), {
        property_id: 0,
        in_reservation_box: true,
        status: "accepted"
      })
      assert.deepStrictEqual(
        sortEvents(yield* loadEvents(operatorId)),
        sortEvents([
          { event: "reservation_updated", reservation_code: "5-A1", stay_code: "5-A1", property_id: 0 },
          makeAvailabilityEvent(property, ["2027-05-04", true], ["2027-05-05", true], ["2027-05-06", true])
        ])
      )
      // Nights can be booked meanwhile, and its dates changed while it is in no property.
      yield* api.create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id: "B1" }).pipe(as)
      yield* api.update_reservation_basic({ stay_code: "5-A1", check_out_date: "2027-05-09" }).pipe(as)
      assert.lengthOf(yield* loadNightHolders(operatorId), 3)
      yield* deleteEvents(operatorId)
      yield* api.move_stay_to_box({ stay_code: "5-A1" }).pipe(as)
      assert.deepStrictEqual(yield* loadEvents(operatorId), [])
    })
  )

  it.effect("of a pending request displaces nobody", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOperator
      const { api, as, operatorId, propertyId: property, secondPropertyId: second } = ground
      yield* api.create_reservation({ ...MANUAL_RESERVATION, property_id: second, channel_id: "A1" }).pipe(as)
      const dates = { checkIn: "2027-05-04", checkOut: "2027-05-07" }
      const pending = yield* insertOrder(operatorId, [{ propertyId: property, ...dates }], {
        channelType: "airbnb",
        status: "wait_accept"
      })
      const before = yield* loadNightHolders(operatorId)
      yield* api.allocate_stay({ stay_code: pending, property_id: second }).pipe(as)
      assert.deepStrictEqual(yield* loadNightHolders(operatorId), before)
      assert.deepInclude(yield* loadStayRow(ground, pending), { property_id: second, status: "wait_accept" })
    })
  )

  it.effect("answers 404 for what is not there", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOperator
      const stranger = yield* prepareOperator
      const { api, as, operatorId, propertyId: property, token } = ground
      yield* api.create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id: "A1" }).pipe(as)
      const theirs = yield* insertOrder(stranger.operatorId, [{ propertyId: stranger.propertyId }])
      const before = [yield* loadReservationRows(operatorId), yield* loadReservationRows(stranger.operatorId)]
      for (const [operation, fields, field] of [
        ["allocate_stay", { stay_code: "5-ZZ", property_id: property }, "stay_code"],
        ["allocate_stay", { stay_code: theirs, property_id: property }, "stay_code"],
        ["allocate_stay", { stay_code: "5-A1", property_id: stranger.propertyId }, "property_id"],
        ["move_stay_to_box", { stay_code: theirs }, "stay_code"]
      ] as const) {
        const { error_code, error_msg } = yield* call(token, operation, fields)
        assert.deepStrictEqual([error_code, error_msg.split(":")[0]], [404, field])
      }
      assert.strictEqual((yield* call(token, "allocate_stay", { stay_code: "5-A1" })).error_code, 400)
      assert.deepStrictEqual(
        [yield* loadReservationRows(operatorId), yield* loadReservationRows(stranger.operatorId)],
        before
      )
    })
  )
})
