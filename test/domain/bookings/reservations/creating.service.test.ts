import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  deleteEvents,
  layerWithoutRateWindows,
  loadEvents,
  loadNightHolders,
  loadReservationRows,
  MANUAL_RESERVATION,
  NOW_ISO,
  prepareOperator
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import { fieldOfError } from "../../../support/error-messages.ts"
import {
  call,
  createAccessToken,
  createOperator,
  dataOf,
  insertAccount,
  insertOrder,
  insertProperty,
  withToken
} from "../../../support/harness.ts"
import { countStatements } from "../../../support/statement-count.ts"

layer(layerWithoutRateWindows, { excludeTestServices: false })("a reservation by hand", (it) => {
  it.effect("reads back whole", () =>
    Effect.gen(function* () {
      const { api, as, propertyId: property } = yield* prepareOperator
      const create = api.create_reservation({
        ...MANUAL_RESERVATION,
        property_id: property,
        channel_id: "QX7M2LD90",
        rate_amount: 420.5,
        commission_amount: 20,
        received_amount: 120.5,
        number_of_guests: 3,
        email: "ada@example.com",
        mobile: "+44 20 1234",
        remarks: "late"
      })
      const [created, statements] = yield* countStatements(create.pipe(as))
      assert.isAtMost(statements, 2, "the token and the order")
      const outcome = { reservation_code: "5-QX7M2LD90", status: "accepted" as const }
      assert.deepStrictEqual(created, { ...outcome, reservation: outcome })
      const { reservations } = yield* api.search_reservations({ reservation_code: "5-QX7M2LD90" }).pipe(as)
      const [row] = reservations
      assert.lengthOf(reservations, 1)
      assert.match(
        row?.check_in_details.check_in_guide_url ?? "",
        /^http:\/\/127\.0\.0\.1:8080\/guests\/lkguest_[0-9a-f]{32}$/
      )
      assert.deepStrictEqual(row, {
        id: row?.id ?? 0,
        reservation_code: "5-QX7M2LD90",
        stay_code: "5-QX7M2LD90",
        channel_id: "QX7M2LD90",
        property_id: property,
        channel_type: "direct",
        listing_id: String(property),
        check_in_date: "2027-05-04",
        check_out_date: "2027-05-07",
        number_of_guests: 3,
        number_of_adults: 3,
        number_of_children: 0,
        number_of_infants: 0,
        number_of_pets: 0,
        status: "accepted",
        stay_status: "checkin_pending",
        guest_name: "Ada Lovelace",
        guest_phone: "+44 20 1234",
        guest_email: "ada@example.com",
        cancelled_at: null,
        booked_at: "2027-04-20T10:00:00+00:00",
        created_at: "2027-04-20T10:00:00+00:00",
        creator: "Owner",
        rates: {
          total_rate: { currency: "EUR", amount: 420.5 },
          total_commission: { currency: "EUR", amount: 20 },
          rate: { currency: "EUR", amount: 420.5 },
          commission: { currency: "EUR", amount: 20 },
          tax: null,
          details: [
            { type: "ACCOMMODATION", description: "Nights", currency: "EUR", amount: 420.5 },
            { type: "HOST_SERVICE_FEE", description: "Commission", currency: "EUR", amount: 20 }
          ]
        },
        payment: {
          currency: "EUR",
          total_amount: 420.5,
          received_amount: 120.5,
          balance_amount: 300,
          status: "partial"
        },
        check_in_details: {
          arrival_at: null,
          departure_at: null,
          lock_code: null,
          lock_code_visible_after: "12:00",
          deposit: null,
          id_required: "not_required",
          check_in_guide_url: row?.check_in_details.check_in_guide_url ?? ""
        },
        remarks: "late",
        channel_remarks: "",
        conversation_id: null,
        tags: [],
        custom_channel: { id: 31, name: "Phone" },
        guests: [
          {
            id: row?.guests[0]?.id ?? 0,
            name: "Ada Lovelace",
            phone: "+44 20 1234",
            email: "ada@example.com",
            id_type: null,
            id_number: null,
            gender: null,
            country: null,
            is_booker: true,
            id_images: []
          }
        ],
        custom_fields: null,
        in_reservation_box: false,
        additional_fees: [],
        checkin_guide_images: [],
        channel_details: null
      })
    })
  )

  it.effect("holds its nights, records what came in, and tells all of it once", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property } = yield* prepareOperator
      yield* api
        .create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id: "A1", received_amount: 100 })
        .pipe(as)
      assert.deepStrictEqual(yield* loadNightHolders(operatorId), [
        `${property} 2027-05-04 5-A1`,
        `${property} 2027-05-05 5-A1`,
        `${property} 2027-05-06 5-A1`
      ])
      const { transactions } = yield* api
        .search_transactions({ start_date: "2027-04-20", end_date: "2027-04-20", reservation_code: "5-A1" })
        .pipe(as)
      const [entry] = transactions
      assert.lengthOf(transactions, 1)
      assert.deepInclude(entry, {
        direction: "income",
        amount: 100,
        currency: "EUR",
        status: "paid",
        item_name: "Room fee",
        payment_method_id: 197,
        reservation_code: "5-A1",
        link_type: "reservation",
        action_at: NOW_ISO,
        operator_name: "Owner",
        shares: [{ property_id: property, amount: 100 }]
      })
      const events = yield* loadEvents(operatorId)
      assert.deepStrictEqual(
        events.toSorted((one, other) => one.event.localeCompare(other.event)),
        [
          {
            event: "property_availability_updated",
            property_id: property,
            availabilities: [
              { date: "2027-05-04", available: false },
              { date: "2027-05-05", available: false },
              { date: "2027-05-06", available: false }
            ]
          },
          { event: "reservation_created", reservation_code: "5-A1", stay_code: "5-A1", property_id: property },
          { event: "transaction_created", transaction_id: entry?.id }
        ]
      )
    })
  )

  it.effect("records no income when nothing came in, and takes the least there is", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property } = yield* prepareOperator
      const { reservation_code } = yield* api
        .create_reservation({ ...MANUAL_RESERVATION, property_id: property, rate_amount: 0, commission_amount: 0 })
        .pipe(as)
      assert.match(reservation_code, /^5-[A-Z0-9]{9}$/)
      const { reservations } = yield* api.search_reservations({ channel_id: reservation_code.slice(2) }).pipe(as)
      assert.deepStrictEqual(reservations[0]?.payment, {
        currency: "EUR",
        total_amount: 0,
        received_amount: 0,
        balance_amount: 0,
        status: "received"
      })
      assert.strictEqual(reservations[0]?.number_of_guests, 1)
      assert.isNull(reservations[0]?.guest_email)
      const events = yield* loadEvents(operatorId)
      assert.notInclude(
        events.map(({ event }) => event),
        "transaction_created"
      )
    })
  )

  it.effect("never sells a night twice: a clash is 409 and holds nothing", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property, secondPropertyId: second, token } = yield* prepareOperator
      yield* api.create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id: "A1" }).pipe(as)
      const before = yield* loadReservationRows(operatorId)
      for (const [check_in_date, check_out_date] of [
        ["2027-05-04", "2027-05-07"],
        ["2027-05-01", "2027-05-05"],
        ["2027-05-06", "2027-05-10"],
        ["2027-05-05", "2027-05-06"],
        ["2027-05-01", "2027-05-31"]
      ] as const) {
        const clash = {
          ...MANUAL_RESERVATION,
          property_id: property,
          check_in_date,
          check_out_date,
          received_amount: 10
        }
        const refused = yield* call(token, "create_reservation", clash)
        assert.deepStrictEqual([refused.error_code, fieldOfError(refused)], [409, "check_in_date"])
      }
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
      // The day of leaving is the next guest's day of arriving.
      for (const [check_in_date, check_out_date] of [
        ["2027-05-01", "2027-05-04"],
        ["2027-05-07", "2027-05-08"]
      ] as const) {
        yield* api
          .create_reservation({ ...MANUAL_RESERVATION, property_id: property, check_in_date, check_out_date })
          .pipe(as)
      }
      yield* api.create_reservation({ ...MANUAL_RESERVATION, property_id: second }).pipe(as)
    })
  )

  it.effect("may take days the host closed, which stay closed, and tells no change that was none", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property } = yield* prepareOperator
      yield* api.update_availabilities({ property_ids: [property], available: false, dates: ["2027-05-05"] }).pipe(as)
      yield* deleteEvents(operatorId)
      yield* api.create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id: "A1" }).pipe(as)
      const changed = (yield* loadEvents(operatorId)).filter(({ event }) => event === "property_availability_updated")
      assert.deepStrictEqual(changed, [
        {
          event: "property_availability_updated",
          property_id: property,
          availabilities: [
            { date: "2027-05-04", available: false },
            { date: "2027-05-06", available: false }
          ]
        }
      ])
    })
  )

  it.effect("is made once under one channel_id, for ever, and the answer shows how the order is now", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, accountId, propertyId: property, token } = yield* prepareOperator
      const create = { ...MANUAL_RESERVATION, property_id: property, channel_id: "Retry1", received_amount: 50 }
      yield* api.create_reservation(create).pipe(as)
      const before = yield* loadReservationRows(operatorId)
      const [again, statements] = yield* countStatements(api.create_reservation(create).pipe(as))
      assert.isAtMost(statements, 3, "the token, the order and why there is none")
      assert.deepInclude(again, { reservation_code: "5-Retry1", status: "accepted" })
      // A sub-account, another custom channel, other dates, a property that does not exist: the same order.
      const subAccount = yield* insertAccount(operatorId, "sub", "Sub")
      const subToken = yield* createAccessToken({ operatorId, accountId: subAccount }, "writable")
      const otherwise = {
        ...create,
        custom_channel_id: 9_999,
        property_id: 9_999_999_999,
        check_in_date: "2027-05-01",
        income_method_id: 1
      }
      for (const each of [token, subToken, yield* createAccessToken({ operatorId, accountId }, "writable")]) {
        const data = yield* dataOf(yield* call(each, "create_reservation", otherwise))
        assert.deepInclude(data, { reservation_code: "5-Retry1", status: "accepted" })
      }
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
      yield* api.cancel_reservation({ reservation_code: "5-Retry1" }).pipe(as)
      const after = yield* loadReservationRows(operatorId)
      const cancelled = yield* api.create_reservation(create).pipe(as)
      assert.deepStrictEqual(cancelled.reservation, { reservation_code: "5-Retry1", status: "cancelled" })
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), after)
      assert.deepStrictEqual(yield* loadNightHolders(operatorId), [], "a cancelled order holds nothing")
      // Letters differ by case, and operators do not share names.
      yield* api.create_reservation({ ...create, channel_id: "RETRY1" }).pipe(as)
      const stranger = yield* createOperator()
      const elsewhere = yield* insertProperty(stranger.operatorId, "Elsewhere")
      const theirs = yield* api
        .create_reservation({ ...create, property_id: elsewhere })
        .pipe(withToken(stranger.token))
      assert.deepInclude(theirs, { reservation_code: "5-Retry1", status: "accepted" })
    })
  )

  it.effect("shares no names with the orders of channels", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property, secondPropertyId: second } = yield* prepareOperator
      const code = yield* insertOrder(operatorId, [{ propertyId: second }], { channelType: "airbnb" })
      const channel_id = code.slice(2)
      const { reservation_code } = yield* api
        .create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id })
        .pipe(as)
      assert.strictEqual(reservation_code, `5-${channel_id}`)
      const { reservations } = yield* api.search_reservations({ channel_id }).pipe(as)
      assert.deepStrictEqual(reservations.map((each) => each.reservation_code).sort(), [code, `5-${channel_id}`].sort())
    })
  )

  it.effect("keeps no day of the past from being booked", () =>
    Effect.gen(function* () {
      const { api, as, propertyId: property } = yield* prepareOperator
      yield* TestClock.setTime(Date.parse("2028-01-01T00:00:00Z"))
      yield* api.create_reservation({ ...MANUAL_RESERVATION, property_id: property }).pipe(as)
    })
  )
})
