import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { makeRowsReader } from "./rows.ts"

// This loop replaces autovacuum, which the embedded database lacks. Without vacuum, PostgreSQL keeps plans for empty
// tables and never reuses the space of deleted rows.

const MAINTENANCE_INTERVAL_MS = 5_000
export const MAINTENANCE_MIN_ROWS = 50
const MAINTENANCE_ROW_SHARE = 0.2

const readTables = makeRowsReader(Schema.Struct({ name: Schema.String, dead: Schema.Boolean }))

export const vacuumTables = Effect.gen(function* () {
  const sql = yield* SqlClient
  const tables = yield* readTables(sql`
    SELECT relid::regclass::text AS name, n_dead_tup > ${MAINTENANCE_MIN_ROWS}::int + ${MAINTENANCE_ROW_SHARE}::float8 * n_live_tup AS dead
    FROM pg_stat_user_tables JOIN pg_class ON pg_class.oid = relid
    WHERE n_mod_since_analyze > ${MAINTENANCE_MIN_ROWS}::int + ${MAINTENANCE_ROW_SHARE}::float8 * greatest(reltuples, 0)
      OR n_dead_tup > ${MAINTENANCE_MIN_ROWS}::int + ${MAINTENANCE_ROW_SHARE}::float8 * n_live_tup`)
  yield* Effect.forEach(
    tables,
    ({ name, dead }) => Effect.orDie(sql.unsafe(`${dead ? "VACUUM (ANALYZE)" : "ANALYZE"} ${name}`)),
    { discard: true }
  )
})

export const runMaintenance = vacuumTables.pipe(
  Effect.catchCause((cause) => Effect.logWarning("database maintenance failed", cause)),
  Effect.delay(MAINTENANCE_INTERVAL_MS),
  Effect.forever,
  Effect.forkScoped
)
