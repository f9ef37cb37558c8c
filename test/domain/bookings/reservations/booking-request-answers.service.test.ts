import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ChannelGateway } from "../../../../src/domain/channels/port/ChannelGateway.ts"
import { Connectors } from "../../../../src/domain/channels/port/connector.ts"
import {
  ChannelAccountMissing,
  ChannelDisconnected,
  ChannelNotServed,
  ChannelRefused,
  ChannelUnavailable
} from "../../../../src/domain/channels/port/errors.ts"
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
import { call, insertOrder } from "../../../support/harness.ts"
import { ScriptedChannel } from "../../../support/scripted-channel.ts"
import { countStatements } from "../../../support/statement-count.ts"

const DATES = { checkIn: "2027-05-04", checkOut: "2027-05-06" }

/** A pending request for two rooms. */
const pending = Effect.gen(function* () {
  const ground = yield* prepareOperator
  const { operatorId, propertyId: property, secondPropertyId: second } = ground
  const code = yield* insertOrder(
    operatorId,
    [
      { propertyId: property, ...DATES },
      { propertyId: second, ...DATES }
    ],
    { channelType: "airbnb", status: "wait_accept" }
  )
  yield* deleteEvents(operatorId)
  return { ...ground, code, channel: yield* ScriptedChannel }
})

