import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { Context, Effect, Layer } from "effect"
import { inject } from "vitest"
import { DEMO_GREETING_END, type DemoAccess, parseDemoAccess } from "./demo-snapshot.ts"
import { createScratchDatabase } from "./own-database.ts"
import { readTestDatabaseUrl, unpackTestDatabase } from "./test-database.ts"
import { findFreePort, makeEmptyFolder, startService } from "./tools/cli/latchkey-process.ts"

/** A migrated database with nothing in it, as a process is told of it. */
export const makeDatabaseEnvironment = Effect.gen(function* () {
  const server = readTestDatabaseUrl()
  return server === ""
    ? { DATA_DIR: yield* Effect.tap(makeEmptyFolder, unpackTestDatabase) }
    : { DATABASE_URL: yield* createScratchDatabase(server) }
})

/** The last line that a start prints when the demo is there already. */
const GREETING_END = "token create"

/**
 * Starts the service with the demo. On the embedded database it continues from the run's snapshot of a first start, because seeding the
 * demo takes several seconds.
 */
export const startDemoService = Effect.fnUntraced(function* (settings: Readonly<Record<string, string>>) {
  const { PORT = yield* findFreePort } = settings
  const baseUrl = `http://127.0.0.1:${PORT}`
  const snapshot = inject("demoSnapshot")
  if (snapshot === undefined) {
    const env = { ...(yield* makeDatabaseEnvironment), ...settings, DEMO: "1", PORT }
    const service = yield* startService(DEMO_GREETING_END, env)
    return { ...parseDemoAccess(service.startupOutput), baseUrl, env, service }
  }
  const DATA_DIR = yield* makeEmptyFolder
  yield* Effect.promise(() => promisify(execFile)("tar", ["-xf", snapshot.folderTar, "-C", DATA_DIR]))
  const env = { DATA_DIR, ...settings, DEMO: "1", PORT }
  return { ...snapshot.access, baseUrl, env, service: yield* startService(GREETING_END, env) }
})

/** The service with the demo as a newcomer has it, and what its first start printed. */
export class FirstStart extends Context.Service<
  FirstStart,
  DemoAccess & {
    readonly baseUrl: string
    /** What commands need to find it. */
    readonly env: Readonly<Record<string, string>>
  }
>()("latchkey/test/Newcomer") {
  static readonly layer = Layer.effect(
    FirstStart,
    startDemoService({ LOG_LEVEL: "warn", WEBHOOK_ALLOWED_HOSTS: "127.0.0.1" })
  )
}
