import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { MAINTENANCE_MIN_ROWS, vacuumTables } from "../../../src/platform/database/maintenance.ts"
import { layerEmptyDatabaseInMemory } from "../../support/test-database.ts"

layer(layerEmptyDatabaseInMemory)("upkeep of the embedded database", (it) => {
  const seen = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // What a session counted is written down when it is idle for a while, or when it is told to.
    yield* sql`SELECT pg_stat_force_next_flush()`
    const [table] = yield* sql<{ rows: number; vacuums: number }>`
      SELECT c.reltuples AS rows, s.vacuum_count AS vacuums
      FROM pg_class c JOIN pg_stat_user_tables s ON s.relid = c.oid WHERE c.relname = 'grown'`
    return table
  })

  it.effect("counts a table anew when enough of it changed, and clears it when enough was left behind", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE grown (id int PRIMARY KEY, n int)`
      yield* sql`INSERT INTO grown SELECT n, n FROM generate_series(1, ${MAINTENANCE_MIN_ROWS}::int) n`
      yield* seen
      yield* vacuumTables
      assert.strictEqual((yield* seen)?.rows, -1, "not yet")
      yield* sql`INSERT INTO grown VALUES (0, 0)`
      yield* seen
      yield* vacuumTables
      assert.deepStrictEqual(yield* seen, { rows: MAINTENANCE_MIN_ROWS + 1, vacuums: 0 })
      yield* sql`UPDATE grown SET n = n + 1`
      yield* sql`UPDATE grown SET n = n + 1`
      yield* seen
      yield* vacuumTables
      assert.deepStrictEqual(yield* seen, { rows: MAINTENANCE_MIN_ROWS + 1, vacuums: 1 })
    })
  )
})
