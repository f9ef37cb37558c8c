import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { verifyPassword } from "../../../src/domain/access/operators/password.ts"
import { failureMessageOf, fieldOfFailure } from "../../support/tools/cli/command-failures.ts"
import { layerRunningService, runBesideService } from "../../support/tools/cli/running-service.ts"

const Made = Schema.fromJsonString(Schema.Struct({ account_id: Schema.Int }))

const OPERATOR = "operator create --name H --time-zone Europe/Lisbon --currency EUR --json".split(" ")

layer(layerRunningService, { excludeTestServices: true })("latchkey account password", (it) => {
  it.effect("gives an account another password, ends its sessions, and is in the trail", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const made = yield* runBesideService([
        ...OPERATOR,
        "--email",
        "h@example.test",
        "--password",
        "the first password"
      ])
      const { account_id: id } = yield* Schema.decodeUnknownEffect(Made)(made.stdout)
      yield* sql`
        INSERT INTO console_sessions
          (operator_id, digest, account_id, password_digest, created_at, password_at, seen_at, expires_at)
        SELECT operator_id, 'd', id, 'p', now(), now(), now(), now() FROM accounts WHERE id = ${id}`
      const result = yield* runBesideService(["account", "password", "--account", `${id}`], {
        LATCHKEY_PASSWORD: "the second password"
      })
      assert.deepStrictEqual([result.code, result.stderr], [0, ""])
      assert.match(result.stdout, new RegExp(`\\b${id}\\b.*\\b1 session\\b.*\\n$`))
      const [account] = yield* sql<{ hash: string }>`SELECT password_hash AS hash FROM accounts WHERE id = ${id}`
      assert.isTrue(yield* verifyPassword("the second password", account?.hash))
      assert.lengthOf(yield* sql`SELECT FROM console_sessions`, 0)
      const trail = yield* sql`SELECT application, operation, fields FROM trail WHERE fields = '{password}'`
      assert.deepStrictEqual(
        trail.map((row) => ({ ...row })),
        [{ application: "command line", operation: "account password", fields: ["password"] }]
      )
      const json = yield* runBesideService([
        "account",
        "password",
        "--account",
        `${id}`,
        "--password",
        "the third password",
        "--json"
      ])
      assert.deepStrictEqual(JSON.parse(json.stdout), { account_id: id, sessions_ended: 0 })
    })
  )

  it.effect(
    "names the error: an unknown account, or a password that is missing, empty, too short, too long, too common or an e-mail address",
    () =>
      Effect.gen(function* () {
        const email = "second@example.test"
        const made = yield* runBesideService([...OPERATOR, "--email", email, "--password", "the first password"])
        const { account_id: id } = yield* Schema.decodeUnknownEffect(Made)(made.stdout)
        const failed = (...args: ReadonlyArray<string>) =>
          Effect.map(runBesideService(["account", "password", ...args]), failureMessageOf)
        assert.match(yield* failed("--account", "999999", "--password", "x".repeat(12)), /\baccount 999999\b/)
        assert.match(yield* failed("--account", `${id}`), /--password-stdin\b.*\bLATCHKEY_PASSWORD\b/)
        for (const password of ["", "x".repeat(11), "x".repeat(201), "Password1234", email]) {
          assert.strictEqual(fieldOfFailure(yield* failed("--account", `${id}`, "--password", password)), "password")
        }
      })
  )
})
