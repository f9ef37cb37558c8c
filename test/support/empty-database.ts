import { Effect, Layer, Redacted } from "effect"
import { layerPostgres } from "../../src/platform/database/postgres.ts"
import { createEmptyDatabase } from "./scratch-database.ts"
import { layerEmptyDatabaseInMemory, readTestDatabaseUrl } from "./test-database.ts"

/** A database of its own without tables, for tests that migrate: on the server of the run, or embedded. */
export const layerEmptyDatabase = Layer.unwrap(
  Effect.gen(function* () {
    const server = readTestDatabaseUrl()
    if (server === "") return layerEmptyDatabaseInMemory
    return layerPostgres({ url: Redacted.make(yield* createEmptyDatabase(server)), maxConnections: 10 })
  })
)
