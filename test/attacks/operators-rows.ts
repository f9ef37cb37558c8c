import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** One statement over every table that belongs to operators, `row` being each row as text. All databases of a run have the same tables. */
const allRows = Effect.runSync(
  Effect.cached(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tables = yield* sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'operator_id' ORDER BY table_name`
      const parts = tables.map(
        ({ name }) => `SELECT '${name} ' || t::text AS row FROM ${name} t WHERE operator_id = $1`
      )
      return [...parts, "SELECT 'operators ' || t::text FROM operators t WHERE id = $1"].join(" UNION ALL ")
    })
  )
)

/** Tells of operators whether anything of theirs changed: equal digests, equal rows in every table. */
export const digests = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* allRows
  return (operatorId: number): Effect.Effect<string> =>
    sql
      .unsafe<{ digest: string }>(
        `SELECT md5(string_agg(row, E'\\n' ORDER BY row)) AS digest FROM (${rows}) all_rows`,
        [operatorId]
      )
      .pipe(
        Effect.map(([row]) => row?.digest ?? ""),
        Effect.orDie
      )
}).pipe(Effect.orDie)
