import { randomBytes } from "node:crypto"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { migrations } from "../../migrations/index.ts"
import { migrate } from "../../src/platform/database/migrate.ts"
import { layerPostgres } from "../../src/platform/database/postgres.ts"

// Databases of its own on a server, for tests and benches.

const runAdminStatement = (server: string, statement: string) =>
  Effect.flatMap(SqlClient, (sql) => sql.unsafe(statement).unprepared).pipe(
    Effect.provide(layerPostgres({ url: Redacted.make(server), maxConnections: 1 }), { local: true }),
    Effect.orDie
  )

/** A database on the server for as long as the scope lasts, empty or a copy of another; answers its address. */
export const createEmptyDatabase = Effect.fnUntraced(function* (server: string, copyOf = "template1") {
  const name = `latchkey_scratch_${randomBytes(6).toString("hex")}`
  const url = new URL(server)
  url.pathname = `/${name}`
  yield* Effect.acquireRelease(runAdminStatement(server, `CREATE DATABASE ${name} TEMPLATE ${copyOf}`), () =>
    runAdminStatement(server, `DROP DATABASE ${name} WITH (FORCE)`)
  )
  return url.href
})

/** Above all positions that tests insert. Tests dispatch events at the epoch, which would give small positions. */
const FIRST_POSITION = 2 ** 40

export const raiseEventPositions = Effect.flatMap(
  SqlClient,
  (sql) => sql`SELECT setval('event_positions', ${FIRST_POSITION}::bigint)`
)

/** The same, migrated. */
export const createScratchDatabase = (server: string) =>
  Effect.tap(createEmptyDatabase(server), (url) =>
    Effect.andThen(migrate(migrations), raiseEventPositions).pipe(
      Effect.provide(layerPostgres({ url: Redacted.make(url) }), { local: true }),
      Effect.orDie
    )
  )
