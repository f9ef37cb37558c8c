import { Context, Effect, Layer } from "effect"
import { inject } from "vitest"
import { unpackedInto } from "./database.ts"
import { scratchDatabase } from "./own-database.ts"
import { emptyFolder, freePort, serving } from "./tools/cli/latchkey.ts"

/** A migrated database with nothing in it, as a process is told of it. */
export const placeOfItsOwn = Effect.gen(function* () {
  const server = inject("testDatabaseUrl")
  return server === ""
    ? { DATA_DIR: yield* Effect.tap(emptyFolder, unpackedInto) }
    : { DATABASE_URL: yield* scratchDatabase(server) }
})

/** The service as a newcomer has it after the first start in an empty folder, and what that printed. */
export class Newcomer extends Context.Service<
  Newcomer,
  {
    readonly base: string
    readonly token: string
    readonly email: string
    readonly password: string
    /** What commands need to find it. */
    readonly env: Readonly<Record<string, string>>
  }
>()("latchkey/test/Newcomer") {
  static readonly layer = Layer.effect(
    Newcomer,
    Effect.gen(function* () {
      const env: Record<string, string> = {
        ...(yield* placeOfItsOwn),
        DEMO: "1",
        LOG_LEVEL: "warn",
        PORT: yield* freePort
      }
      const { printed } = yield* serving("The password is not shown", env)
      const told = (pattern: RegExp): string => pattern.exec(printed)?.[1] ?? ""
      return {
        base: `http://127.0.0.1:${env["PORT"]}`,
        token: told(/Service-Access-Token: (\S+)"/),
        email: told(/^ {2}e-mail {4}(\S+)$/m),
        password: told(/^ {2}password {2}(\S+)$/m),
        env
      }
    })
  )
}
