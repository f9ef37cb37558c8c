import { randomBytes } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { TestProject } from "vitest/node"
import { migrations } from "../migrations/index.ts"
import { EmbeddedDatabase, layerMemory } from "../src/database/embedded.ts"
import { migrate } from "../src/database/migrate.ts"
import { layerPostgres } from "../src/database/postgres.ts"

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
  const run = server === undefined || server === "" ? await onEmbedded() : await onServer(server)
  console.log(`tests run on ${run.name}`)
  project.provide("testDatabaseUrl", run.url)
  project.provide("testSnapshot", run.snapshot)
  return run.remove
}

const onEmbedded = async () => {
  const folder = await mkdtemp(join(tmpdir(), "latchkey-test-"))
  const snapshot = join(folder, "snapshot.tar")
  const migrated = Effect.gen(function* () {
    yield* migrate(migrations)
    return yield* (yield* EmbeddedDatabase).snapshot
  })
  const dump = await Effect.runPromise(migrated.pipe(Effect.provide(layerMemory())))
  await writeFile(snapshot, dump.stream())
  return {
    name: "the embedded database",
    url: "",
    snapshot,
    remove: () => rm(folder, { recursive: true, force: true })
  }
}

const onServer = async (server: string) => {
  const name = `latchkey_test_${randomBytes(6).toString("hex")}`
  const url = new URL(server)
  url.pathname = `/${name}`
  const administer = (statement: string) =>
    Effect.runPromise(
      Effect.flatMap(SqlClient, (sql) => sql.unsafe(statement)).pipe(
        Effect.provide(layerPostgres({ url: Redacted.make(server), maxConnections: 1 }))
      )
    )
  await administer(`create database ${name}`)
  await Effect.runPromise(migrate(migrations).pipe(Effect.provide(layerPostgres({ url: Redacted.make(url.href) }))))
  return {
    name: `PostgreSQL at ${url.host}/${name}`,
    url: url.href,
    snapshot: "",
    remove: async () => {
      await administer(`drop database ${name} with (force)`)
    }
  }
}
