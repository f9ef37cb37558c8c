import { Context, Effect, Layer } from "effect"
import { inject } from "vitest"
import { createScratchDatabase } from "./own-database.ts"
import { unpackTestDatabase } from "./test-database.ts"
import { findFreePort, makeEmptyFolder, startService } from "./tools/cli/latchkey-process.ts"

/** A migrated database with nothing in it, as a process is told of it. */
export const makeDatabaseEnvironment = Effect.gen(function* () {
  const server = inject("testDatabaseUrl")
  return server === ""
    ? { DATA_DIR: yield* Effect.tap(makeEmptyFolder, unpackTestDatabase) }
    : { DATABASE_URL: yield* createScratchDatabase(server) }
})

/** The service as a newcomer has it after the first start in an empty folder, and what that printed. */
export class FirstStart extends Context.Service<
  FirstStart,
  {
    readonly baseUrl: string
    readonly token: string
    readonly email: string
    readonly password: string
    /** What commands need to find it. */
    readonly env: Readonly<Record<string, string>>
  }
>()("latchkey/test/Newcomer") {
  static readonly layer = Layer.effect(
    FirstStart,
    Effect.gen(function* () {
      const env: Record<string, string> = {
        ...(yield* makeDatabaseEnvironment),
        DEMO: "1",
        LOG_LEVEL: "warn",
        PORT: yield* findFreePort
      }
      const { startupOutput: printed } = yield* startService("The password is not shown", env)
      const findPrinted = (pattern: RegExp): string => pattern.exec(printed)?.[1] ?? ""
      return {
        baseUrl: `http://127.0.0.1:${env["PORT"]}`,
        token: findPrinted(/Service-Access-Token: (\S+)"/),
        email: findPrinted(/^ {2}e-mail {4}(\S+)$/m),
        password: findPrinted(/^ {2}password {2}(\S+)$/m),
        env
      }
    })
  )
}
