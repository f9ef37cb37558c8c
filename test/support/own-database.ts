import { Clock, Effect, Layer, Redacted } from "effect"
import { layerPostgres } from "../../src/platform/database/postgres.ts"
import { createScratchDatabase } from "./scratch-database.ts"
import { layerTestDatabaseInMemory, readTestDatabaseUrl } from "./test-database.ts"

export { createScratchDatabase } from "./scratch-database.ts"

const layerRealClock = Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())

/**
 * A migrated database that no other test file shares, for tests of what works on a database as a whole: workers would
 * take what belongs to another file's tests.
 */
export const layerOwnDatabase = Layer.unwrap(
  Effect.gen(function* () {
    const server = readTestDatabaseUrl()
    if (server === "") return layerTestDatabaseInMemory
    return layerPostgres({ url: Redacted.make(yield* createScratchDatabase(server)), maxConnections: 4 })
  })
).pipe(Layer.provide(layerRealClock))
