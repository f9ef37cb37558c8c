import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { vi } from "vitest"
import { verifyPassword } from "../../../src/domain/access/operators/password.ts"
import { PASSWORD_MAX } from "../../../src/platform/limits.ts"
import { PROCESSES_MS } from "../../support/time-limits.ts"
import { runLatchkeyProcess } from "../../support/tools/cli/latchkey-process.ts"
import { layerRunningService, runBesideService, ServiceFolder } from "../../support/tools/cli/running-service.ts"

vi.setConfig({ testTimeout: PROCESSES_MS })

/** A folder whose service has one operator, whose main account has the password `password-of-main`. */
class Used extends Context.Service<Used, { readonly dataDir: string; readonly operatorId: number }>()(
  "latchkey/test/cli/password/Used"
) {
  static readonly layer = Layer.effect(
    Used,
    Effect.gen(function* () {
      const dataDir = yield* ServiceFolder
      const made = yield* runBesideService([...OPERATOR, "--password", "password-of-main"])
      return { dataDir, operatorId: (yield* Schema.decodeUnknownEffect(Made)(made.stdout)).operator_id }
    })
  ).pipe(Layer.provideMerge(layerRunningService))
}

const OPERATOR =
  "operator create --name H --time-zone Europe/Lisbon --currency EUR --email m@example.test --json".split(" ")
const Made = Schema.fromJsonString(Schema.Struct({ operator_id: Schema.Int }))

const accountOf = (operatorId: number, email: string) => [
  ...["account", "create", "--json", "--operator", `${operatorId}`, "--email", email]
]

const Rows = Schema.Array(Schema.Struct({ email: Schema.String, password_hash: Schema.String }))

/** Whose password is what, by e-mail address. */
const belongs = Effect.fnUntraced(function* (expected: Readonly<{ [email: string]: string }>) {
  const sql = yield* SqlClient
  const rows = yield* Schema.decodeUnknownEffect(Rows)(yield* sql`SELECT email, password_hash FROM accounts`)
  for (const [email, password] of Object.entries(expected)) {
    const hash = rows.find((row) => row.email === email)?.password_hash
    assert.isTrue(yield* verifyPassword(password, hash), email)
  }
})

layer(Used.layer, { excludeTestServices: true })("the password of an account", (it) => {
  it.effect("comes from a flag, from standard input, or from the environment, in this order", () =>
    Effect.gen(function* () {
      const { dataDir, operatorId } = yield* Used
      const env = { DATA_DIR: dataDir, LATCHKEY_PASSWORD: "of environment" }
      const give = (email: string, flags: ReadonlyArray<string>, input = "") =>
        Effect.map(runLatchkeyProcess([...accountOf(operatorId, email), ...flags], env, { input }), ({ code }) => code)
      assert.strictEqual(yield* give("flag@example.test", ["--password", "password of flag"], "not this\n"), 0)
      assert.strictEqual(
        yield* give("stdin@example.test", ["--password-stdin"], " password of stdin \r\nsecond line"),
        0
      )
      assert.strictEqual(yield* give("env@example.test", [], "not this\n"), 0)
      yield* belongs({
        "m@example.test": "password-of-main",
        "flag@example.test": "password of flag",
        "stdin@example.test": " password of stdin ",
        "env@example.test": "of environment"
      })
    })
  )

  it.effect.each([
    ["none", [], {}, "", /--password\b.*--password-stdin\b.*\bLATCHKEY_PASSWORD\b/],
    ["two", ["--password", "hunter2", "--password-stdin"], {}, "hunter2", /--password: .*--password-stdin\b/],
    ["an empty one on standard input", ["--password-stdin"], {}, "\n", /"password: /],
    ["one that is too long", ["--password-stdin"], {}, "hunter2".repeat(PASSWORD_MAX), /"password: /],
    ["one too long in the environment", [], { LATCHKEY_PASSWORD: "hunter2".repeat(30) }, "", /"password: /],
    ["one for nobody", ["--password", "hunter2 and more", "--operator", "999999"], {}, "", /operator/],
    ["one beside a misspelt flag", ["--pasword=hunter2"], {}, "", /pasword/]
  ] as const)("%s is refused, and never shown", ([, flags, variables, input, reason]) =>
    Effect.gen(function* () {
      const { dataDir, operatorId } = yield* Used
      const args = [...accountOf(operatorId, "nobody@example.test"), ...flags]
      // Standard input is a process's own.
      const ended = yield* input === "" || flags.length > 1
        ? runBesideService(args, variables)
        : runLatchkeyProcess(args, { DATA_DIR: dataDir, ...variables }, { input })
      assert.strictEqual(ended.code, 1)
      assert.match(ended.stdout, reason)
      assert.notInclude(`${ended.stdout}${ended.stderr}`, "hunter2")
    })
  )
})
