import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { OrderStore } from "../../../../src/domain/bookings/reservations/store.ts"
import {
  layerWithoutRateWindows,
  prepareOperator
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import { insertOrder } from "../../../support/harness.ts"

const STAYS = 100

interface Plan {
  readonly "Actual Loops": number
  readonly Plans?: ReadonlyArray<Plan>
}

const loopsOf = (plan: Plan): ReadonlyArray<number> => [plan["Actual Loops"], ...(plan.Plans ?? []).flatMap(loopsOf)]

layer(layerWithoutRateWindows, { excludeTestServices: false })("the blocking orders of a move", (it) => {
  it.effect("are searched from the stay, not from all stays, even if PostgreSQL has no statistics of the tables", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId: property, secondPropertyId: second } = yield* prepareOperator
      const sql = yield* SqlClient.SqlClient
      const store = yield* OrderStore
      const date = (index: number) => new Date(Date.parse("2027-05-01") + index * 86_400_000).toISOString().slice(0, 10)
      const rooms = Array.from({ length: STAYS }, (_, index) => ({
        propertyId: property,
        checkIn: date(index),
        checkOut: date(index + 1)
      }))
      const blockingCode = yield* insertOrder(operatorId, rooms)
      const dates = { checkIn: date(3), checkOut: date(5) }
      const code = yield* insertOrder(operatorId, [{ propertyId: second, ...dates }])
      const statements: Array<readonly [string, ReadonlyArray<unknown>]> = []
      const { other_orders } = yield* Effect.provideService(
        store.loadForChange(operatorId, { stay_code: code }, { toProperty: property }),
        Statement.CurrentTransformer,
        (statement) => {
          statements.push(statement.compile())
          return Effect.succeed(statement)
        }
      )
      assert.deepStrictEqual(
        other_orders.map((order) => order.reservation_code),
        [blockingCode]
      )
      assert.lengthOf(statements, 1)
      const [text = "", values = []] = statements[0] ?? []
      const [row] = yield* sql.unsafe<{ "QUERY PLAN": ReadonlyArray<{ Plan: Plan }> }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
        values
      )
      const loops = row?.["QUERY PLAN"].flatMap(({ Plan }) => loopsOf(Plan)) ?? []
      assert.isNotEmpty(loops)
      assert.isBelow(Math.max(...loops), STAYS / 10, "how often one part of the plan was run")
    }).pipe(Effect.provide(OrderStore.layer))
  )
})
