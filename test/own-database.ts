import { randomBytes } from "node:crypto"
import { Clock, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { inject } from "vitest"
import { migrations } from "../migrations/index.ts"
import { migrate } from "../src/database/migrate.ts"
import { layerPostgres } from "../src/database/postgres.ts"
import { layerTestMemory } from "./database.ts"

const realClock = Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())

const administer = (server: string, statement: string) =>
  Effect.flatMap(SqlClient, (sql) => sql.unsafe(statement).unprepared).pipe(
    Effect.provide(layerPostgres({ url: Redacted.make(server), maxConnections: 1 })),
    Effect.orDie
  )

/** A migrated database on the run's server for as long as the scope lasts; answers its address. */
export const scratchDatabase = Effect.fnUntraced(function* (server: string) {
  const name = `latchkey_scratch_${randomBytes(6).toString("hex")}`
  const url = new URL(server)
  url.pathname = `/${name}`
  yield* Effect.acquireRelease(administer(server, `CREATE DATABASE ${name}`), () =>
    administer(server, `DROP DATABASE ${name} WITH (FORCE)`)
  )
  yield* migrate(migrations).pipe(Effect.provide(layerPostgres({ url: Redacted.make(url.href) })), Effect.orDie)
  return url.href
})

/**
 * A migrated database that no other test file shares, for tests of what works on a database as a whole: workers would
 * take what belongs to another file's tests.
 */
export const layerOwnDatabase = Layer.unwrap(
  Effect.gen(function* () {
    const server = inject("testDatabaseUrl")
    if (server === "") return layerTestMemory
    return layerPostgres({ url: Redacted.make(yield* scratchDatabase(server)), maxConnections: 4 })
  })
).pipe(Layer.provide(realClock))
