import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { addDays } from "../../../../src/contract/time.ts"
import { Orders } from "../../../../src/domain/bookings/reservations/Orders.ts"
import { newChannelOrder, newChannelStay } from "../../../support/domain/bookings/reservations/channel-orders.ts"
import {
  layerWithoutRateWindows,
  loadEvents,
  loadNightHolders,
  loadReservationRows,
  MANUAL_RESERVATION,
  prepareOperator
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import { asSystemActor, call, createOperator, insertOrder, insertProperty } from "../../../support/harness.ts"
import { countStatements } from "../../../support/statement-count.ts"

// A reservation by hand is made by the statement that asks for all it needs. What was in its way is asked for afterwards.

const AT_ONCE = 64
const NIGHTS = 3
const SPANS = 16

layer(layerWithoutRateWindows, { excludeTestServices: false })("reservations by hand", (it) => {
  const codesOf = (token: string, bookings: ReadonlyArray<object>) =>
    Effect.forEach(
      bookings,
      (fields) => Effect.map(call(token, "create_reservation", fields), ({ error_code }) => error_code),
      { concurrency: "unbounded" }
    )

  const numbers = Array.from({ length: AT_ONCE }, (_, index) => index)
  const spanOf = (index: number) => ({
    check_in_date: addDays(MANUAL_RESERVATION.check_in_date, index * NIGHTS),
    check_out_date: addDays(MANUAL_RESERVATION.check_in_date, (index + 1) * NIGHTS)
  })

  it.effect("that come at once are as many as fit into a property, each whole", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId: property, token } = yield* prepareOperator
      const wanted = numbers.map((index) => ({
        ...MANUAL_RESERVATION,
        property_id: property,
        received_amount: 50,
        ...spanOf(index % SPANS)
      }))
      const codes = yield* codesOf(token, wanted)
      assert.lengthOf(
        codes.filter((code) => code === 0),
        SPANS
      )
      assert.lengthOf(
        codes.filter((code) => code === 409),
        AT_ONCE - SPANS
      )
      const nights = yield* loadNightHolders(operatorId)
      assert.lengthOf(nights, SPANS * NIGHTS)
      assert.strictEqual(new Set(nights.map((night) => night.split(" ")[1])).size, SPANS * NIGHTS)
      const events = (yield* loadEvents(operatorId)).map(({ event }) => event)
      for (const event of ["reservation_created", "transaction_created", "property_availability_updated"]) {
        assert.lengthOf(
          events.filter((each) => each === event),
          SPANS,
          event
        )
      }
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`SELECT stay_code FROM stays_out_of_step WHERE operator_id = ${operatorId}`, [])
    })
  )

  it.effect("that come at once are all made where each has nights of its own", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId: property, token } = yield* prepareOperator
      const codes = yield* codesOf(
        token,
        numbers.map((index) => ({ ...MANUAL_RESERVATION, property_id: property, ...spanOf(index) }))
      )
      assert.deepStrictEqual(new Set(codes), new Set([0]))
      assert.lengthOf(yield* loadNightHolders(operatorId), AT_ONCE * NIGHTS)
    })
  )

  it.effect("are made by one statement, which says why not by a second", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId: property, token } = yield* prepareOperator
      const create = (fields: object) =>
        countStatements(call(token, "create_reservation", { ...MANUAL_RESERVATION, property_id: property, ...fields }))
      yield* call(token, "search_reservations", {})
      const [made, statements] = yield* create({ channel_id: "One" })
      assert.deepStrictEqual([made.error_code, statements], [0, 1])
      const before = yield* loadReservationRows(operatorId)
      const [again, asked] = yield* create({ channel_id: "One" })
      assert.deepStrictEqual([again.error_code, asked], [0, 2])
      const [unknown, askedWhy] = yield* create({ property_id: 9_999_999_999 })
      assert.deepStrictEqual([unknown.error_code, askedWhy], [404, 2])
      const [held, one] = yield* create({})
      assert.deepStrictEqual([held.error_code, one], [409, 1])
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
    })
  )

  it.effect(
    "are told the first that is in their way, of the order itself, the property, the names and the fields",
    () =>
      Effect.gen(function* () {
        const { operatorId, propertyId: property, token } = yield* prepareOperator
        const stranger = yield* createOperator()
        const foreign = yield* insertProperty(stranger.operatorId, "Elsewhere")
        const sql = yield* SqlClient.SqlClient
        yield* sql`
        INSERT INTO dictionary_entries (operator_id, dictionary, id, name)
        VALUES (${operatorId}, 'income_methods', 5001, 'Voucher'), (${stranger.operatorId}, 'income_methods', 5002, 'Cheque')`
        yield* insertOrder(operatorId, [{ propertyId: property, checkIn: "2027-05-01", checkOut: "2027-05-04" }])
        const allWrong = {
          ...MANUAL_RESERVATION,
          property_id: foreign,
          channel_id: "Two",
          custom_channel_id: 9_999,
          income_method_id: 5002,
          check_in_date: "2027-05-01",
          check_out_date: "2027-05-01"
        }
        // One after the other is put right, and the next is in the way.
        const ways = [
          [{}, 404, "property_id"],
          [{ property_id: property }, 422, "custom_channel_id"],
          [{ custom_channel_id: 31 }, 422, "income_method_id"],
          [{ income_method_id: 5001 }, 422, "check_out_date"],
          [{ check_out_date: "2027-05-02" }, 409, "check_in_date"]
        ] as const
        const before = yield* loadReservationRows(operatorId)
        let fields: object = allWrong
        for (const [righted, code, field] of ways) {
          fields = { ...fields, ...righted }
          const { error_code, error_msg } = yield* call(token, "create_reservation", fields)
          assert.deepStrictEqual([error_code, error_msg.split(":")[0]], [code, field], error_msg)
        }
        assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
        const free = { ...fields, check_in_date: "2027-06-01", check_out_date: "2027-06-02" }
        assert.strictEqual((yield* call(token, "create_reservation", free)).error_code, 0)
        const again = yield* call(token, "create_reservation", allWrong)
        assert.deepInclude(again.data, { reservation_code: "5-Two" })
      })
  )

  it.effect("leave nothing where the order names what is not the operator's", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId: property } = yield* prepareOperator
      const stranger = yield* createOperator()
      const foreign = yield* insertProperty(stranger.operatorId, "Elsewhere")
      const orders = yield* Orders
      const order = {
        ...newChannelOrder({ channel_id: "3", stays: [newChannelStay({ property_id: property })] }),
        received: null
      }
      const before = yield* loadReservationRows(operatorId)
      const create = (named: {
        readonly propertyId: number | undefined
        readonly incomeMethodId: number | undefined
      }) => orders.create(operatorId, order, new Date(), { checkIn: undefined, checkOut: undefined, ...named })
      assert.isUndefined(yield* create({ propertyId: foreign, incomeMethodId: undefined }))
      assert.isUndefined(yield* create({ propertyId: property, incomeMethodId: 9_999 }))
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
      assert.deepInclude(yield* create({ propertyId: property, incomeMethodId: undefined }), { status: "accepted" })
    }).pipe(asSystemActor, Effect.provide(Orders.layer))
  )
})
