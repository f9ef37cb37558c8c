import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import {
  layerWithoutRateWindows,
  loadEvents,
  loadNightHolders,
  MANUAL_RESERVATION,
  prepareOperator
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import { call } from "../../../support/harness.ts"
import { canOverlap, withServerNote } from "../../../support/overlapping-transactions.ts"

const RETRIES = 500

const run = promisify(execFile)

const ordersOf = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ code: string }>`SELECT reservation_code AS code FROM orders WHERE operator_id = ${operatorId}`
})

/** The order there should be, once: its nights, its income, its events. */
const assertOnce = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  assert.deepStrictEqual(yield* ordersOf(operatorId), [{ code: "5-RETRY" }])
  assert.lengthOf(yield* loadNightHolders(operatorId), 3)
  assert.lengthOf(yield* sql`SELECT FROM transactions WHERE operator_id = ${operatorId}`, 1)
  assert.deepStrictEqual((yield* loadEvents(operatorId)).map(({ event }) => event).sort(), [
    "property_availability_updated",
    "reservation_created",
    "transaction_created"
  ])
})

const outcome = { reservation_code: "5-RETRY", status: "accepted" }

layer(layerWithoutRateWindows, { excludeTestServices: false })("one channel_id", (it) => {
  it.effect(`makes one order of ${RETRIES} creations at once, and all of them are told its code`, () =>
    Effect.gen(function* () {
      const { operatorId, propertyId: property, token } = yield* prepareOperator
      const create = call(token, "create_reservation", {
        ...MANUAL_RESERVATION,
        property_id: property,
        channel_id: "RETRY",
        received_amount: 50
      })
      const answers = yield* Effect.forEach(Array.from({ length: RETRIES }), () => create, { concurrency: "unbounded" })
      const distinct = new Set(answers.map(({ error_code, data }) => JSON.stringify([error_code, data])))
      assert.deepStrictEqual([...distinct], [JSON.stringify([0, { ...outcome, reservation: outcome }])])
      yield* assertOnce(operatorId)
    })
  )

  it.effect("makes as many orders as there are names, but one a night, when all want the same one", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId: property, token } = yield* prepareOperator
      const answers = yield* Effect.forEach(
        Array.from({ length: 100 }, (_, index) => `N${index}`),
        (channel_id) =>
          Effect.map(
            call(token, "create_reservation", { ...MANUAL_RESERVATION, property_id: property, channel_id }),
            ({ error_code }) => error_code
          ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.toSorted(), [0, ...Array.from({ length: 99 }, () => 409)])
      assert.lengthOf(yield* ordersOf(operatorId), 1)
      assert.lengthOf(yield* loadNightHolders(operatorId), 3)
    })
  )

  it.effect.skipIf(!canOverlap)(withServerNote("makes one order of two processes"), () =>
    Effect.gen(function* () {
      const { operatorId, propertyId: property, token } = yield* prepareOperator
      const fields = JSON.stringify({
        ...MANUAL_RESERVATION,
        property_id: property,
        channel_id: "RETRY",
        received_amount: 50
      })
      const script = join(
        import.meta.dirname,
        "../../../support/domain/bookings/reservations/reservation-creating-process.ts"
      )
      const started = Effect.promise(() =>
        run(process.execPath, [script, token, fields, String(RETRIES / 2)], {
          env: { ...process.env, PROCESS_DATABASE_URL: inject("testDatabaseUrl") }
        })
      )
      const outputs = yield* Effect.all([started, started], { concurrency: "unbounded" })
      const expected = JSON.stringify([JSON.stringify([0, "", { ...outcome, reservation: outcome }])])
      for (const { stdout } of outputs) assert.include(stdout, `answers ${expected}`)
      yield* assertOnce(operatorId)
    })
  )
})
