import { Effect, Redacted } from "effect"
import { layerPostgres } from "../src/platform/database/postgres.ts"
import { createScratchDatabase } from "../test/support/scratch-database.ts"

/** The server the bench makes its database on. */
export const SERVER_URL = process.env["DATABASE_URL"] ?? "postgres://postgres@127.0.0.1:5432/postgres"

/** A migrated database for as long as `use` runs; it is dropped afterwards. */
export const withScratchDatabase = <A, E, R>(use: (url: string) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(createScratchDatabase(SERVER_URL), (url) =>
    Effect.provide(use(url), layerPostgres({ url: Redacted.make(url), maxConnections: 2 }))
  ).pipe(Effect.scoped)
