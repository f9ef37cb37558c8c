import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  available,
  booking,
  eventsOf,
  everything,
  forgetEvents,
  layerUnhurried,
  nightsOf,
  ready,
  sorted
} from "../../../support/domain/bookings/reservations/ready.ts"
import { call, orderOf } from "../../../support/harness.ts"
import { fieldOf } from "../../../support/messages-of-errors.ts"
import { countStatements } from "../../../support/statements.ts"

layer(layerUnhurried, { excludeTestServices: false })("cancelling", (it) => {
  it.effect("frees every night of every room, keeps closed days closed, and tells each stay", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property, second } = yield* ready
      const code = yield* orderOf(operatorId, [{ propertyId: property }, { propertyId: second }, { propertyId: null }])
      yield* api.update_availabilities({ property_ids: [second], available: false, dates: ["2027-05-02"] }).pipe(as)
      yield* forgetEvents(operatorId)
      const [, statements] = yield* countStatements(api.cancel_reservation({ reservation_code: code }).pipe(as))
      assert.isAtMost(statements, 3, "the token and two")
      assert.deepStrictEqual(yield* nightsOf(operatorId), [])
      const updated = { event: "reservation_updated", reservation_code: code }
      assert.deepStrictEqual(
        sorted(yield* eventsOf(operatorId)),
        sorted([
          { ...updated, stay_code: code, property_id: property },
          { ...updated, stay_code: `${code}_1`, property_id: second },
          { ...updated, stay_code: `${code}_2`, property_id: 0 },
          available(property, ["2027-05-01", true], ["2027-05-02", true], ["2027-05-03", true]),
          available(second, ["2027-05-01", true], ["2027-05-03", true])
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
          ...booking,
          property_id: property,
          check_in_date: "2027-05-01",
          check_out_date: "2027-05-04"
        })
        .pipe(as)
    })
  )

  it.effect("leaves no balance, and the money that came in with its status", () =>
    Effect.gen(function* () {
      const { api, as, property } = yield* ready
      const { reservation_code } = yield* api
        .create_reservation({ ...booking, property_id: property, received_amount: 120 })
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
      const { api, as, operatorId, property } = yield* ready
      const { reservation_code } = yield* api.create_reservation({ ...booking, property_id: property }).pipe(as)
      yield* api.cancel_reservation({ reservation_code }).pipe(as)
      const before = yield* everything(operatorId)
      yield* api.cancel_reservation({ reservation_code }).pipe(as)
      assert.deepStrictEqual(yield* everything(operatorId), before)
    })
  )

  it.effect("answers 404 in the specification's words, and 409 for what has ended otherwise", () =>
    Effect.gen(function* () {
      const ground = yield* ready
      const stranger = yield* ready
      const { operatorId, property, second, token } = ground
      const ofChannel = yield* orderOf(operatorId, [{ propertyId: property }], { channelType: "booking.com" })
      const denied = yield* orderOf(operatorId, [{ propertyId: second }], { status: "denied" })
      const theirs = yield* orderOf(stranger.operatorId, [{ propertyId: stranger.property }])
      const before = [yield* everything(operatorId), yield* everything(stranger.operatorId)]
      for (const [reservation_code, error_code, error_msg] of [
        [ofChannel, 404, "Only manually created reservations can be cancelled through this endpoint."],
        ["5-NOBODY", 404, "This resource is no longer available."],
        ["0-NOBODY", 404, "This resource is no longer available."],
        [theirs, 404, "This resource is no longer available."]
      ] as const) {
        assert.deepInclude(yield* call(token, "cancel_reservation", { reservation_code }), { error_code, error_msg })
      }
      const conflict = yield* call(token, "cancel_reservation", { reservation_code: denied })
      assert.deepStrictEqual([conflict.error_code, fieldOf(conflict)], [409, "reservation_code"])
      assert.include(conflict.error_msg, "denied")
      assert.deepStrictEqual([yield* everything(operatorId), yield* everything(stranger.operatorId)], before)
    })
  )

  it.effect("is final for dates, and leaves notes and price open", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property, second, token } = yield* ready
      yield* api.create_reservation({ ...booking, property_id: property, channel_id: "A1" }).pipe(as)
      yield* api.cancel_reservation({ reservation_code: "5-A1" }).pipe(as)
      yield* api.update_reservation_basic({ stay_code: "5-A1", remarks: "no show", rate_amount: 100 }).pipe(as)
      const before = yield* everything(operatorId)
      const dates = yield* call(token, "update_reservation_basic", { stay_code: "5-A1", check_out_date: "2027-05-09" })
      assert.deepStrictEqual([dates.error_code, fieldOf(dates)], [422, "check_out_date"])
      assert.include(dates.error_msg, "cancelled")
      const allocate = yield* call(token, "allocate_stay", { stay_code: "5-A1", property_id: second })
      assert.strictEqual(allocate.error_code, 422)
      const box = yield* call(token, "move_stay_to_box", { stay_code: "5-A1" })
      assert.strictEqual(box.error_code, 422)
      assert.deepStrictEqual(yield* everything(operatorId), before)
    })
  )
})