layer(layerWithoutRateWindows, { excludeTestServices: false })("answering a request", (it) => {
  it.effect("approves: the channel is told once, every room holds its nights, every stay is told", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property, secondPropertyId: second, code, channel } = yield* pending
      assert.deepStrictEqual(yield* loadNightHolders(operatorId), [], "a request holds nothing")
      const [, statements] = yield* countStatements(api.approve_reservation({ reservation_code: code }).pipe(as))
      assert.isAtMost(statements, 3, "the token and two")
      assert.include(yield* channel.requests, `approve ${code}`)
      assert.lengthOf(yield* loadNightHolders(operatorId), 4)
      const updated = { event: "reservation_updated", reservation_code: code }
      assert.deepStrictEqual(
        sortEvents(yield* loadEvents(operatorId)),
        sortEvents([
          { ...updated, stay_code: code, property_id: property },
          { ...updated, stay_code: `${code}_1`, property_id: second },
          makeAvailabilityEvent(property, ["2027-05-04", false], ["2027-05-05", false]),
          makeAvailabilityEvent(second, ["2027-05-04", false], ["2027-05-05", false])
        ])
      )
      const { reservations } = yield* api.search_reservations({ reservation_code: code }).pipe(as)
      assert.deepStrictEqual(
        reservations.map(({ status }) => status),
        ["accepted", "accepted"]
      )
    })
  )

  it.effect("declines: nothing is held", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, code, channel } = yield* pending
      yield* api.decline_reservation({ reservation_code: code }).pipe(as)
      assert.include(yield* channel.requests, `decline ${code}`)
      assert.deepStrictEqual(yield* loadNightHolders(operatorId), [])
      assert.lengthOf(yield* loadEvents(operatorId), 2)
      const { reservations } = yield* api.search_reservations({ reservation_code: code }).pipe(as)
      assert.deepStrictEqual(
        reservations.map(({ status, cancelled_at }) => [status, cancelled_at]),
        [
          ["denied", null],
          ["denied", null]
        ]
      )
    })
  )

  it.effect("of what is not pending is 400, of what is not there 404, and no channel hears of it", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property, token, code, channel } = yield* pending
      const stranger = yield* pending
      yield* api
        .create_reservation({
          ...MANUAL_RESERVATION,
          property_id: property,
          channel_id: "A1",
          check_in_date: "2027-06-01",
          check_out_date: "2027-06-02"
        })
        .pipe(as)
      yield* api.decline_reservation({ reservation_code: code }).pipe(as)
      const heard = yield* channel.requests
      const before = [yield* loadReservationRows(operatorId), yield* loadReservationRows(stranger.operatorId)]
      for (const operation of ["approve_reservation", "decline_reservation"] as const) {
        for (const [reservation_code, error_code] of [
          ["5-A1", 400],
          [code, 400],
          ["0-NOBODY", 404],
          [stranger.code, 404]
        ] as const) {
          assert.strictEqual((yield* call(token, operation, { reservation_code })).error_code, error_code)
        }
      }
      assert.deepStrictEqual(yield* channel.requests, heard)
      assert.deepStrictEqual(
        [yield* loadReservationRows(operatorId), yield* loadReservationRows(stranger.operatorId)],
        before
      )
    })
  )

  it.effect("that the channel does not take changes nothing, and can be tried again", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, token, code, channel } = yield* pending
      const before = yield* loadReservationRows(operatorId)
      const channelType = "airbnb"
      for (const [error, error_code] of [
        [new ChannelAccountMissing({ channelType }), 404],
        [new ChannelDisconnected({ channelType }), 400],
        [new ChannelRefused({ reason: "expired" }), 409],
        [new ChannelUnavailable({ code: 502 }), 502],
        [new ChannelUnavailable({ code: 503 }), 503],
        [new ChannelUnavailable({ code: 504 }), 504],
        [new ChannelNotServed({ channelType }), 501]
      ] as const) {
        yield* channel.setResponse(code, Effect.fail(error))
        for (const operation of ["approve_reservation", "decline_reservation"] as const) {
          assert.strictEqual((yield* call(token, operation, { reservation_code: code })).error_code, error_code)
        }
      }
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
      yield* channel.setResponse(code, Effect.void)
      yield* api.approve_reservation({ reservation_code: code }).pipe(as)
    })
  )

  it.effect("is refused while another reservation holds a night, before the channel hears of it", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, secondPropertyId: second, token, code, channel } = yield* pending
      yield* api.create_reservation({ ...MANUAL_RESERVATION, property_id: second, channel_id: "A1" }).pipe(as)
      const before = yield* loadReservationRows(operatorId)
      assert.strictEqual((yield* call(token, "approve_reservation", { reservation_code: code })).error_code, 409)
      assert.notInclude(yield* channel.requests, `approve ${code}`)
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
    })
  )

  it.effect("boxes the room whose nights were sold while the channel was agreeing", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property, secondPropertyId: second, code, channel } = yield* pending
      const meanwhile = api
        .create_reservation({ ...MANUAL_RESERVATION, property_id: second, channel_id: "A1" })
        .pipe(as, Effect.orDie, Effect.asVoid)
      yield* channel.setResponse(code, meanwhile)
      yield* api.approve_reservation({ reservation_code: code }).pipe(as)
      const { reservations } = yield* api.search_reservations({ reservation_code: code }).pipe(as)
      assert.deepStrictEqual(
        reservations.map(({ status, property_id, in_reservation_box }) => [status, property_id, in_reservation_box]),
        [
          ["accepted", property, false],
          ["accepted", 0, true]
        ]
      )
      assert.deepStrictEqual(
        (yield* loadNightHolders(operatorId)).map((night) => night.split(" ")[2]),
        [code, code, "5-A1", "5-A1", "5-A1"]
      )
      assert.lengthOf(
        (yield* channel.requests).filter((each) => each.endsWith(code)),
        1
      )
    })
  )

  it.effect("answered twice at once is answered once", () =>
    Effect.gen(function* () {
      const { operatorId, token, code } = yield* pending
      const answers = yield* Effect.forEach(
        Array.from({ length: 8 }),
        () =>
          Effect.map(call(token, "approve_reservation", { reservation_code: code }), ({ error_code }) => error_code),
        { concurrency: "unbounded" }
      )
      assert.include(answers, 0)
      assert.isTrue(answers.every((each) => each === 0 || each === 400))
      assert.lengthOf(
        (yield* loadEvents(operatorId)).filter(({ event }) => event === "reservation_updated"),
        2
      )
      assert.lengthOf(yield* loadNightHolders(operatorId), 4)
    })
  )

  it.effect("holds what its channel agreed to also where its time was over in that moment", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, code, channel } = yield* pending
      const sql = yield* SqlClient.SqlClient
      const timesOut = sql`
        UPDATE orders SET status = 'timeout', version = version + 1 WHERE operator_id = ${operatorId} AND reservation_code = ${code}`
      yield* channel.setResponse(code, Effect.asVoid(Effect.orDie(timesOut)))
      yield* api.approve_reservation({ reservation_code: code }).pipe(as)
      const { reservations } = yield* api.search_reservations({ reservation_code: code }).pipe(as)
      assert.deepStrictEqual(
        reservations.map(({ status }) => status),
        ["accepted", "accepted"]
      )
      assert.isNotEmpty(yield* loadNightHolders(operatorId))
    })
  )

  it.effect("without any connector is 501", () =>
    Effect.gen(function* () {
      const gateway = yield* ChannelGateway
      const error = yield* Effect.flip(
        gateway.approve(
          { operatorId: 1, accountId: null, channelType: "airbnb" },
          { reservationCode: "0-1-A", channelId: "1" }
        )
      )
      assert.strictEqual(error._tag, "ChannelNotServed")
    }).pipe(Effect.provide(Layer.provide(ChannelGateway.layer, Connectors.layerNone)))
  )
})
