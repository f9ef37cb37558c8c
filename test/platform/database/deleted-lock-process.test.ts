import { rmSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { unpackedInto } from "../../support/database.ts"
import { emptyFolder, freePort, latchkey, serving } from "../../support/tools/cli/latchkey.ts"

it.live.each([
  { deleted: ["lock", "owner"], by: "its control socket" },
  { deleted: ["lock", "control.sock"], by: "the recorded owner" }
])("a second service ends because of $by after the lock was deleted", ({ deleted }) =>
  Effect.gen(function* () {
    const DATA_DIR = yield* Effect.tap(emptyFolder, unpackedInto)
    const start = Effect.map(freePort, (PORT) => ({ DATA_DIR, PORT, DEMO: "0" }))
    const first = yield* start
    yield* serving("Latchkey", first)
    for (const name of deleted) rmSync(join(DATA_DIR, name))
    const second = yield* latchkey(["serve"], yield* start)
    assert.strictEqual(second.code, 1)
    assert.match(second.stdout + second.stderr, new RegExp(`DATA_DIR: .*${DATA_DIR} .*\\bin use\\b`))
    const health = yield* Effect.promise(() => fetch(`http://127.0.0.1:${first.PORT}/health/ready`))
    assert.strictEqual(health.status, 200)
  })
)
