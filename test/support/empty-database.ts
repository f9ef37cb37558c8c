import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { layerInMemory } from "../../src/platform/database/embedded.ts"
import { layerPostgres } from "../../src/platform/database/postgres.ts"
import { createEmptyDatabase } from "./scratch-database.ts"

/** A database of its own without tables, for tests that migrate: on the server of the run, or embedded. */
export const layerEmptyDatabase = Layer.unwrap(
  Effect.gen(function* () {
    const server = inject("testDatabaseUrl")
    if (server === "") return layerInMemory()
    return layerPostgres({ url: Redacted.make(yield* createEmptyDatabase(server)), maxConnections: 10 })
  })
)
