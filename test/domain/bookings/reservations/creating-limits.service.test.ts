import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { addDays } from "../../../../src/contract/time.ts"
import {
  AMOUNT_MAX,
  CHANNEL_ID_LENGTH,
  GUEST_NAME_LENGTH,
  GUEST_PHONE_LENGTH,
  GUESTS_MAX,
  RESERVATION_REMARKS_LENGTH,
  STAY_NIGHTS
} from "../../../../src/platform/limits.ts"
import {
  layerWithoutRateWindows,
  loadReservationRows,
  MANUAL_RESERVATION,
  prepareOperator
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import { call, createOperator, insertProperty, layerTest } from "../../../support/harness.ts"

layer(layerWithoutRateWindows, { excludeTestServices: false })("the limits of a reservation by hand", (it) => {
  it.effect("refuses what it cannot read and what breaks a rule, and changes nothing", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId: property, token } = yield* prepareOperator
      const stranger = yield* createOperator()
      const foreign = yield* insertProperty(stranger.operatorId, "Elsewhere")
      const before = yield* loadReservationRows(operatorId)
      const whole = { ...MANUAL_RESERVATION, property_id: property, channel_id: "A1" }
      const without = (field: string) => Object.fromEntries(Object.entries(whole).filter(([name]) => name !== field))
      const required = Object.keys(whole).filter((field) => field !== "channel_id")
      const wrong: ReadonlyArray<readonly [object, number, string]> = [
        ...required.map((field) => [without(field), 400, field] as const),
        [{ ...whole, property_id: "1.0" }, 400, "property_id"],
        [{ ...whole, property_id: 1.5 }, 400, "property_id"],
        [{ ...whole, property_id: foreign }, 404, "property_id"],
        [{ ...whole, property_id: 9_999_999_999 }, 404, "property_id"],
        [{ ...whole, custom_channel_id: 9_999 }, 422, "custom_channel_id"],
        [{ ...whole, income_method_id: 9_999 }, 422, "income_method_id"],
        [{ ...whole, income_method_id: 301 }, 422, "income_method_id"],
        [{ ...whole, check_in_date: "4 May" }, 400, "check_in_date"],
        [{ ...whole, check_out_date: "2027-05-32" }, 400, "check_out_date"],
        [{ ...whole, check_out_date: "2027-05-04" }, 422, "check_out_date"],
        [{ ...whole, check_out_date: "2027-05-01" }, 422, "check_out_date"],
        [
          { ...whole, check_out_date: addDays(MANUAL_RESERVATION.check_in_date, STAY_NIGHTS + 1) },
          422,
          "check_out_date"
        ],
        [{ ...whole, guest_name: "" }, 422, "guest_name"],
        [{ ...whole, guest_name: " " }, 422, "guest_name"],
        [{ ...whole, guest_name: "a".repeat(GUEST_NAME_LENGTH + 1) }, 422, "guest_name"],
        [{ ...whole, currency: "EURO" }, 422, "currency"],
        [{ ...whole, currency: 978 }, 400, "currency"],
        [{ ...whole, rate_amount: "420" }, 400, "rate_amount"],
        [{ ...whole, rate_amount: -1 }, 422, "rate_amount"],
        [{ ...whole, rate_amount: AMOUNT_MAX + 1 }, 422, "rate_amount"],
        [{ ...whole, rate_amount: 1.005 }, 422, "rate_amount"],
        [{ ...whole, currency: "JPY", commission_amount: 0.5 }, 422, "commission_amount"],
        [{ ...whole, received_amount: -0.01 }, 422, "received_amount"],
        [{ ...whole, received_amount: 0.001 }, 422, "received_amount"],
        [{ ...whole, number_of_guests: 0 }, 422, "number_of_guests"],
        [{ ...whole, number_of_guests: GUESTS_MAX + 1 }, 422, "number_of_guests"],
        [{ ...whole, number_of_guests: 1.5 }, 400, "number_of_guests"],
        [{ ...whole, email: "ada" }, 422, "email"],
        [{ ...whole, mobile: "1".repeat(GUEST_PHONE_LENGTH + 1) }, 422, "mobile"],
        [{ ...whole, remarks: "x".repeat(RESERVATION_REMARKS_LENGTH + 1) }, 422, "remarks"],
        [{ ...whole, channel_id: "" }, 422, "channel_id"],
        [{ ...whole, channel_id: "A-1" }, 422, "channel_id"],
        [{ ...whole, channel_id: "Ä1" }, 422, "channel_id"],
        [{ ...whole, channel_id: "A".repeat(CHANNEL_ID_LENGTH + 1) }, 422, "channel_id"],
        [{ ...whole, channel_id: "A1\n" }, 422, "channel_id"],
        [{ ...whole, channel_id: 1 }, 400, "channel_id"]
      ]
      for (const [fields, code, field] of wrong) {
        const { error_code, error_msg } = yield* call(token, "create_reservation", fields)
        assert.deepStrictEqual([error_code, error_msg.split(":")[0]], [code, field], error_msg)
      }
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
      assert.deepStrictEqual(yield* loadReservationRows(stranger.operatorId), [[], [], [], [], [], [], [], [], []])
    })
  )

  it.effect("accepts each limit exactly", () =>
    Effect.gen(function* () {
      const { api, as, propertyId: property } = yield* prepareOperator
      const channel_id = "A".repeat(CHANNEL_ID_LENGTH)
      yield* api
        .create_reservation({
          ...MANUAL_RESERVATION,
          property_id: property,
          channel_id,
          check_out_date: addDays(MANUAL_RESERVATION.check_in_date, STAY_NIGHTS),
          guest_name: "ä".repeat(GUEST_NAME_LENGTH),
          mobile: "1".repeat(GUEST_PHONE_LENGTH),
          remarks: "x".repeat(RESERVATION_REMARKS_LENGTH),
          number_of_guests: GUESTS_MAX,
          currency: "KWD",
          rate_amount: AMOUNT_MAX,
          received_amount: AMOUNT_MAX - 0.001
        })
        .pipe(as)
      const { reservations } = yield* api.search_reservations({ channel_id }).pipe(as)
      assert.deepInclude(reservations[0]?.payment, { balance_amount: 0.001, status: "partial" })
    })
  )

  it.effect("keeps what a guest's name holds", () =>
    Effect.gen(function* () {
      const { api, as, propertyId: property } = yield* prepareOperator
      for (const [index, guest_name] of ["O'Brien; DROP TABLE", '{"a":1}', "李小龍 🏠", "a\\u0041\\b"].entries()) {
        const check_in_date = addDays("2027-06-01", index)
        const { reservation_code } = yield* api
          .create_reservation({
            ...MANUAL_RESERVATION,
            property_id: property,
            guest_name,
            check_in_date,
            check_out_date: addDays(check_in_date, 1)
          })
          .pipe(as)
        const { reservations } = yield* api.search_reservations({ reservation_code }).pipe(as)
        assert.strictEqual(reservations[0]?.guest_name, guest_name.toWellFormed())
        assert.strictEqual(reservations[0]?.guests[0]?.name, guest_name.toWellFormed())
      }
    })
  )
})

layer(layerTest, { excludeTestServices: false })("creating reservations", (it) => {
  it.effect("is bounded to 60 a minute", () =>
    Effect.gen(function* () {
      const { token, propertyId: property } = yield* prepareOperator
      const answers = yield* Effect.forEach(Array.from({ length: 61 }), () =>
        Effect.map(
          call(token, "create_reservation", { ...MANUAL_RESERVATION, property_id: property, channel_id: "A1" }),
          ({ error_code }) => error_code
        )
      )
      assert.deepStrictEqual(answers, [...Array.from({ length: 60 }, () => 0), 429])
    })
  )
})
