import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { findConstraintViolation } from "../../../../src/platform/database/constraint-violations.ts"
import {
  layerWithoutRateWindows,
  loadReservationRows,
  prepareOperator
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import { insertOrder } from "../../../support/harness.ts"

layer(layerWithoutRateWindows, { excludeTestServices: false })("the database itself", (it) => {
  it.effect("refuses a second holder, a stay without its nights, and nights without their stay", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId: property, secondPropertyId: second } = yield* prepareOperator
      const sql = yield* SqlClient.SqlClient
      const code = yield* insertOrder(operatorId, [{ propertyId: property }])
      const other = yield* insertOrder(operatorId, [{ propertyId: second }])
      const before = yield* loadReservationRows(operatorId)
      const taker = sql`(SELECT id FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${other})`
      const days = sql`operator_id = ${operatorId} AND property_id = ${property}`
      const stay = sql`operator_id = ${operatorId} AND stay_code = ${code}`
      const night = (day: string) => sql`
        INSERT INTO calendar_days (operator_id, property_id, day, stay_id) VALUES (${operatorId}, ${property}, ${day}, ${taker})
        ON CONFLICT (operator_id, property_id, day) DO UPDATE SET stay_id = excluded.stay_id`
      const wrong = [
        ["one_holder_a_night", sql`UPDATE calendar_days SET stay_id = ${taker} WHERE ${days}`],
        ["one_holder_a_night", night("2027-05-01")],
        ["stay_holds_its_nights", night("2027-05-09")],
        ["stay_holds_its_nights", sql`UPDATE calendar_days SET stay_id = NULL WHERE ${days} AND day = '2027-05-02'`],
        ["stay_holds_its_nights", sql`DELETE FROM calendar_days WHERE ${days}`],
        ["stay_holds_its_nights", sql`UPDATE stays SET check_out_date = '2027-05-05' WHERE ${stay}`],
        ["stay_holds_its_nights", sql`UPDATE stays SET property_id = ${second} WHERE ${stay}`],
        ["stay_holds_its_nights", sql`UPDATE stays SET property_id = NULL WHERE ${stay}`],
        [
          "stay_holds_its_nights",
          sql`UPDATE orders SET status = 'denied' WHERE operator_id = ${operatorId} AND reservation_code = ${code}`
        ],
        // Naming the stay a night is taken from lets the night go, but not that stay without it.
        ["stay_holds_its_nights", sql`UPDATE calendar_days SET taken_from = stay_id, stay_id = ${taker} WHERE ${days}`]
      ] as const
      for (const [constraint, statement] of wrong) {
        const error = yield* Effect.flip(statement)
        assert.strictEqual(findConstraintViolation(error)?.name, constraint)
      }
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
    })
  )
})
