import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { Effect, Exit, Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { TestProject } from "vitest/node"
import { migrations } from "../../migrations/index.ts"
import { EmbeddedDatabase, layerInMemory } from "../../src/platform/database/embedded.ts"
import { migrate } from "../../src/platform/database/migrate.ts"
import { DEMO_GREETING_END, type DemoSnapshot, parseDemoAccess } from "./demo-snapshot.ts"
import { createScratchDatabase, raiseEventPositions } from "./scratch-database.ts"
import { unpackSnapshot } from "./snapshot.ts"
import { findFreePort, makeEmptyFolder, startService } from "./tools/cli/latchkey-process.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the run's database, "" when the suite runs on the embedded one. */
    readonly testDatabaseUrl: string
    /** File with the snapshot of a migrated embedded database. */
    readonly testSnapshot: string
    /** File with the snapshot of an embedded database without tables, "" when the suite runs on a server. */
    readonly emptySnapshot: string
    /** A data folder after a first start with the demo. Undefined when the suite runs on a server or without the project `system`. */
    readonly demoSnapshot: DemoSnapshot | undefined
  }
}

/**
 * Prepares a migrated database, on the server named by DATABASE_URL or as a snapshot to copy from. The projects `service` and `system`
 * share it: the first of them in a run prepares it.
 */
export default async function setup({ vitest }: TestProject): Promise<(() => Promise<void>) | undefined> {
  const root = vitest.getRootProject()
  if ("testSnapshot" in root.getProvidedContext()) return undefined
  const server = process.env.DATABASE_URL
  const database =
    server === undefined || server === "" ? await prepareEmbeddedDatabase() : await prepareServerDatabase(server)
  const isDemoNeeded = database.url === "" && vitest.projects.some(({ name }) => name === "system")
  root.provide("demoSnapshot", isDemoNeeded ? await prepareDemo(database.snapshot, database.remove) : undefined)
  console.log(`tests run on ${database.name}`)
  root.provide("testDatabaseUrl", database.url)
  root.provide("testSnapshot", database.snapshot)
  root.provide("emptySnapshot", database.emptySnapshot)
  return database.remove
}

/** What nobody connects to, and every copy would have: 14 of its 45 MB, and four of ten of its files. */
const dropTemplateDatabases = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE pg_database SET datistemplate = false`
  yield* sql`DROP DATABASE template0`
  yield* sql`DROP DATABASE template1`
})

const prepareEmbeddedDatabase = async () => {
  const folder = await mkdtemp(join(tmpdir(), "latchkey-test-"))
  const [snapshot, emptySnapshot] = [join(folder, "snapshot.tar"), join(folder, "empty.tar")]
  const writeSnapshot = (file: string) =>
    Effect.flatMap(
      EmbeddedDatabase.use((database) => database.snapshot),
      (dump) => Effect.promise(() => writeFile(file, dump.stream()))
    )
  const migrateAndSnapshot = Effect.gen(function* () {
    yield* dropTemplateDatabases
    yield* writeSnapshot(emptySnapshot)
    yield* migrate(migrations)
    yield* raiseEventPositions
    yield* writeSnapshot(snapshot)
  })
  await Effect.runPromise(migrateAndSnapshot.pipe(Effect.provide(layerInMemory())))
  return {
    name: "the embedded database",
    url: "",
    snapshot,
    emptySnapshot,
    remove: () => rm(folder, { recursive: true, force: true })
  }
}

/** Milliseconds for the first start with the demo, which takes six seconds of a core. */
const DEMO_START_MS = 60_000

/** Starts the service with the demo as a process, and packs the data folder that it leaves, beside the snapshot. */
const prepareDemo = (snapshot: string, removeOnFailure: () => Promise<void>): Promise<DemoSnapshot> =>
  Effect.gen(function* () {
    const DATA_DIR = yield* makeEmptyFolder
    yield* unpackSnapshot(snapshot, DATA_DIR)
    const { startupOutput, stop } = yield* startService(DEMO_GREETING_END, {
      DATA_DIR,
      DEMO: "1",
      LOG_LEVEL: "warn",
      PORT: yield* findFreePort
    })
    yield* stop
    const folderTar = join(dirname(snapshot), "demo.tar")
    yield* Effect.promise(() => promisify(execFile)("tar", ["-cf", folderTar, "-C", DATA_DIR, "."]))
    return { folderTar, access: parseDemoAccess(startupOutput) }
  }).pipe(
    Effect.scoped,
    Effect.timeout(DEMO_START_MS),
    Effect.onError(() => Effect.promise(removeOnFailure)),
    Effect.runPromise
  )

const prepareServerDatabase = async (server: string) => {
  const scope = await Effect.runPromise(Scope.make())
  const url = new URL(await Effect.runPromise(Scope.provide(createScratchDatabase(server), scope)))
  return {
    name: `PostgreSQL at ${url.host}${url.pathname}`,
    url: url.href,
    snapshot: "",
    emptySnapshot: "",
    remove: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
