import { readdir } from "node:fs/promises"
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { DEMO_GREETING_END, parseDemoAccess } from "./support/demo-snapshot.ts"
import { PROCESSES_MS } from "./support/time-limits.ts"
import {
  findFreePort,
  makeEmptyFolder,
  runLatchkeyProcess,
  startService
} from "./support/tools/cli/latchkey-process.ts"

const decodeClock = Schema.decodeUnknownSync(
  Schema.Struct({ error_code: Schema.Literal(0), data: Schema.Struct({ now: Schema.DateFromString }) })
)
const decodeEnvelope = Schema.decodeUnknownSync(Schema.Struct({ error_code: Schema.Int, error_msg: Schema.String }))

const send = (url: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
  Effect.promise(async (): Promise<unknown> => {
    const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) }
    return (await fetch(url, init)).json()
  })

it.live(
  "a server for tests moves its clock, times out what waits, and leaves the data folder alone",
  () =>
    Effect.gen(function* () {
      const [PORT, DATA_DIR] = [yield* findFreePort, yield* makeEmptyFolder]
      const { startupOutput } = yield* startService(
        DEMO_GREETING_END,
        { PORT, DATA_DIR, LOG_LEVEL: "warn" },
        undefined,
        undefined,
        ["serve", "--test"]
      )
      const url = `http://127.0.0.1:${PORT}`
      const { token } = parseDemoAccess(startupOutput)
      const countWaiting = Effect.map(
        send(`${url}/v3/reservations?status=wait_accept&limit=100`, undefined, { "Service-Access-Token": token }),
        (answer) => JSON.stringify(answer).split('"wait_accept"').length - 1
      )
      assert.isAtLeast(yield* countWaiting, 2)
      const before = decodeClock(yield* send(`${url}/test/clock`, { advance: 0 })).data.now
      const after = decodeClock(yield* send(`${url}/test/clock`, { advance: "3d" })).data.now
      const moved = after.getTime() - before.getTime() - 3 * 24 * 60 * 60 * 1000
      assert.isAtLeast(moved, 0)
      assert.isAtMost(moved, PROCESSES_MS)
      assert.strictEqual(yield* countWaiting, 0)
      assert.include(decodeEnvelope(yield* send(`${url}/test/clock`, { advance: "3x" })), { error_code: 422 })
      assert.include(decodeEnvelope(yield* send(`${url}/test/nothing`, {})), { error_code: 404 })
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(DATA_DIR)), [])
    }).pipe(Effect.scoped),
  PROCESSES_MS
)

it.live(
  "a server for tests refuses a database that is not its own, and more than one process",
  () =>
    Effect.gen(function* () {
      const PORT = yield* findFreePort
      const withDatabase = yield* runLatchkeyProcess(["serve", "--test"], {
        PORT,
        DATABASE_URL: "postgres://nobody@127.0.0.1:9/none"
      })
      assert.strictEqual(withDatabase.code, 1)
      assert.match(withDatabase.stderr, /^latchkey: DATABASE_URL: must be unset for a server for tests/)
      const withWorkers = yield* runLatchkeyProcess(["serve", "--test", "--role", "api"], { PORT })
      assert.strictEqual(withWorkers.code, 1)
      assert.match(withWorkers.stderr, /^latchkey: --test: needs one process/)
    }).pipe(Effect.scoped),
  PROCESSES_MS
)
