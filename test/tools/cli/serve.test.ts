import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { WORKERS_MAX } from "../../../src/platform/limits.ts"
import { resolveWorkerCount } from "../../../src/tools/cli/serve.ts"

const server = { databaseUrl: Redacted.make("postgres://localhost/latchkey") }
const embedded = { databaseUrl: undefined }

const refusal = (...given: Parameters<typeof resolveWorkerCount>) =>
  Effect.map(Effect.flip(resolveWorkerCount(...given)), ({ message }) => message)

it.effect("on a server one process a core serves, unless it is said otherwise", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* resolveWorkerCount(undefined, "all", server, 8), 8)
    assert.strictEqual(yield* resolveWorkerCount(undefined, "all", server, WORKERS_MAX + 1), WORKERS_MAX)
    assert.strictEqual(yield* resolveWorkerCount(3, "api", server, 8), 3)
  })
)

it.effect(`--workers takes 1 to ${WORKERS_MAX}`, () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* resolveWorkerCount(1, "all", server, 8), 1)
    assert.strictEqual(yield* resolveWorkerCount(WORKERS_MAX, "all", server, 8), WORKERS_MAX)
    for (const count of [0, WORKERS_MAX + 1]) {
      assert.match(
        yield* refusal(count, "all", server, 8),
        new RegExp(`^--workers: .*\\b${WORKERS_MAX}\\b.*\\b${count}$`)
      )
    }
  })
)

it.effect("the embedded database has one process, which does everything", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* resolveWorkerCount(undefined, "all", embedded, 8), 1)
    assert.strictEqual(yield* resolveWorkerCount(1, "all", embedded, 8), 1)
    assert.match(yield* refusal(2, "all", embedded, 8), /^--workers: 2\b.*\bDATABASE_URL\b/)
    assert.match(yield* refusal(undefined, "api", embedded, 8), /^--role: api\b.*\bDATABASE_URL\b/)
    assert.match(yield* refusal(1, "worker", embedded, 8), /^--role: worker\b.*\bDATABASE_URL\b/)
  })
)
