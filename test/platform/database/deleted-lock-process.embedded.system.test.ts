import { rmSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { unpackTestDatabase } from "../../support/test-database.ts"
import {
  findFreePort,
  makeEmptyFolder,
  runLatchkeyProcess,
  startService
} from "../../support/tools/cli/latchkey-process.ts"

it.live.each([
  { deleted: ["lock", "owner"], by: "its control socket" },
  { deleted: ["lock", "control.sock"], by: "the recorded owner" }
])("a second service ends because of $by after the lock was deleted", ({ deleted }) =>
  Effect.gen(function* () {
    const DATA_DIR = yield* Effect.tap(makeEmptyFolder, unpackTestDatabase)
    const start = Effect.map(findFreePort, (PORT) => ({ DATA_DIR, PORT, DEMO: "0" }))
    const first = yield* start
    yield* startService("Latchkey", first)
    for (const name of deleted) rmSync(join(DATA_DIR, name))
    const second = yield* runLatchkeyProcess(["serve"], yield* start)
    assert.strictEqual(second.code, 1)
    assert.match(second.stdout + second.stderr, new RegExp(`DATA_DIR: .*${DATA_DIR} .*\\bin use\\b`))
    const health = yield* Effect.promise(() => fetch(`http://127.0.0.1:${first.PORT}/health/ready`))
    assert.strictEqual(health.status, 200)
  })
)
