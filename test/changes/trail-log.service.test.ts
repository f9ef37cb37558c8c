import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type AuditEntry, AuditLog, groupByRequest } from "../../src/changes/AuditLog.ts"
import { layerOwnDatabase } from "../support/own-database.ts"
import { loadQueryPlan } from "../support/query-plan.ts"

const entry = (own: Partial<AuditEntry>): AuditEntry => ({
  at: new Date(0),
  account: null,
  application: "Robot",
  operation: "update_task",
  request_id: null,
  record: "task:1",
  fields: [],
  ...own
})

describe("rows of a request", () => {
  it("stand together in the order they were written, the request with the latest row first", () => {
    const rows = [
      entry({ request_id: "b", record: "task:4" }),
      entry({ request_id: "a", record: "task:3" }),
      entry({ request_id: "b", record: "task:2" }),
      entry({ request_id: "a", record: "task:1" })
    ]
    assert.deepStrictEqual(
      groupByRequest(rows).map(({ request_id, record }) => `${request_id} ${record}`),
      ["b task:2", "b task:4", "a task:1", "a task:3"]
    )
  })

  it("are those of one statement where nobody called", () => {
    const command = { application: "command line", operation: "operator create" }
    const rows = [
      entry({ ...command, at: new Date(2), record: "operator:2" }),
      entry({ ...command, at: new Date(1), record: "operator:1" }),
      entry({ ...command, at: new Date(2), record: "account:2" }),
      entry({ ...command, at: new Date(1), operation: "token create", record: "token:1" })
    ]
    assert.deepStrictEqual(
      groupByRequest(rows).map(({ record }) => record),
      ["account:2", "operator:2", "operator:1", "token:1"]
    )
  })
})

layer(layerOwnDatabase)("the trail", (it) => {
  it.effect("is read from its end by an index and no further than asked, whatever narrows it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO trail (operator_id, at, application, operation, record, fields)
        SELECT n % 30, to_timestamp(n), 'a', 'b', 'property:' || n / 30 % 5, '{}' FROM generate_series(1, 30000) n`
      yield* sql`
        INSERT INTO refusals (operator_id, hour, account_id, application, operation, error_code, times)
        SELECT n % 30, to_timestamp(3600 * n), 1, 'a', 'b', 404, 1 FROM generate_series(1, 30000) n`
      yield* sql`ANALYZE trail, refusals`
      const log = yield* Effect.provide(AuditLog, AuditLog.layer)
      const wanted = { operatorId: 1 }
      const [since, until] = [new Date(5_000_000), new Date(6_000_000)]
      for (const span of [{}, { since }, { until }, { since, until }]) {
        const all = yield* loadQueryPlan(log.listEntries({ ...wanted, ...span }, 10))
        assert.match(all, /Index Scan Backward using trail_pkey/, all)
        assert.notMatch(all, /Seq Scan on trail/)
        const one = yield* loadQueryPlan(log.listEntries({ ...wanted, record: "property:4", ...span }, 10))
        assert.match(one, /Index Scan Backward using trail_record/, one)
        assert.notMatch(one, /Seq Scan on trail/)
        const refused = yield* loadQueryPlan(log.listFailedCalls({ ...wanted, ...span }, 10))
        assert.match(refused, /Index .*refusals_/, refused)
        assert.notMatch(refused, /Seq Scan on refusals/)
      }
    })
  )
})
