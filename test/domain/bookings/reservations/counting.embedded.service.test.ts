import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../../../../migrations/index.ts"
import { migrate } from "../../../../src/platform/database/migrate.ts"
import {
  insertOperator,
  insertOrderWithoutStayCount
} from "../../../support/domain/bookings/reservations/former-release-rows.ts"
import {
  layerWithoutRateWindows,
  prepareOperator
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import { insertOrder } from "../../../support/harness.ts"
import { layerEmptyDatabaseInMemory } from "../../../support/test-database.ts"

layer(layerWithoutRateWindows, { excludeTestServices: false })("how many reservations there are", (it) => {
  it.effect("is the number of stays, whatever is asked of them and of their orders", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property, secondPropertyId: second } = yield* prepareOperator
      const stays = (first: string, last: string) =>
        [property, second].map((propertyId) => ({ propertyId, checkIn: first, checkOut: last }))
      yield* insertOrder(operatorId, stays("2027-05-01", "2027-05-03"))
      yield* insertOrder(operatorId, stays("2027-06-01", "2027-06-03"), { channelType: "airbnb" })
      yield* insertOrder(operatorId, [{ propertyId: property }], { channelType: "airbnb", status: "denied" })
      const june = { start_check_in_date: "2027-06-01", end_check_in_date: "2027-06-30" }
      const numbers = [
        [{ property_id: property }, 3],
        [{ status: "accepted" }, 4],
        [{ status: "denied" }, 1],
        [{ status: "timeout" }, 0],
        [{ channel_type: "airbnb" }, 3],
        [{ channel_type: "airbnb", status: "accepted" }, 2],
        [{ ...june }, 2],
        [{ ...june, status: "accepted" }, 2],
        [{ ...june, status: "denied" }, 0]
      ] as const
      for (const [wanted, number] of numbers) {
        const all = yield* api.search_reservations({ ...wanted, limit: 100 }).pipe(as)
        assert.deepStrictEqual([all.total, all.reservations.length], [number, number], JSON.stringify(wanted))
        const behind = yield* api.search_reservations({ ...wanted, limit: 1, offset: number }).pipe(as)
        assert.deepStrictEqual([behind.total, behind.reservations.length], [number, 0], JSON.stringify(wanted))
      }
    })
  )
})

it.effect("what was entered before stays were counted is counted, and so is what a release before enters", () =>
  Effect.gen(function* () {
    yield* migrate(migrations.filter(({ id }) => id < 13))
    const sql = yield* SqlClient.SqlClient
    yield* insertOperator(sql)
    const enter = (code: string, rooms: number) => insertOrderWithoutStayCount(sql, code, rooms)
    const counts = Effect.map(sql<{ stay_count: number }>`SELECT stay_count FROM orders ORDER BY id`, (rows) =>
      rows.map(({ stay_count }) => stay_count)
    )
    yield* enter("one", 1)
    yield* enter("three", 3)
    yield* migrate(migrations)
    assert.deepStrictEqual(yield* counts, [1, 3])
    yield* enter("later", 2)
    yield* enter("last", 1)
    assert.deepStrictEqual(yield* counts, [1, 3, 2, 1])
    yield* sql`
      INSERT INTO stays (operator_id, order_id, stay_code, check_in_date, check_out_date)
      SELECT operator_id, id, reservation_code || '_more', '2027-05-01', '2027-05-04' FROM orders`
    assert.deepStrictEqual(yield* counts, [2, 4, 3, 2])
  }).pipe(Effect.provide(layerEmptyDatabaseInMemory), Effect.scoped)
)
