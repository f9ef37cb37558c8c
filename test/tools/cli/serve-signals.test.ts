import { createServer } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { embeddedTestGround } from "../../attacks/grounds.ts"
import { lives } from "../../attacks/service-process.ts"
import { scratchDatabase } from "../../support/scratch-database.ts"
import { messageOf } from "../../support/tools/cli/failures.ts"
import { freePort, latchkey } from "../../support/tools/cli/latchkey.ts"

it.live(
  "one process that is told to be replaced ends in order",
  () =>
    Effect.gen(function* () {
      const life = yield* (yield* lives(yield* embeddedTestGround)).begin
      life.signal("SIGHUP")
      assert.deepStrictEqual(yield* Effect.promise(() => life.ended), { status: 0, signal: null })
    }).pipe(Effect.scoped),
  60_000
)

const server = process.env["DATABASE_URL"] ?? ""

/** A port that somebody has. */
const takenPort = Effect.gen(function* () {
  const port = yield* freePort
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
        const said = yield* latchkey(["serve", "--workers", "2"], {
          DATABASE_URL: yield* scratchDatabase(server),
          PORT: yield* freePort,
          METRICS_PORT: port
        })
        assert.match(messageOf(said), new RegExp(`^METRICS_PORT: .*\\bEADDRINUSE\\b.*:${port}$`))
      }).pipe(Effect.scoped),
    60_000
  )
})
