import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { WORKERS } from "../../../src/platform/limits.ts"
import { workersOf } from "../../../src/tools/cli/serve.ts"

const server = { databaseUrl: Redacted.make("postgres://localhost/latchkey") }
const embedded = { databaseUrl: undefined }

const refusal = (...given: Parameters<typeof workersOf>) =>
  Effect.map(Effect.flip(workersOf(...given)), ({ message }) => message)

it.effect("on a server one process a core serves, unless it is said otherwise", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* workersOf(undefined, "all", server, 8), 8)
    assert.strictEqual(yield* workersOf(undefined, "all", server, WORKERS + 1), WORKERS)
    assert.strictEqual(yield* workersOf(3, "api", server, 8), 3)
  })
)

it.effect(`--workers takes 1 to ${WORKERS}`, () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* workersOf(1, "all", server, 8), 1)
    assert.strictEqual(yield* workersOf(WORKERS, "all", server, 8), WORKERS)
    for (const count of [0, WORKERS + 1]) {
      assert.match(yield* refusal(count, "all", server, 8), new RegExp(`^--workers: .*\\b${WORKERS}\\b.*\\b${count}$`))
    }
  })
)

it.effect("the embedded database has one process, which does everything", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* workersOf(undefined, "all", embedded, 8), 1)
    assert.strictEqual(yield* workersOf(1, "all", embedded, 8), 1)
    assert.match(yield* refusal(2, "all", embedded, 8), /^--workers: 2\b.*\bDATABASE_URL\b/)
    assert.match(yield* refusal(undefined, "api", embedded, 8), /^--role: api\b.*\bDATABASE_URL\b/)
    assert.match(yield* refusal(1, "worker", embedded, 8), /^--role: worker\b.*\bDATABASE_URL\b/)
  })
)
