import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { addDays } from "../../../../src/contract/time.ts"
import { Orders } from "../../../../src/domain/bookings/reservations/Orders.ts"
import {
  AMOUNT_MAX,
  GUEST_NAME_LENGTH,
  GUEST_PHONE_LENGTH,
  GUESTS_MAX,
  RESERVATION_CREATOR_LENGTH,
  RESERVATION_REMARKS_LENGTH,
  STAY_NIGHTS
} from "../../../../src/platform/limits.ts"
import { newChannelOrder, newChannelStay } from "../../../support/domain/bookings/reservations/channel-orders.ts"
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
import { fieldOfError } from "../../../support/error-messages.ts"
import { asSystemActor, call, insertOrder, insertProperty } from "../../../support/harness.ts"
import { countStatements } from "../../../support/statement-count.ts"

layer(layerWithoutRateWindows, { excludeTestServices: false })("changing a stay", (it) => {
  it.effect("changes only what is sent, in two statements, and tells each kind of change", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOperator
      const { api, as, operatorId, propertyId: property } = ground
      yield* api
        .create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id: "A1", email: "a@example.com" })
        .pipe(as)
      const before = yield* loadStayRow(ground, "5-A1")
      const about = { reservation_code: "5-A1", stay_code: "5-A1", property_id: property }
      const steps = [
        [{ remarks: "dog" }, { remarks: "dog" }, ["remarks_updated"]],
        [
          { guest_name: "Ada King", mobile: "+44", email: "" },
          { guest_name: "Ada King", guest_phone: "+44", guest_email: null },
          [undefined]
        ],
        [{ number_of_guests: 4 }, { number_of_guests: 4, number_of_adults: 4 }, [undefined]],
        [
          { custom_channel_id: 32, creator: "Bob" },
          { custom_channel: { id: 32, name: "Walk-in" }, creator: "Bob" },
          [undefined]
        ],
        [{ rate_amount: 400.5, remarks: "cat" }, { remarks: "cat" }, ["rates_updated", "remarks_updated"]],
        [{ commission_amount: 7 }, {}, ["rates_updated"]]
      ] as const
      for (const [sent, seen, subEvents] of steps) {
        yield* deleteEvents(operatorId)
        const [, statements] = yield* countStatements(
          api.update_reservation_basic({ stay_code: "5-A1", ...sent }).pipe(as)
        )
        assert.isAtMost(statements, 3, "the token and two")
        assert.deepInclude(yield* loadStayRow(ground, "5-A1"), seen)
        assert.deepStrictEqual(
          sortEvents(yield* loadEvents(operatorId)),
          sortEvents(
            subEvents.map((sub_event) => ({
              event: "reservation_updated",
              ...about,
              ...(sub_event === undefined ? {} : { sub_event })
            }))
          )
        )
        // The same once more changes nothing and tells nothing.
        yield* deleteEvents(operatorId)
        yield* api.update_reservation_basic({ stay_code: "5-A1", ...sent }).pipe(as)
        assert.deepStrictEqual(yield* loadEvents(operatorId), [])
      }
      const after = yield* loadStayRow(ground, "5-A1")
      assert.strictEqual(after?.rates.rate.amount, 400.5)
      assert.strictEqual(after?.rates.commission?.amount, 7)
      assert.deepStrictEqual(
        after?.rates.details.map(({ amount }) => amount),
        [400.5, 7]
      )
      // The guests are who they were: an edit changes the contact of the booking.
      assert.deepStrictEqual(after?.guests, before?.guests)
      assert.deepStrictEqual(yield* loadNightHolders(operatorId), [
        `${property} 2027-05-04 5-A1`,
        `${property} 2027-05-05 5-A1`,
        `${property} 2027-05-06 5-A1`
      ])
    })
  )

  it.effect("moves in time: frees what it leaves, holds what it takes, tells both", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property } = yield* prepareOperator
      yield* api.create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id: "A1" }).pipe(as)
      yield* api
        .update_availabilities({ property_ids: [property], available: false, dates: ["2027-05-04", "2027-05-08"] })
        .pipe(as)
      yield* deleteEvents(operatorId)
      yield* api
        .update_reservation_basic({ stay_code: "5-A1", check_in_date: "2027-05-06", check_out_date: "2027-05-09" })
        .pipe(as)
      assert.deepStrictEqual(yield* loadNightHolders(operatorId), [
        `${property} 2027-05-06 5-A1`,
        `${property} 2027-05-07 5-A1`,
        `${property} 2027-05-08 5-A1`
      ])
      assert.deepStrictEqual(
        sortEvents(yield* loadEvents(operatorId)),
        sortEvents([
          { event: "reservation_updated", reservation_code: "5-A1", stay_code: "5-A1", property_id: property },
          makeAvailabilityEvent(property, ["2027-05-05", true], ["2027-05-07", false])
        ])
      )
      // One bound alone moves that bound.
      yield* api.update_reservation_basic({ stay_code: "5-A1", check_out_date: "2027-05-07" }).pipe(as)
      assert.deepStrictEqual(yield* loadNightHolders(operatorId), [`${property} 2027-05-06 5-A1`])
    })
  )

  it.effect("never takes a night of another stay: 409, and everything stays", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property, token } = yield* prepareOperator
      yield* api.create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id: "A1" }).pipe(as)
      yield* api
        .create_reservation({
          ...MANUAL_RESERVATION,
          property_id: property,
          channel_id: "B1",
          check_in_date: "2027-05-07",
          check_out_date: "2027-05-08"
        })
        .pipe(as)
      const before = yield* loadReservationRows(operatorId)
      const refused = yield* call(token, "update_reservation_basic", {
        stay_code: "5-A1",
        check_out_date: "2027-05-08",
        remarks: "x"
      })
      assert.deepStrictEqual([refused.error_code, fieldOfError(refused)], [409, "check_in_date"])
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
    })
  )

  it.effect("of a channel's order leaves the channel what is the channel's", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOperator
      const { api, as, operatorId, propertyId: property, token } = ground
      const code = yield* insertOrder(operatorId, [{ propertyId: property }], { channelType: "airbnb" })
      const allowed = {
        remarks: "dog",
        creator: "Bob",
        custom_channel_id: 32,
        guest_name: "Ada",
        mobile: "1",
        email: "a@example.com",
        number_of_guests: 2
      }
      yield* api.update_reservation_basic({ stay_code: code, ...allowed }).pipe(as)
      assert.deepInclude(yield* loadStayRow(ground, code), {
        remarks: "dog",
        creator: "Bob",
        guest_name: "Ada",
        guest_phone: "1"
      })
      // What it has already is no change.
      yield* api
        .update_reservation_basic({
          stay_code: code,
          check_in_date: "2027-05-01",
          check_out_date: "2027-05-04",
          currency: "EUR",
          rate_amount: 100
        })
        .pipe(as)
      const before = yield* loadReservationRows(operatorId)
      for (const [field, value] of [
        ["check_in_date", "2027-05-02"],
        ["check_out_date", "2027-05-05"],
        ["currency", "USD"],
        ["rate_amount", 101],
        ["commission_amount", 1]
      ] as const) {
        const refused = yield* call(token, "update_reservation_basic", {
          stay_code: code,
          remarks: "cat",
          [field]: value
        })
        assert.deepStrictEqual([refused.error_code, fieldOfError(refused)], [422, field])
        assert.include(refused.error_msg, "channel")
      }
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
    })
  )

  it.effect("counts no fewer guests than the stay's children and an adult", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOperator
      const { api, as, operatorId, propertyId: property, token } = ground
      const orders = yield* Orders
      const sold = newChannelOrder({
        channel_id: "1",
        stays: [
          newChannelStay({ property_id: property, number_of_children: 2, number_of_infants: 1, number_of_guests: 4 })
        ]
      })
      const { reservation_code: stay_code } = yield* orders.createFromChannel(operatorId, sold, new Date())
      const before = yield* loadReservationRows(operatorId)
      const refused = yield* call(token, "update_reservation_basic", { stay_code, number_of_guests: 2, remarks: "x" })
      assert.deepStrictEqual([refused.error_code, fieldOfError(refused)], [422, "number_of_guests"])
      assert.match(refused.error_msg, /at least 3\b.* 2 children/)
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
      for (const [number_of_guests, number_of_adults] of [
        [3, 1],
        [6, 4]
      ] as const) {
        yield* api.update_reservation_basic({ stay_code, number_of_guests }).pipe(as)
        assert.deepInclude(yield* loadStayRow(ground, stay_code), {
          number_of_guests,
          number_of_adults,
          number_of_children: 2,
          number_of_infants: 1
        })
      }
    }).pipe(asSystemActor, Effect.provide(Orders.layer))
  )

  it.effect("takes back a whole record as it is shown, and no other value of what it cannot change", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOperator
      const { operatorId, propertyId: property, token } = ground
      const orders = yield* Orders
      // A channel may say what a host may not: fewer guests than children.
      const stays = [newChannelStay({ property_id: property, number_of_children: 2, number_of_guests: 2 })] as const
      const sold = newChannelOrder({ channel_id: "1", stays })
      const { reservation_code: stay_code } = yield* orders.createFromChannel(operatorId, sold, new Date())
      const record = yield* loadStayRow(ground, stay_code)
      const before = yield* loadReservationRows(operatorId)
      assert.deepInclude(yield* call(token, "update_reservation_basic", { ...record }), { error_code: 0 })
      const nowhere = "leave it out"
      const here = (by: string) => `use ${by}.`
      const details = here("PATCH /reservations/{stay_code}/check_in_details")
      for (const [other, cure] of [
        [{ number_of_children: 1 }, nowhere],
        [{ listing_id: "L" }, nowhere],
        [{ property_id: 0 }, here("POST /reservations/{stay_code}/allocate")],
        [{ stay_status: "in_house" }, here("PUT /reservations/{stay_code}/stay_status")],
        [{ tags: ["VIP"] }, here("POST or DELETE /reservations/{stay_code}/tags")],
        [{ custom_fields: { door: "blue" } }, here("PATCH /reservations/{stay_code}/custom_fields")],
        [{ custom_channel: { id: 32, name: "Walk-in" } }, here("custom_channel_id")],
        [{ number_of_adults: 1 }, here("number_of_guests")],
        [{ received_amount: 1 }, here("POST /transactions")],
        [{ check_in_details: { ...record?.check_in_details, lock_code: "1" } }, details],
        [{ lock_code: "1" }, details],
        // A part of an object is another value, too.
        [{ check_in_details: { lock_code: "1" } }, details],
        [{ custom_channel: { id: 32 } }, here("custom_channel_id")],
        [{ property_id: null }, here("POST /reservations/{stay_code}/allocate")],
        [{ arrival_at: { hour: 15, minute: 0 } }, details],
        [{ id_required: "required" }, details],
        [
          { status: "cancelled" },
          here(
            "POST /reservations/{reservation_code}/approve or /decline for a request, or DELETE /reservations/{reservation_code}"
          )
        ],
        [
          { rates: { ...record?.rates, tax: { currency: "EUR", amount: 1 } } },
          here("rate_amount or commission_amount")
        ],
        [
          { payment: { ...record?.payment, received_amount: 1 } },
          here("POST /transactions for money that came in, or rate_amount")
        ],
        [{ in_reservation_box: true }, here("POST /reservations/{stay_code}/move_to_box or /allocate")]
      ] as const) {
        const [field] = Object.keys(other)
        const envelope = yield* call(token, "update_reservation_basic", { ...record, remarks: "x", ...other })
        assert.deepStrictEqual([envelope.error_code, fieldOfError(envelope)], [422, field])
        assert.include(envelope.error_msg, cure)
      }
      // Fields from within other fields are accepted beside them, with the value they have.
      const flat = { ...record?.check_in_details, received_amount: record?.payment.received_amount }
      const envelope = yield* call(token, "update_reservation_basic", { stay_code, ...flat })
      assert.deepInclude(envelope, { error_code: 0 })
      const unknown = yield* call(token, "update_reservation_basic", { stay_code: "5-ZZ", status: "accepted" })
      assert.deepStrictEqual([unknown.error_code, fieldOfError(unknown)], [404, "stay_code"])
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
    }).pipe(asSystemActor, Effect.provide(Orders.layer))
  )

  it.effect("accepts guest_email and guest_phone for email and mobile, and refuses two different values", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOperator
      const { operatorId, propertyId: property, token } = ground
      const create = { ...MANUAL_RESERVATION, property_id: property, channel_id: "A1" }
      const contact = { guest_email: "ada@example.com", guest_phone: "+44 20 1234" }
      const two = { email: "ada@example.com", guest_email: "bob@example.com" }
      const before = yield* loadReservationRows(operatorId)
      const refused = yield* call(token, "create_reservation", { ...create, ...two })
      assert.deepStrictEqual([refused.error_code, fieldOfError(refused)], [400, "guest_email"])
      assert.deepInclude(yield* call(token, "create_reservation", { ...create, guest_email: "nobody" }), {
        error_code: 422
      })
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
      const made = yield* call(token, "create_reservation", { ...create, ...contact, email: "ada@example.com" })
      assert.deepInclude(made, { error_code: 0 })
      const created = yield* loadStayRow(ground, "5-A1")
      assert.deepInclude(created, contact)
      assert.deepInclude(created?.guests[0], { email: contact.guest_email, phone: contact.guest_phone })

      const change = (fields: object) => call(token, "update_reservation_basic", { stay_code: "5-A1", ...fields })
      const unchanged = yield* loadReservationRows(operatorId)
      for (const [fields, error_code, field] of [
        [two, 400, "guest_email"],
        [{ email: null, guest_email: "bob@example.com" }, 400, "guest_email"],
        [{ mobile: "1", guest_phone: "2" }, 400, "guest_phone"],
        [{ guest_email: "nobody" }, 422, "guest_email"]
      ] as const) {
        const envelope = yield* change(fields)
        assert.deepStrictEqual([envelope.error_code, fieldOfError(envelope)], [error_code, field])
      }
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), unchanged)
      const other = { guest_email: "bob@example.com", guest_phone: "2" }
      assert.deepInclude(yield* change({ ...created, ...other, mobile: "2" }), { error_code: 0 })
      assert.deepInclude(yield* loadStayRow(ground, "5-A1"), other)
    })
  )

  it.effect("clears email, mobile and remarks by null", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOperator
      const { api, as, propertyId: property, token } = ground
      yield* api
        .create_reservation({
          ...MANUAL_RESERVATION,
          ...{ property_id: property, channel_id: "A1", email: "a@example.com", mobile: "1", remarks: "dog" }
        })
        .pipe(as)
      const clear = (fields: object) => call(token, "update_reservation_basic", { stay_code: "5-A1", ...fields })
      assert.deepInclude(yield* clear({ email: null, remarks: null }), { error_code: 0 })
      assert.deepInclude(yield* loadStayRow(ground, "5-A1"), { guest_email: null, guest_phone: "1", remarks: "" })
      assert.deepInclude(yield* clear({ guest_phone: null, mobile: "" }), { error_code: 0 })
      assert.deepInclude(yield* loadStayRow(ground, "5-A1"), { guest_phone: null })
      for (const field of ["guest_name", "rate_amount", "check_in_date"]) {
        assert.deepInclude(yield* clear({ [field]: null }), { error_code: 400 })
      }
    })
  )

  it.effect("accepts an unreadable e-mail address of a channel unchanged", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOperator
      const { operatorId, propertyId: property, token } = ground
      const sql = yield* SqlClient.SqlClient
      const code = yield* insertOrder(operatorId, [{ propertyId: property }], { channelType: "airbnb" })
      yield* sql`UPDATE stays SET guest_email = 'relayed by the channel', guest_name = 'Ada' WHERE operator_id = ${operatorId}`
      const record = yield* loadStayRow(ground, code)
      assert.deepInclude(yield* call(token, "update_reservation_basic", { ...record, remarks: "x" }), { error_code: 0 })
      assert.deepInclude(yield* loadStayRow(ground, code), { guest_email: "relayed by the channel", remarks: "x" })
    })
  )

  it.effect("takes the rates that creating takes, in currencies of large numbers too", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOperator
      const { api, as, propertyId: property } = ground
      const rates = { currency: "IDR", rate_amount: 25_000_000, commission_amount: 2_500_000 }
      yield* api
        .create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id: "A1", ...rates })
        .pipe(as)
      const higher = { rate_amount: 31_000_000, commission_amount: 3_100_000 }
      yield* api.update_reservation_basic({ stay_code: "5-A1", ...higher }).pipe(as)
      const after = yield* loadStayRow(ground, "5-A1")
      assert.deepStrictEqual(
        [after?.rates.rate.amount, after?.rates.commission?.amount],
        [higher.rate_amount, higher.commission_amount]
      )
    })
  )

  it.effect("refuses what it cannot read and what breaks a rule, and changes nothing", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property, token } = yield* prepareOperator
      yield* api
        .create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id: "A1", received_amount: 10 })
        .pipe(as)
      const before = yield* loadReservationRows(operatorId)
      const wrong: ReadonlyArray<readonly [object, number, string]> = [
        [{ stay_code: "5-ZZ", remarks: "x" }, 404, "stay_code"],
        [{ check_in_date: "2027-05-07" }, 422, "check_out_date"],
        [{ check_out_date: "2027-05-04" }, 422, "check_out_date"],
        [{ check_out_date: addDays(MANUAL_RESERVATION.check_in_date, STAY_NIGHTS + 1) }, 422, "check_out_date"],
        [{ check_in_date: "soon" }, 400, "check_in_date"],
        [{ number_of_guests: 0 }, 422, "number_of_guests"],
        [{ number_of_guests: GUESTS_MAX + 1 }, 422, "number_of_guests"],
        [{ guest_name: "" }, 422, "guest_name"],
        [{ guest_name: "a".repeat(GUEST_NAME_LENGTH + 1) }, 422, "guest_name"],
        [{ mobile: "1".repeat(GUEST_PHONE_LENGTH + 1) }, 422, "mobile"],
        [{ email: "ada@" }, 422, "email"],
        [{ remarks: "x".repeat(RESERVATION_REMARKS_LENGTH + 1) }, 422, "remarks"],
        [{ remarks: 5 }, 400, "remarks"],
        [{ creator: "" }, 422, "creator"],
        [{ creator: "x".repeat(RESERVATION_CREATOR_LENGTH + 1) }, 422, "creator"],
        [{ custom_channel_id: 9_999 }, 422, "custom_channel_id"],
        [{ currency: "XX" }, 422, "currency"],
        [{ currency: "USD" }, 422, "currency"],
        [{ rate_amount: AMOUNT_MAX + 1 }, 422, "rate_amount"],
        [{ rate_amount: -1 }, 422, "rate_amount"],
        [{ rate_amount: 1.005 }, 422, "rate_amount"],
        [{ rate_amount: "1" }, 400, "rate_amount"],
        [{ commission_amount: AMOUNT_MAX + 1 }, 422, "commission_amount"],
        [{ commission_amount: 0.001 }, 422, "commission_amount"]
      ]
      for (const [fields, code, field] of wrong) {
        const { error_code, error_msg } = yield* call(token, "update_reservation_basic", {
          stay_code: "5-A1",
          ...fields
        })
        assert.deepStrictEqual([error_code, error_msg.split(":")[0]], [code, field], error_msg)
      }
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
      yield* api
        .update_reservation_basic({
          stay_code: "5-A1",
          rate_amount: AMOUNT_MAX,
          commission_amount: AMOUNT_MAX,
          creator: "x".repeat(RESERVATION_CREATOR_LENGTH),
          number_of_guests: GUESTS_MAX,
          guest_name: "a".repeat(GUEST_NAME_LENGTH),
          mobile: "1".repeat(GUEST_PHONE_LENGTH),
          remarks: "x".repeat(RESERVATION_REMARKS_LENGTH),
          check_out_date: addDays(MANUAL_RESERVATION.check_in_date, STAY_NIGHTS)
        })
        .pipe(as)
    })
  )

  it.effect("may change the currency while no money is recorded, and only to one its amounts fit", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOperator
      const { api, as, propertyId: property, token } = ground
      yield* api
        .create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id: "A1", rate_amount: 10.5 })
        .pipe(as)
      const refused = yield* call(token, "update_reservation_basic", { stay_code: "5-A1", currency: "JPY" })
      assert.deepStrictEqual([refused.error_code, fieldOfError(refused)], [422, "currency"])
      assert.include(refused.error_msg, "JPY")
      yield* api.update_reservation_basic({ stay_code: "5-A1", currency: "JPY", rate_amount: 1050 }).pipe(as)
      assert.deepInclude((yield* loadStayRow(ground, "5-A1"))?.payment, { currency: "JPY", total_amount: 1050 })
    })
  )

  it.effect("in one of several rooms moves the order's split and everyone's total", () =>
    Effect.gen(function* () {
      const ground = yield* prepareOperator
      const { api, as, operatorId, propertyId: property, secondPropertyId: second } = ground
      const third = yield* insertProperty(operatorId, "Harbour 3")
      const code = yield* insertOrder(operatorId, [
        { propertyId: property, revenue: "100" },
        { propertyId: second, revenue: "100" },
        { propertyId: third, revenue: "100.01" }
      ])
      const { transaction_id: id } = yield* api
        .create_transaction({
          direction: "income",
          item_id: 11,
          payment_method_id: 197,
          amount: 100,
          reservation_code: code
        })
        .pipe(as)
      const shares = Effect.map(api.search_transactions({ id }).pipe(as), ({ transactions }) =>
        transactions[0]?.shares.map(({ amount }) => amount)
      )
      assert.deepStrictEqual(yield* shares, [33.33, 33.33, 33.34])
      yield* deleteEvents(operatorId)
      yield* api.update_reservation_basic({ stay_code: `${code}_1`, rate_amount: 300 }).pipe(as)
      assert.deepStrictEqual(yield* shares, [20, 60, 20])
      assert.deepStrictEqual(yield* loadEvents(operatorId), [
        {
          event: "reservation_updated",
          reservation_code: code,
          stay_code: `${code}_1`,
          property_id: second,
          sub_event: "rates_updated"
        }
      ])
      const { reservations } = yield* api.search_reservations({ reservation_code: code }).pipe(as)
      assert.deepStrictEqual(
        reservations.map(({ stay_code, rates, payment }) => [
          stay_code,
          rates.rate.amount,
          rates.total_rate.amount,
          payment.balance_amount
        ]),
        [
          [code, 100, 500.01, 400.01],
          [`${code}_1`, 300, 500.01, 400.01],
          [`${code}_2`, 100.01, 500.01, 400.01]
        ]
      )
      assert.strictEqual(new Set(reservations.map(({ payment }) => JSON.stringify(payment))).size, 1)
      // What belongs to the order is told for each of its stays.
      yield* deleteEvents(operatorId)
      yield* api.update_reservation_basic({ stay_code: code, custom_channel_id: 33 }).pipe(as)
      assert.lengthOf(yield* loadEvents(operatorId), 3)
    })
  )
})
