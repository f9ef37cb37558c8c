import { openAsBlob } from "node:fs"
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer, Redacted, Scope } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { inject } from "vitest"
import { layerInMemory } from "../../src/platform/database/embedded.ts"
import { layerPostgres } from "../../src/platform/database/postgres.ts"
import { unpackSnapshot } from "./snapshot.ts"

/** Connections age in real time: a test that moves its clock by a month must not close them under its own feet. */
const layerRealClock = Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())

/** Returns the address of the run's database, or "" if the run is on the embedded one. Throws in a test of the project `unit`. */
export const readTestDatabaseUrl = (): string => {
  const url: string | undefined = inject("testDatabaseUrl")
  if (url !== undefined) return url
  throw new Error(
    "This test uses a database: name its file *.service.test.ts, or *.system.test.ts if it listens on a socket."
  )
}

/** Returns the path of the embedded database to copy from, or undefined if the run is on a server. */
const findTestSnapshot = (): string | undefined => (readTestDatabaseUrl() === "" ? inject("testSnapshot") : undefined)

/** Returns an embedded database without tables to copy from, or undefined if the run is on a server. */
export const openEmptySnapshot = async (): Promise<Blob | undefined> =>
  readTestDatabaseUrl() === "" ? openAsBlob(inject("emptySnapshot")) : undefined

/** A database without tables, in memory and anew for each use. A copy takes half a second, a new one three seconds. */
export const layerEmptyDatabaseInMemory = Layer.fresh(
  Layer.unwrap(Effect.map(Effect.promise(openEmptySnapshot), layerInMemory))
).pipe(Layer.provide(layerRealClock))

/** The run's embedded database to copy from; undefined when the run is on a server. */
export const openTestSnapshot = async (): Promise<Blob | undefined> => {
  const snapshot = findTestSnapshot()
  return snapshot === undefined ? undefined : openAsBlob(snapshot)
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
  const url = readTestDatabaseUrl()
  if (url === "") return Layer.effectContext(sharedTestDatabase)
  return Layer.provide(layerPostgres({ url: Redacted.make(url), maxConnections: 4 }), layerRealClock)
})

/**
 * Puts the run's migrated database into an empty data folder: a process that starts there makes none of its own, which
 * takes it seconds. Does nothing when the run is on a server.
 */
export const unpackTestDatabase = (folder: string): Effect.Effect<void> =>
  Effect.suspend(() => unpackSnapshot(findTestSnapshot(), folder))

/** Puts a database without tables into an empty data folder, for a test of the migrations or of a restore. */
export const unpackEmptyDatabase = (folder: string): Effect.Effect<void> =>
  Effect.suspend(() => unpackSnapshot(readTestDatabaseUrl() === "" ? inject("emptySnapshot") : undefined, folder))
