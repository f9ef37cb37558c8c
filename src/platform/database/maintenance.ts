import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { makeRowsReader } from "./rows.ts"

// What the autovacuum of a server does, for the embedded database, where nobody does it. Without it PostgreSQL keeps the
// plans it made while the tables were empty, which read whole tables once those have grown, and the space of rows that
// are no more is never used again.

/** Milliseconds between two rounds. */
const MAINTENANCE_INTERVAL_MS = 5_000
/** Rows that may change in a table before it is looked at, and the share of its rows beyond them. */
export const MAINTENANCE_MIN_ROWS = 50
const MAINTENANCE_ROW_SHARE = 0.2

const readTables = makeRowsReader(Schema.Struct({ name: Schema.String, dead: Schema.Boolean }))

/** One round: what changed by a fifth since the last time is counted anew, and cleared where rows were left behind. */
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

/** Tidies from time to time, until the scope closes. A round that failed is left to the next one. */
export const runMaintenance = vacuumTables.pipe(
  Effect.catchCause((cause) => Effect.logWarning("database maintenance failed", cause)),
  Effect.delay(MAINTENANCE_INTERVAL_MS),
  Effect.forever,
  Effect.forkScoped
)
