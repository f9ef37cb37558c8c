import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { deleteExpiredChangeData, layerChangeRetention } from "../../src/changes/retention.ts"
import { RETENTION_BATCH_ROWS, RETENTION_INTERVAL_MS } from "../../src/jobs/retention.ts"
import { AUDIT_RETENTION_MS, IDEMPOTENCY_RETENTION_MS } from "../../src/platform/limits.ts"
import { layerOwnDatabase } from "../support/own-database.ts"

const NOW = Date.UTC(2027, 4, 7, 10)
const HOUR_MS = 3_600_000

type Table = "idempotency_keys" | "trail" | "refusals"

/** So many rows of an age in milliseconds as of NOW; of refusals, the age of the hour's beginning. */
const old = Effect.fnUntraced(function* (table: Table, age: number, rows = 1) {
  const sql = yield* SqlClient.SqlClient
  const at = new Date(NOW - age)
  const numbers = sql`generate_series(1, ${rows}::int) n`
  if (table === "idempotency_keys") {
    yield* sql`
      INSERT INTO idempotency_keys (operator_id, digest, fingerprint, outcome, kept_at)
      SELECT 1, int8send(n + ${age}::bigint * 1000), '', '{}', ${at}::timestamptz FROM ${numbers}`
  } else if (table === "trail") {
    yield* sql`
      INSERT INTO trail (operator_id, at, application, operation, record, fields)
      SELECT 1, ${at}::timestamptz, 'a', 'b', 'task:' || n, '{}' FROM ${numbers}`
  } else {
    yield* sql`
      INSERT INTO refusals (operator_id, hour, account_id, application, operation, error_code, times)
      SELECT 1, ${at}::timestamptz, n, 'a', 'b', 404, 1 FROM ${numbers}`
  }
}, Effect.orDie)

const left = Effect.fnUntraced(function* (table: Table) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ rows: number }>`SELECT count(*) AS rows FROM ${sql(table)}`
  return row?.rows
}, Effect.orDie)

const ROWS = 2 * RETENTION_BATCH_ROWS + 500

layer(layerOwnDatabase, { excludeTestServices: false })("retention", (it) => {
  it.effect.each([
    ["a key", "idempotency_keys", IDEMPOTENCY_RETENTION_MS],
    ["a change", "trail", AUDIT_RETENTION_MS],
    ["an hour's refusals", "refusals", AUDIT_RETENTION_MS + HOUR_MS]
  ] as const)("keeps %s for its time and removes it then", ([, table, age]) =>
    Effect.gen(function* () {
      yield* old(table, age - 1)
      yield* deleteExpiredChangeData(new Date(NOW))
      assert.strictEqual(yield* left(table), 1)
      yield* deleteExpiredChangeData(new Date(NOW + 1))
      assert.strictEqual(yield* left(table), 0)
    })
  )

  it.effect.each(["idempotency_keys", "trail", "refusals"] as const)(
    `removes ${ROWS} rows of %s in one round, and none that is younger`,
    (table) =>
      Effect.gen(function* () {
        yield* old(table, 2 * AUDIT_RETENTION_MS, ROWS)
        yield* old(table, 0)
        yield* deleteExpiredChangeData(new Date(NOW))
        assert.strictEqual(yield* left(table), 1)
        yield* deleteExpiredChangeData(new Date(NOW + 3 * AUDIT_RETENTION_MS))
      })
  )

  it.effect(`comes round every ${RETENTION_INTERVAL_MS / 60_000} minutes by itself`, () =>
    Effect.gen(function* () {
      yield* old("trail", 0)
      yield* TestClock.setTime(NOW + AUDIT_RETENTION_MS)
      yield* Layer.build(layerChangeRetention)
      assert.strictEqual(yield* left("trail"), 1)
      while ((yield* left("trail")) !== 0) yield* TestClock.adjust(RETENTION_INTERVAL_MS)
    })
  )
})
