import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { RateWindows } from "../../../../src/admission/windows/RateWindows.ts"
import { Orders } from "../../../../src/domain/bookings/reservations/Orders.ts"
import {
  makeTimeOutOrders,
  ORDER_TIMEOUT_BATCH_SIZE
} from "../../../../src/domain/bookings/reservations/order-timeouts.ts"
import { newChannelOrder, newChannelStay } from "../../../support/domain/bookings/reservations/channel-orders.ts"
import {
  loadEvents,
  loadNightHolders,
  NOW_ISO,
  prepareOperator
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import { asSystemActor, layerService } from "../../../support/harness.ts"
import { layerOwnDatabase } from "../../../support/own-database.ts"

const DAY = 24 * 60 * 60 * 1000

/** A pending order that times out a day from now. */
const pending = Effect.fnUntraced(function* (
  status: "wait_accept" | "wait_pay",
  expires_at = new Date(Date.parse(NOW_ISO) + DAY)
) {
  const ground = yield* prepareOperator
  const { createFromChannel: createSold } = yield* Orders
  const { reservation_code } = yield* createSold(
    ground.operatorId,
    newChannelOrder({
      channel_id: "90001",
      status,
      expires_at,
      stays: [newChannelStay({ property_id: ground.propertyId })]
    }),
    new Date(NOW_ISO)
  ).pipe(asSystemActor)
  const shown = Effect.map(
    ground.api.search_reservations({ reservation_code }).pipe(ground.as),
    ({ reservations }) => reservations[0]?.status
  )
  return { ...ground, reservation_code, shown }
})

// It times out orders of every operator, so those of other files' tests must not be there.
layer(Layer.provideMerge(Orders.layer, layerService(layerOwnDatabase, RateWindows.layerUnbounded)))(
  "an order that waits",
  (it) => {
    for (const status of ["wait_accept", "wait_pay"] as const) {
      it.effect(`as ${status} times out after its time, and not a millisecond before`, () =>
        Effect.gen(function* () {
          const { operatorId, reservation_code, shown } = yield* pending(status)
          const once = yield* makeTimeOutOrders
          yield* TestClock.adjust(DAY - 1)
          yield* once
          assert.strictEqual(yield* shown, status)
          yield* TestClock.adjust(1)
          yield* once
          assert.strictEqual(yield* shown, "timeout")
          yield* once
          const told = (yield* loadEvents(operatorId)).filter(({ event }) => event === "reservation_updated")
          assert.deepStrictEqual(
            told.map((each) => each["reservation_code"]),
            [reservation_code]
          )
          assert.deepStrictEqual(yield* loadNightHolders(operatorId), [])
        })
      )
    }

    for (const ended of ["0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z"]) {
      it.effect(`until ${ended}, as its channel says, times out too`, () =>
        Effect.gen(function* () {
          const { shown } = yield* pending("wait_pay", new Date(ended))
          yield* yield* makeTimeOutOrders
          assert.strictEqual(yield* shown, "timeout")
        })
      )
    }

    it.effect("and was answered meanwhile does not time out", () =>
      Effect.gen(function* () {
        const { api, as, reservation_code, shown } = yield* pending("wait_accept")
        yield* api.approve_reservation({ reservation_code }).pipe(as)
        yield* TestClock.adjust(2 * DAY)
        yield* yield* makeTimeOutOrders
        assert.strictEqual(yield* shown, "accepted")
      })
    )

    it.effect("and was answered by a release that knows of no time only forgets it", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { operatorId, shown } = yield* pending("wait_accept")
        yield* sql`UPDATE orders SET status = 'denied' WHERE operator_id = ${operatorId}`
        yield* TestClock.adjust(2 * DAY)
        const before = yield* loadEvents(operatorId)
        yield* yield* makeTimeOutOrders
        assert.strictEqual(yield* shown, "denied")
        assert.deepStrictEqual(yield* loadEvents(operatorId), before)
      })
    )

    it.effect("times out however many wait, past one that cannot be changed", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { operatorId } = yield* pending("wait_accept")
        const expires_at = new Date(Date.parse(NOW_ISO) + DAY)
        // As many as one statement finds, before and after the first.
        yield* sql`
        INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, currency, booked_at, created_at, expires_at)
        SELECT ${operatorId}, '0-7' || n || '-AAAA', 'airbnb', '7' || n, 'wait_pay', 'EUR', now(), now(), ${expires_at}
        FROM generate_series(1, ${ORDER_TIMEOUT_BATCH_SIZE + 1}) n`
        yield* sql`
        INSERT INTO stays (operator_id, order_id, stay_code, check_in_date, check_out_date, rate, accommodation_revenue)
        SELECT operator_id, id, reservation_code, '2027-05-04', '2027-05-07', 1, 1 FROM orders
        WHERE operator_id = ${operatorId} AND status = 'wait_pay'`
        yield* TestClock.adjust(DAY)
        const orders = yield* Orders
        const broken = Orders.of({
          ...orders,
          change: (operator, at, find, next) =>
            "reservation_code" in find.key && find.key.reservation_code === "0-71-AAAA"
              ? Effect.die(new Error("broken"))
              : orders.change(operator, at, find, next)
        })
        const log: Array<unknown> = []
        const logger = Logger.make(({ message }) => {
          log.push(message)
        })
        yield* Effect.flatten(makeTimeOutOrders).pipe(
          Effect.provideService(Orders, broken),
          Effect.provide(Logger.layer([logger]))
        )
        const left = yield* sql<{ reservation_code: string }>`
        SELECT reservation_code FROM orders WHERE operator_id = ${operatorId} AND status <> 'timeout'`
        assert.deepStrictEqual(
          left.map((each) => each.reservation_code),
          ["0-71-AAAA"]
        )
        assert.lengthOf(log, 1)
      })
    )
  }
)
