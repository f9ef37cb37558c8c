import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { applyRetention, nextRowsCondition, RETENTION_BATCH_ROWS } from "../../src/jobs/retention.ts"
import { canOverlap, runOverlapping, withServerNote } from "../support/overlapping-transactions.ts"
import { layerOwnDatabase } from "../support/own-database.ts"
import { countStatements } from "../support/statement-count.ts"

layer(layerOwnDatabase)("a retention", (it) => {
  const filled = Effect.fnUntraced(function* (rows: number) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`DROP TABLE IF EXISTS kept`
    yield* sql`CREATE TABLE kept (n integer PRIMARY KEY)`
    yield* sql`INSERT INTO kept SELECT generate_series(1, ${rows}::int)`
    return sql`DELETE FROM kept WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM kept WHERE n > 1`)}`
  })
  const left = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ n: number }>`SELECT n FROM kept ORDER BY n`
    return rows.map(({ n }) => n)
  })

  it.effect(`changes what it finds and nothing else, ${RETENTION_BATCH_ROWS} rows a statement`, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const [rows, statements] of [
        [1, 1],
        [RETENTION_BATCH_ROWS, 1],
        [RETENTION_BATCH_ROWS + 1, 2],
        [2 * RETENTION_BATCH_ROWS + 2, 3]
      ] as const) {
        const change = yield* filled(rows)
        const [, count] = yield* countStatements(applyRetention(sql, [change]))
        assert.deepStrictEqual([yield* left, count], [[1], statements], `${rows} rows`)
      }
    })
  )

  it.effect("makes its changes one after the other", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const change = yield* filled(3)
      yield* applyRetention(sql, [sql`UPDATE kept SET n = 2 - n WHERE n = 1 OR n = 2`, change])
      assert.deepStrictEqual(yield* left, [0, 1])
    })
  )

  it.effect.skipIf(!canOverlap)(
    withServerNote("leaves alone what somebody else has in hand, and waits for nobody"),
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const change = yield* filled(3)
        yield* runOverlapping(sql`SELECT FROM kept WHERE n = 2 FOR UPDATE`, applyRetention(sql, [change]))
        assert.deepStrictEqual(yield* left, [1, 2])
      })
  )
})
