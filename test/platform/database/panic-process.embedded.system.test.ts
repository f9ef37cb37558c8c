import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { unpackTestDatabase } from "../../support/test-database.ts"
import { findFreePort, makeEmptyFolder, runLatchkeyProcess } from "../../support/tools/cli/latchkey-process.ts"

const panicking = join(import.meta.dirname, "../../support/platform/database/panic-preload.ts")

/** Looks for the service to be ready, and milliseconds between two. */
const LOOKS = 600
const BETWEEN_MS = 100

const isReady = (port: string) =>
  Effect.promise(() =>
    fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false
    )
  )

it.live("a service whose embedded database gives itself up says why and ends with status 1; a command does too", () =>
  Effect.gen(function* () {
    const folder = yield* makeEmptyFolder
    const DATA_DIR = yield* Effect.tap(makeEmptyFolder, unpackTestDatabase)
    const PORT = yield* findFreePort
    const PANIC_FILE = join(folder, "now")
    const env = { DATA_DIR, PORT, PANIC_FILE, DEMO: "0", NODE_OPTIONS: `--import ${panicking}` }
    const service = yield* Effect.forkChild(runLatchkeyProcess(["serve"], env))
    yield* Effect.repeat(
      Effect.tap(isReady(PORT), () => Effect.sleep(BETWEEN_MS)),
      {
        until: (ready) => ready,
        times: LOOKS
      }
    )
    writeFileSync(PANIC_FILE, "")
    const { code, stdout, stderr } = yield* Fiber.join(service)
    assert.strictEqual(code, 1)
    assert.match(stdout + stderr, /\bembedded database\b.*\(no room in the test\)/)
    const command = yield* runLatchkeyProcess(["operator", "limits", "1"], env)
    assert.strictEqual(command.code, 1)
  })
)
