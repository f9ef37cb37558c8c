import { assert, layer } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Orders } from "../../../../src/domain/bookings/reservations/Orders.ts"
import { moveStayToProperty } from "../../../../src/domain/bookings/reservations/rules/unassigned-stays.ts"
import { ORDER_CHANGE_ATTEMPTS, ORDER_CHANGE_FREE_ATTEMPTS } from "../../../../src/platform/limits.ts"
import {
  layerWithoutRateWindows,
  loadEvents,
  loadNightHolders,
  loadStayRow,
  prepareOperator
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import { asSystemActor, insertOrder } from "../../../support/harness.ts"
import { canOverlap, withServerNote } from "../../../support/overlapping-transactions.ts"

layer(layerWithoutRateWindows, { excludeTestServices: false })(
  "an order that changes while a change of it is worked out",
  (it) => {
    it.effect("is worked out again, a bounded number of times, and then said to be busy", () =>
      Effect.gen(function* () {
        const ground = yield* prepareOperator
        const { operatorId, propertyId: property } = ground
        const sql = yield* SqlClient.SqlClient
        const orders = yield* Orders
        const code = yield* insertOrder(operatorId, [{ propertyId: property }])
        const changed = (interruptions: number) => {
          let attempts = 0
          return orders
            .change(operatorId, new Date(), { key: { stay_code: code } }, ({ order }) =>
              Effect.gen(function* () {
                attempts += 1
                if (attempts <= interruptions) {
                  yield* sql`UPDATE orders SET version = version + 1 WHERE operator_id = ${operatorId}`
                }
                return order === null ? [] : [{ ...order, creator: `after ${interruptions}` }]
              }).pipe(Effect.orDie)
            )
            .pipe(
              Effect.as("changed"),
              Effect.catchTag("Conflict", ({ message }) => Effect.succeed(message))
            )
        }
        assert.strictEqual(yield* changed(ORDER_CHANGE_ATTEMPTS - 1), "changed")
        assert.match(yield* changed(ORDER_CHANGE_ATTEMPTS), /try again/)
        assert.strictEqual((yield* loadStayRow(ground, code))?.creator, `after ${ORDER_CHANGE_ATTEMPTS - 1}`)
        assert.lengthOf(yield* loadEvents(operatorId), 1)
      }).pipe(asSystemActor, Effect.provide(Orders.layer))
    )

    it.effect("loses no change when many come at once", () =>
      Effect.gen(function* () {
        const ground = yield* prepareOperator
        const { api, as, operatorId, propertyId: property, secondPropertyId: second } = ground
        const code = yield* insertOrder(operatorId, [{ propertyId: property }, { propertyId: second }])
        const { transaction_id: id } = yield* api
          .create_transaction({
            direction: "income",
            item_id: 11,
            payment_method_id: 197,
            amount: 99.99,
            reservation_code: code
          })
          .pipe(as)
        const rates = Array.from({ length: 10 }, (_, index) => 100 + index)
        yield* Effect.forEach(
          rates.flatMap((rate_amount) => [
            { stay_code: code, rate_amount },
            { stay_code: `${code}_1`, rate_amount: rate_amount * 2 },
            { stay_code: code, remarks: String(rate_amount) }
          ]),
          (sent) => api.update_reservation_basic(sent).pipe(as),
          { concurrency: "unbounded" }
        )
        const first = yield* loadStayRow(ground, code)
        const other = yield* loadStayRow(ground, `${code}_1`)
        assert.include(rates, first?.rates.rate.amount)
        assert.include(
          rates.map((rate) => rate * 2),
          other?.rates.rate.amount
        )
        assert.isNotEmpty(first?.remarks)
        const { transactions } = yield* api.search_transactions({ id }).pipe(as)
        const whole = (first?.rates.rate.amount ?? 0) + (other?.rates.rate.amount ?? 0)
        const shares = transactions[0]?.shares.map(({ amount }) => amount) ?? []
        assert.closeTo(shares[0] ?? 0, (99.99 * (first?.rates.rate.amount ?? 0)) / whole, 0.01)
        assert.strictEqual(Math.round(shares.reduce((sum, amount) => sum + amount, 0) * 100), 9999)
      })
    )

    it.effect.skipIf(!canOverlap)(
      withServerNote("never waits in a circle, when two stays want each other's place"),
      () =>
        Effect.gen(function* () {
          const { operatorId, propertyId: property, secondPropertyId: second } = yield* prepareOperator
          const sql = yield* SqlClient.SqlClient
          const orders = yield* Orders
          const dates = { checkIn: "2027-05-04", checkOut: "2027-05-07" }
          const one = yield* insertOrder(operatorId, [{ propertyId: property, ...dates }])
          const other = yield* insertOrder(operatorId, [{ propertyId: second, ...dates }])
          const swapped = (code: string, toProperty: number, whenQueued: Effect.Effect<unknown>) => {
            let attempts = 0
            return orders.change(
              operatorId,
              new Date(),
              { key: { stay_code: code }, destination: { toProperty } },
              (found) =>
                Effect.gen(function* () {
                  const { order, stay, other_orders } = found
                  attempts += 1
                  if (attempts <= ORDER_CHANGE_FREE_ATTEMPTS) {
                    yield* sql`
                  UPDATE orders SET version = version + 1
                  WHERE operator_id = ${operatorId} AND reservation_code = ${code}`
                  }
                  if (attempts === ORDER_CHANGE_FREE_ATTEMPTS + 1) yield* whenQueued
                  return order === null || stay === undefined
                    ? []
                    : moveStayToProperty([order, ...other_orders], stay, toProperty)
                }).pipe(Effect.orDie)
            )
          }
          const firstPid = yield* Deferred.make<number>()
          const secondIn = yield* Deferred.make<void>()
          const waitsForFirst = Effect.flatMap(Deferred.await(firstPid), (pid) =>
            sql.withTransaction(sql<{ waiting: boolean }>`
            SELECT EXISTS (SELECT FROM pg_stat_activity WHERE ${pid} = ANY (pg_blocking_pids(pid))) AS waiting`)
          ).pipe(Effect.repeat({ until: (rows) => rows[0]?.waiting === true }), Effect.orDie)
          const first = swapped(
            one,
            second,
            Effect.gen(function* () {
              const [backend] = yield* Effect.orDie(sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`)
              yield* Deferred.succeed(firstPid, backend?.pid ?? 0)
              // The second one queues behind the first, or else has taken its own place in the circle.
              yield* Deferred.await(secondIn)
            })
          )
          const next = Effect.andThen(
            Deferred.await(firstPid),
            swapped(other, property, Deferred.succeed(secondIn, undefined))
          )
          const watched = Effect.andThen(waitsForFirst, Deferred.succeed(secondIn, undefined))
          yield* Effect.all([first, next, watched], { concurrency: "unbounded" })
          const days = ["2027-05-04", "2027-05-05", "2027-05-06"]
          assert.deepStrictEqual(yield* loadNightHolders(operatorId), [
            ...days.map((day) => `${property} ${day} ${other}`),
            ...days.map((day) => `${second} ${day} ${one}`)
          ])
        }).pipe(asSystemActor, Effect.provide(Orders.layer))
    )
  }
)
