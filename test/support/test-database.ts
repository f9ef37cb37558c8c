import { execFile } from "node:child_process"
import { openAsBlob } from "node:fs"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer, Redacted, Scope } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { inject } from "vitest"
import { layerInMemory } from "../../src/platform/database/embedded.ts"
import { layerPostgres } from "../../src/platform/database/postgres.ts"

/** Connections age in real time: a test that moves its clock by a month must not close them under its own feet. */
const layerRealClock = Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())

/** The run's embedded database to copy from; undefined when the run is on a server. */
export const openTestSnapshot = async (): Promise<Blob | undefined> => {
  const snapshot = inject("testSnapshot")
  return snapshot === "" ? undefined : openAsBlob(snapshot)
}

/** A copy of the run's embedded database in memory; an empty one when the run is on a server. */
export const layerTestDatabaseInMemory = Layer.unwrap(Effect.map(Effect.promise(openTestSnapshot), layerInMemory)).pipe(
  Layer.provide(layerRealClock)
)

/** The copy that the test files of this worker share, made by the first of them. It ends with the worker. */
const sharedTestDatabase = Effect.runSync(
  Effect.cached(Effect.flatMap(Scope.make(), (scope) => Layer.buildWithScope(layerTestDatabaseInMemory, scope)))
)

/**
 * The migrated database of this test run: PostgreSQL when DATABASE_URL is set, else a copy in memory. All tests of a
 * run may share it, so a test works with operators of its own.
 */
export const layerTestDatabase: Layer.Layer<PgClient.PgClient | SqlClient, SqlError> = Layer.suspend(() => {
  const url = inject("testDatabaseUrl")
  if (url === "") return Layer.effectContext(sharedTestDatabase)
  return Layer.provide(layerPostgres({ url: Redacted.make(url), maxConnections: 4 }), layerRealClock)
})

/**
 * Puts the run's migrated database into an empty data folder: a process that starts there makes none of its own, which
 * takes it seconds. Does nothing when the run is on a server.
 */
export const unpackTestDatabase = (folder: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    const snapshot = inject("testSnapshot")
    if (snapshot === "") return
    const database = join(folder, "database")
    await mkdir(database, { mode: 0o700 })
    await promisify(execFile)("tar", ["-xf", snapshot, "-C", database])
  })
