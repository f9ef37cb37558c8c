import { Effect, Layer, Redacted, References, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { migrations } from "../../migrations/index.ts"
import { layerEmbedded } from "../../src/platform/database/embedded.ts"
import { migrate } from "../../src/platform/database/migrate.ts"
import { layerPostgres } from "../../src/platform/database/postgres.ts"
import { layerService } from "../support/harness.ts"
import { layerHttpServerOf } from "../support/http-server.ts"
import { createScratchDatabase, layerOwnDatabase } from "../support/own-database.ts"
import { readTestDatabaseUrl, unpackTestDatabase } from "../support/test-database.ts"
import { makeEmptyFolder } from "../support/tools/cli/latchkey-process.ts"

/** A migrated database of its own for one attack, gone with the scope. */
export interface Ground {
  readonly on: "embedded" | "PostgreSQL"
  /** What tells a process of the service to use it. */
  readonly env: Readonly<Record<string, string>>
  /** The database itself. The embedded one belongs to one process: only while no service runs. */
  readonly layer: Layer.Layer<SqlClient.SqlClient>
}

const toEmbeddedGround = (folder: string): Ground => ({
  on: "embedded",
  env: { DATA_DIR: folder },
  layer: Layer.orDie(layerEmbedded(folder))
})

/** In a folder that is empty, or has a database already. */
export const embeddedIn = Effect.fnUntraced(function* (folder: string): Effect.fn.Return<Ground, unknown> {
  const ground = toEmbeddedGround(folder)
  yield* Effect.provide(migrate(migrations), ground.layer)
  return ground
}, Effect.orDie)

export const embeddedGround: Effect.Effect<Ground, never, Scope.Scope> = Effect.flatMap(makeEmptyFolder, embeddedIn)

/** The same in a test on the embedded database: a copy of the run's migrated one. */
export const embeddedTestGround: Effect.Effect<Ground, never, Scope.Scope> = Effect.flatMap(
  Effect.tap(makeEmptyFolder, unpackTestDatabase),
  (folder) => (readTestDatabaseUrl() === "" ? Effect.succeed(toEmbeddedGround(folder)) : embeddedIn(folder))
)

/** On the server of this address. */
export const serverGround = Effect.fnUntraced(function* (server: string): Effect.fn.Return<Ground, never, Scope.Scope> {
  const url = yield* createScratchDatabase(server)
  const layer = Layer.orDie(layerPostgres({ url: Redacted.make(url), maxConnections: 4 }))
  return { on: "PostgreSQL", env: { DATABASE_URL: url }, layer }
})

/** The log says nothing of calls: there are thousands, and the attack says what they were answered. */
export const layerQuiet = Layer.succeed(References.MinimumLogLevel, "Error")

/** The service of a test, behind a real socket, over a database of its own. */
export const layerOnOwnDatabase = layerHttpServerOf(layerService(layerOwnDatabase)).pipe(Layer.provideMerge(layerQuiet))

/** The service in this process, behind a real socket, over a ground. */
export const layerOnGround = (ground: Ground) =>
  layerHttpServerOf(layerService(ground.layer)).pipe(Layer.provideMerge(layerQuiet), Layer.orDie)
