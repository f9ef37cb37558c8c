import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { History } from "../../../../src/transports/console/queries/History.ts"
import { asCaller } from "../../../support/console-caller.ts"
import { layerOwnDatabase } from "../../../support/own-database.ts"
import { loadQueryPlan } from "../../../support/query-plan.ts"

layer(layerOwnDatabase)("what happened", (it) => {
  it.effect("is read from its end by an index, whatever narrows it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO trail (operator_id, at, account_id, application, operation, record, fields)
        SELECT n % 30, to_timestamp(n), n % 7, 'a', 'b', 'property:' || n / 30 % 5, '{}' FROM generate_series(1, 30000) n`
      yield* sql`ANALYZE trail`
      const history = yield* Effect.provide(History, History.layer)
      const [since, until] = [new Date(5_000_000), new Date(9_000_000)]
      const before = { at: new Date(6_000_000), id: 6_000 }
      for (const span of [{}, { since }, { until }, { since, until }, { before }, { since, until, before }]) {
        for (const accountId of [undefined, 3]) {
          const wanted = { accountId, ...span }
          const all = yield* loadQueryPlan(history.of(wanted)).pipe(asCaller({ operatorId: 1 }))
          const one = yield* loadQueryPlan(history.of({ ...wanted, record: "property:4" })).pipe(
            asCaller({ operatorId: 1 })
          )
          for (const plan of [all, one]) assert.notMatch(plan, /Seq Scan on trail/, plan)
          // Where more may be looked through than there are, they may be sorted as well.
          if (accountId !== undefined) continue
          assert.match(all, /Index Scan Backward using trail_pkey/, all)
          assert.match(one, /Index Scan Backward using trail_record/, one)
        }
      }
    })
  )

  it.effect("goes on behind a place, where several rows have one time, and never beyond what it is narrowed to", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO trail (operator_id, at, application, operation, record, fields)
        SELECT 77, to_timestamp(1000 + n / 3), 'a', 'b', 'task:' || n, '{}' FROM generate_series(0, 8) n`
      const history = yield* Effect.provide(History, History.layer)
      const shown = Effect.fnUntraced(function* (wanted: object) {
        const { changes } = yield* history.of(wanted).pipe(asCaller({ operatorId: 77 }))
        return changes.map(({ record }) => record.slice("task:".length)).join("")
      })
      assert.strictEqual(yield* shown({}), "876543210")
      const { changes } = yield* history.of({}).pipe(asCaller({ operatorId: 77 }))
      const before = changes[3]
      assert.strictEqual(yield* shown({ before }), "43210")
      assert.strictEqual(yield* shown({ before, since: new Date(1_001_000) }), "43")
      assert.strictEqual(yield* shown({ before, until: new Date(1_001_000) }), "210")
      assert.strictEqual(yield* shown({ before, until: new Date(1_002_000) }), "43210")
    })
  )
})
