import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { addDays } from "../../../../src/contract/time.ts"
import { layerBasePriceRetention } from "../../../../src/domain/calendars/base-prices/retention.ts"
import { type ScheduledWork, WorkSchedule } from "../../../../src/jobs/WorkSchedule.ts"
import { AVAILABILITY_START_DAYS, BASE_PRICE_RETENTION_DAYS } from "../../../../src/platform/limits.ts"
import { createHostClient } from "../../../support/domain/host-client.ts"
import { insertProperty, layerService } from "../../../support/harness.ts"
import { layerOwnDatabase } from "../../../support/own-database.ts"

const TODAY = "2027-05-04"
const NOW = Date.parse(`${TODAY}T23:59:59.999Z`)

/** Returns the works that the layer schedules. */
const collectWorks = Effect.gen(function* () {
  const works: Array<ScheduledWork<never>> = []
  const add = <R>(work: ScheduledWork<R>) =>
    Effect.map(Effect.context<R>(), (services) => {
      const { name, findNextDue } = work
      works.push({
        name,
        iteration: Effect.provide(work.iteration, services),
        runDue: Effect.provide(work.runDue, services),
        ...(findNextDue === undefined
          ? {}
          : { findNextDue: (until: Date) => Effect.provide(findNextDue(until), services) })
      })
    })
  yield* Layer.build(Layer.provide(layerBasePriceRetention, Layer.succeed(WorkSchedule, { add })))
  return works
})

layer(layerService(layerOwnDatabase))("past base prices", (it) => {
  it.effect("are deleted once no caller can read their day", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const sql = yield* SqlClient.SqlClient
      // West of Greenwich, it is still today a millisecond later.
      const { operatorId, api, as } = yield* createHostClient({ timeZone: "Pacific/Pago_Pago" })
      const property_id = yield* insertProperty(operatorId, "Harbour 1")
      const oldest = addDays(TODAY, -BASE_PRICE_RETENTION_DAYS)
      yield* sql`
        INSERT INTO base_prices (operator_id, property_id, date, price)
        SELECT ${operatorId}::bigint, ${property_id}::bigint, ${oldest}::date + n, 100 FROM generate_series(0, 1) n`
      const [work] = yield* collectWorks
      if (work?.findNextDue === undefined) return assert.fail("nothing is scheduled")
      assert.strictEqual(work.name, "retention of base prices")
      const countDays = Effect.map(sql`SELECT FROM base_prices`, ({ length }) => length)
      assert.isUndefined(yield* work.findNextDue(new Date(NOW)))
      yield* work.runDue
      assert.strictEqual(yield* countDays, 2)
      const next = yield* work.findNextDue(new Date(NOW + 1))
      assert.deepStrictEqual(next, { at: new Date(NOW + 1), count: 1 })
      yield* TestClock.setTime(NOW + 1)
      yield* work.runDue
      assert.strictEqual(yield* countDays, 1)
      assert.isUndefined(yield* work.findNextDue(new Date(NOW + 1)))
      const start_date = addDays(TODAY, -AVAILABILITY_START_DAYS)
      const { days } = yield* api.get_base_prices({ property_id, start_date, end_date: TODAY }).pipe(as)
      assert.deepInclude(days[0], { date: start_date, price: 100 })
    }).pipe(Effect.scoped)
  )
})
