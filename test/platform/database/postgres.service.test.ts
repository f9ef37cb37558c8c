import { describe, expect, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layerPostgres } from "../../../src/platform/database/postgres.ts"
import { defineDatabaseSuite } from "../../support/platform/database/database-suite.ts"
import { defineMigrationSuite } from "../../support/platform/database/migration-suite.ts"
import { createEmptyDatabase } from "../../support/scratch-database.ts"

const server = process.env.DATABASE_URL ?? ""

/** A database of its own on the server, dropped when the suite is done. */
const layerOwnDatabase = Layer.unwrap(
  Effect.map(
    Effect.suspend(() => createEmptyDatabase(server)),
    (url) => layerPostgres({ url: Redacted.make(url), maxConnections: 4 })
  )
)

describe.skipIf(server === "")(server === "" ? "PostgreSQL (skipped: DATABASE_URL not set)" : "PostgreSQL", () => {
  defineDatabaseSuite("the server", layerOwnDatabase)
  defineMigrationSuite("migrating the server", layerOwnDatabase)

  layer(layerOwnDatabase)("a server that goes away and comes back", (it) => {
    it.effect("connections it has closed are replaced", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* Effect.all([sql`select pg_sleep(0)`, sql.withTransaction(sql`select 1`)], { concurrency: 2 })
        // Ends every session of this database, the one that asks last.
        const end = sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() order by pid = pg_backend_pid()`
        expect(Exit.isFailure(yield* Effect.exit(sql.withTransaction(end)))).toBe(true)
        // A connection whose end has not been noticed yet may fail one statement more.
        expect(yield* Effect.eventually(sql`select 1 as one`)).toEqual([{ one: 1 }])
        expect(yield* sql.withTransaction(sql`select 2 as two`)).toEqual([{ two: 2 }])
      })
    )
  })
})
