import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  deleteEvents,
  layerWithoutRateWindows,
  loadEvents,
  loadNightHolders,
  loadReservationRows,
  MANUAL_RESERVATION,
  makeAvailabilityEvent,
  prepareOperator,
  sortEvents
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import { fieldOfError } from "../../../support/error-messages.ts"
import { call, insertOrder } from "../../../support/harness.ts"
import { countStatements } from "../../../support/statement-count.ts"

layer(layerWithoutRateWindows, { excludeTestServices: false })("cancelling", (it) => {
  it.effect("frees every night of every room, keeps closed days closed, and tells each stay", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property, secondPropertyId: second } = yield* prepareOperator
      const code = yield* insertOrder(operatorId, [
        { propertyId: property },
        { propertyId: second },
        { propertyId: null }
      ])
      yield* api.update_availabilities({ property_ids: [second], available: false, dates: ["2027-05-02"] }).pipe(as)
      yield* deleteEvents(operatorId)
      const [, statements] = yield* countStatements(api.cancel_reservation({ reservation_code: code }).pipe(as))
      assert.isAtMost(statements, 3, "the token and two")
      assert.deepStrictEqual(yield* loadNightHolders(operatorId), [])
      const updated = { event: "reservation_updated", reservation_code: code }
      assert.deepStrictEqual(
        sortEvents(yield* loadEvents(operatorId)),
        sortEvents([
          { ...updated, stay_code: code, property_id: property },
          { ...updated, stay_code: `${code}_1`, property_id: second },
          { ...updated, stay_code: `${code}_2`, property_id: 0 },
          makeAvailabilityEvent(property, ["2027-05-01", true], ["2027-05-02", true], ["2027-05-03", true]),
          makeAvailabilityEvent(second, ["2027-05-01", true], ["2027-05-03", true])
        ])
      )
      const { reservations } = yield* api.search_reservations({ reservation_code: code }).pipe(as)
      assert.deepStrictEqual(
        reservations.map(({ status, cancelled_at }) => [status, cancelled_at]),
        Array.from({ length: 3 }, () => ["cancelled", "2027-04-20T10:00:00+00:00"])
      )
      // The nights can be sold again.
      yield* api
        .create_reservation({
          ...MANUAL_RESERVATION,
          property_id: property,
          check_in_date: "2027-05-01",
          check_out_date: "2027-05-04"
        })
        .pipe(as)
    })
  )

  it.effect("leaves no balance, and the money that came in with its status", () =>
    Effect.gen(function* () {
      const { api, as, propertyId: property } = yield* prepareOperator
      const { reservation_code } = yield* api
        .create_reservation({ ...MANUAL_RESERVATION, property_id: property, received_amount: 120 })
        .pipe(as)
      const payment = Effect.map(
        api.search_reservations({ reservation_code }).pipe(as),
        ({ reservations }) => reservations[0]?.payment
      )
      const sums = { currency: "EUR", total_amount: 420, received_amount: 120, status: "partial" }
      assert.deepStrictEqual({ ...(yield* payment) }, { ...sums, balance_amount: 300 })
      yield* api.cancel_reservation({ reservation_code }).pipe(as)
      assert.deepStrictEqual({ ...(yield* payment) }, { ...sums, balance_amount: 0 })
    })
  )

  it.effect("once more is no error and no change", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property } = yield* prepareOperator
      const { reservation_code } = yield* api
        .create_reservation({ ...MANUAL_RESERVATION, property_id: property })
        .pipe(as)
      yield* api.cancel_reservation({ reservation_code }).pipe(as)
      const before = yield* loadReservationRows(operatorId)
      yield* api.cancel_reservation({ reservation_code }).pipe(as)
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
    })
  )

  it.effect("answers 404 in the specification's words, and 409 for what has ended otherwise", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOperator
      const stranger = yield* prepareOperator
      const { operatorId, propertyId: property, secondPropertyId: second, token } = ground
      const ofChannel = yield* insertOrder(operatorId, [{ propertyId: property }], { channelType: "booking.com" })
      const denied = yield* insertOrder(operatorId, [{ propertyId: second }], { status: "denied" })
      const theirs = yield* insertOrder(stranger.operatorId, [{ propertyId: stranger.propertyId }])
      const before = [yield* loadReservationRows(operatorId), yield* loadReservationRows(stranger.operatorId)]
      for (const [reservation_code, error_code, error_msg] of [
        [ofChannel, 404, "Only manually created reservations can be cancelled through this endpoint."],
        ["5-NOBODY", 404, "This resource is no longer available."],
        ["0-NOBODY", 404, "This resource is no longer available."],
        [theirs, 404, "This resource is no longer available."]
      ] as const) {
        assert.deepInclude(yield* call(token, "cancel_reservation", { reservation_code }), { error_code, error_msg })
      }
      const conflict = yield* call(token, "cancel_reservation", { reservation_code: denied })
      assert.deepStrictEqual([conflict.error_code, fieldOfError(conflict)], [409, "reservation_code"])
      assert.include(conflict.error_msg, "denied")
      assert.deepStrictEqual(
        [yield* loadReservationRows(operatorId), yield* loadReservationRows(stranger.operatorId)],
        before
      )
    })
  )

  it.effect("is final for dates, and leaves notes and price open", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property, secondPropertyId: second, token } = yield* prepareOperator
      yield* api.create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id: "A1" }).pipe(as)
      yield* api.cancel_reservation({ reservation_code: "5-A1" }).pipe(as)
      yield* api.update_reservation_basic({ stay_code: "5-A1", remarks: "no show", rate_amount: 100 }).pipe(as)
      const before = yield* loadReservationRows(operatorId)
      const dates = yield* call(token, "update_reservation_basic", { stay_code: "5-A1", check_out_date: "2027-05-09" })
      assert.deepStrictEqual([dates.error_code, fieldOfError(dates)], [422, "check_out_date"])
      assert.include(dates.error_msg, "cancelled")
      const allocate = yield* call(token, "allocate_stay", { stay_code: "5-A1", property_id: second })
      assert.strictEqual(allocate.error_code, 422)
      const box = yield* call(token, "move_stay_to_box", { stay_code: "5-A1" })
      assert.strictEqual(box.error_code, 422)
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
    })
  )
})
