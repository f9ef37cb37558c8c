import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { generateKey, parseSecretKeys } from "../../../src/platform/sealing/secret-keys.ts"
import { unpackTestDatabase } from "../../support/test-database.ts"
import { PROCESSES_MS } from "../../support/time-limits.ts"
import { failureMessageOf, fieldOfFailure } from "../../support/tools/cli/command-failures.ts"
import {
  findFreePort,
  makeEmptyFolder,
  runLatchkeyProcess,
  startService
} from "../../support/tools/cli/latchkey-process.ts"
import { runLatchkeyInProcess } from "../../support/tools/cli/running-service.ts"

const Connector = Schema.fromJsonString(Schema.Struct({ connector_id: Schema.Int, secret: Schema.String }))
const READY = "Latchkey"

const printedKey = Effect.map(runLatchkeyProcess(["secret", "new"], {}), ({ code, stdout, stderr }) => {
  assert.deepStrictEqual([code, stderr], [0, ""])
  return stdout.trim()
})

const idOf = (key: string): string => parseSecretKeys(key)?.current?.id ?? ""

/** An installation on the embedded database, without the demo, that has a connector. */
const installed = Effect.fnUntraced(function* (SECRET_KEY: string) {
  const DATA_DIR = yield* makeEmptyFolder
  yield* unpackTestDatabase(DATA_DIR)
  const env = { DATA_DIR, DEMO: "0", PORT: yield* findFreePort }
  assert.strictEqual((yield* runLatchkeyInProcess(["migrate"], env)).code, 0)
  const { code, stdout } = yield* runLatchkeyInProcess(
    ["connector", "add", "--name", "tiny", "--url", "http://127.0.0.1:9/", "--json"],
    { ...env, SECRET_KEY, WEBHOOK_ALLOWED_HOSTS: "127.0.0.1" }
  )
  assert.strictEqual(code, 0)
  const { secret } = yield* Schema.decodeUnknownEffect(Connector)(stdout)
  return { env, secret }
})

const WARNING = "SECRET_KEY is not set"
// process.embedded.system.test.ts checks that the demo logs no warning.

describe("latchkey secret", () => {
  it.live("new prints a key, another each time, also as JSON and where SECRET_KEY is wrong", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* printedKey, yield* printedKey]
      assert.match(one, /^lksecret_[A-Za-z0-9_-]{43}$/)
      assert.notStrictEqual(one, other)
      const { code, stdout } = yield* runLatchkeyInProcess(["secret", "new", "--json"], { SECRET_KEY: "hunter2" })
      assert.strictEqual(code, 0)
      assert.isDefined(parseSecretKeys(String(JSON.parse(stdout).secret_key)))
    })
  )

  it.live(
    "a service starts with its key alone; rotate puts another in its place beside it, and takes sealing back",
    () =>
      Effect.gen(function* () {
        const [first, second] = [generateKey(), generateKey()]
        const { env } = yield* installed(first)

        const without = yield* runLatchkeyProcess(["serve"], env)
        assert.strictEqual(without.code, 1)
        assert.match(without.stderr + without.stdout, new RegExp(`SECRET_KEY: .*\\b${idOf(first)}\\b`))
        // To make a new key would be the wrong thing to do.
        assert.notInclude(without.stderr + without.stdout, WARNING)
        assert.match(
          failureMessageOf(yield* runLatchkeyInProcess(["secret", "rotate"], env)),
          new RegExp(`^SECRET_KEY: .*\\b${idOf(first)}\\b`)
        )
        const wrong = yield* runLatchkeyProcess(["serve"], { ...env, SECRET_KEY: `${second},hunter2` })
        assert.strictEqual(wrong.code, 1)
        assert.match(wrong.stderr + wrong.stdout, /SECRET_KEY: .*\b1 to 8\b/)
        assert.notInclude(wrong.stderr + wrong.stdout, "hunter2")

        const both = { ...env, SECRET_KEY: `${second},${first}` }
        const service = yield* startService(READY, both)
        assert.notInclude(service.startupOutput, WARNING)
        const rotated = yield* runLatchkeyInProcess(["secret", "rotate"], both)
        assert.deepStrictEqual([rotated.code, rotated.stderr], [0, ""])
        assert.include(rotated.stdout, "connectors.secret: 1\n")
        assert.match(rotated.stdout, new RegExp(`\\bremove ${idOf(first)}\\b`))
        yield* service.stop

        const alone = { ...env, SECRET_KEY: second }
        const { stdout } = yield* runLatchkeyInProcess(["doctor"], alone)
        assert.match(stdout, /^ok {7}SECRET_KEY: /m)
        assert.strictEqual((yield* runLatchkeyInProcess(["secret", "rotate"], { ...env, SECRET_KEY: first })).code, 1)

        const back = yield* runLatchkeyInProcess(["secret", "rotate", "--json"], {
          ...env,
          SECRET_KEY: `clear,${second}`
        })
        assert.deepInclude(JSON.parse(back.stdout), { left: 0, first_key: null })
        const clear = yield* runLatchkeyInProcess(["doctor"], env)
        assert.match(clear.stdout, /^warning {2}SECRET_KEY: /m)
        assert.strictEqual(
          fieldOfFailure(failureMessageOf(yield* runLatchkeyInProcess(["secret", "rotate"], env))),
          "SECRET_KEY"
        )
        const warned = yield* startService(READY, env)
        assert.strictEqual(warned.startupOutput.split(WARNING).length, 2)
      }).pipe(Effect.scoped),
    PROCESSES_MS
  )
})
