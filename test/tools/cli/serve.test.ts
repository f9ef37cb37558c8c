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
    assert.strictEqual(
      yield* refusal(WORKERS + 1, "all", server, 8),
      `--workers must be a whole number from 1 to ${WORKERS}, not ${WORKERS + 1}`
    )
    assert.strictEqual(
      yield* refusal(0, "all", server, 8),
      `--workers must be a whole number from 1 to ${WORKERS}, not 0`
    )
  })
)

it.effect("the embedded database has one process, which does everything", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* workersOf(undefined, "all", embedded, 8), 1)
    assert.strictEqual(yield* workersOf(1, "all", embedded, 8), 1)
    const why = "needs a database server (DATABASE_URL): the embedded database belongs to one process"
    assert.strictEqual(yield* refusal(2, "all", embedded, 8), `--workers 2 ${why}`)
    assert.strictEqual(yield* refusal(undefined, "api", embedded, 8), `--role api ${why}`)
    assert.strictEqual(yield* refusal(1, "worker", embedded, 8), `--role worker ${why}`)
  })
)
