import { createServer } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { embeddedTestGround } from "../../attacks/grounds.ts"
import { lives } from "../../attacks/service-process.ts"
import { createScratchDatabase } from "../../support/scratch-database.ts"
import { PROCESSES_MS } from "../../support/time-limits.ts"
import { findFreePort, runLatchkeyProcess } from "../../support/tools/cli/latchkey-process.ts"

it.live(
  "one process that is told to be replaced ends in order",
  () =>
    Effect.gen(function* () {
      const life = yield* (yield* lives(yield* embeddedTestGround)).begin
      life.signal("SIGHUP")
      assert.deepStrictEqual(yield* Effect.promise(() => life.ended), { status: 0, signal: null })
    }).pipe(Effect.scoped),
  PROCESSES_MS
)

const server = process.env["DATABASE_URL"] ?? ""

/** A port that somebody has. */
const takenPort = Effect.gen(function* () {
  const port = yield* findFreePort
  yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const taken = createServer()
      taken.listen(Number(port), "127.0.0.1", () => resume(Effect.succeed(taken)))
    }),
    (taken) => Effect.sync(() => taken.close())
  )
  return port
})

describe.skipIf(server === "")(`workers${server === "" ? " (skipped: DATABASE_URL not set)" : ""}`, () => {
  it.live(
    "whose parent finds METRICS_PORT taken say so in one line",
    () =>
      Effect.gen(function* () {
        const port = yield* takenPort
        const { code, stderr } = yield* runLatchkeyProcess(["serve", "--workers", "2"], {
          DATABASE_URL: yield* createScratchDatabase(server),
          PORT: yield* findFreePort,
          METRICS_PORT: port
        })
        // A worker may have logged on standard output before it ended, so only standard error is one line.
        assert.strictEqual(code, 1)
        assert.match(stderr, new RegExp(`^latchkey: METRICS_PORT: .*\\bEADDRINUSE\\b.*:${port}\n$`))
      }).pipe(Effect.scoped),
    PROCESSES_MS
  )
})
