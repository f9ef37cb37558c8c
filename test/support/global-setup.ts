import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { TestProject } from "vitest/node"
import { migrations } from "../../migrations/index.ts"
import { EmbeddedDatabase, layerInMemory } from "../../src/platform/database/embedded.ts"
import { migrate } from "../../src/platform/database/migrate.ts"
import { createScratchDatabase } from "./scratch-database.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the run's database, "" when the suite runs on the embedded one. */
    readonly testDatabaseUrl: string
    /** File with the snapshot of a migrated embedded database. */
    readonly testSnapshot: string
  }
}

/** Once a test run: a migrated database, on the server named by DATABASE_URL or as a snapshot to copy from. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = process.env.DATABASE_URL
  const database =
    server === undefined || server === "" ? await prepareEmbeddedDatabase() : await prepareServerDatabase(server)
  console.log(`tests run on ${database.name}`)
  project.provide("testDatabaseUrl", database.url)
  project.provide("testSnapshot", database.snapshot)
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
  const snapshot = join(folder, "snapshot.tar")
  const migrateAndSnapshot = Effect.gen(function* () {
    yield* migrate(migrations)
    yield* dropTemplateDatabases
    return yield* (yield* EmbeddedDatabase).snapshot
  })
  const dump = await Effect.runPromise(migrateAndSnapshot.pipe(Effect.provide(layerInMemory())))
  await writeFile(snapshot, dump.stream())
  return {
    name: "the embedded database",
    url: "",
    snapshot,
    remove: () => rm(folder, { recursive: true, force: true })
  }
}

const prepareServerDatabase = async (server: string) => {
  const scope = await Effect.runPromise(Scope.make())
  const url = new URL(await Effect.runPromise(Scope.provide(createScratchDatabase(server), scope)))
  return {
    name: `PostgreSQL at ${url.host}${url.pathname}`,
    url: url.href,
    snapshot: "",
    remove: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
