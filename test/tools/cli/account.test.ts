import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { trailOf } from "../../support/changes/trail-rows.ts"
import { freshOperator } from "../../support/harness.ts"
import { beside, layerBeside } from "../../support/tools/cli/beside.ts"

const Made = Schema.fromJsonString(Schema.Struct({ account_id: Schema.Int }))

/** A sub-account that `latchkey account create` makes. */
const created = Effect.fnUntraced(function* (operatorId: number, ...args: ReadonlyArray<string>) {
  const { stdout } = yield* beside([
    "account",
    "create",
    "--operator",
    `${operatorId}`,
    "--password",
    "correct-horse",
    ...args,
    "--json"
  ])
  return (yield* Schema.decodeUnknownEffect(Made)(stdout)).account_id
})

const ended = (stdout: string) => ({ code: 0, stdout: `${stdout}\n`, stderr: "" })

layer(layerBeside, { excludeTestServices: true })("latchkey account", (it) => {
  it.effect("lists the accounts of an operator, in JSON as much as is known of each", () =>
    Effect.gen(function* () {
      const { operatorId, accountId } = yield* freshOperator()
      const named = yield* created(operatorId, "--email", "ana@example.test", "--name", "Ana\u001b[2J")
      const unnamed = yield* created(operatorId, "--email", "ben@example.test")
      yield* created((yield* freshOperator()).operatorId, "--email", "cleo@example.test")
      yield* beside(["account", "disable", "--account", `${unnamed}`])
      const { stdout } = yield* beside(["account", "list", "--operator", `${operatorId}`])
      const [first = "", ...lines] = stdout.trimEnd().split("\n")
      assert.match(first, new RegExp(`^${accountId} {2}main {2}"Owner" {2}".+@example.test" {2}signed in never$`))
      assert.strictEqual(lines[0], `${named}  sub  "Ana\\u001b[2J"  "ana@example.test"  signed in never`)
      assert.match(
        lines[1] ?? "",
        new RegExp(`^${unnamed} {2}sub {2}"ben@example.test" {2}"ben@example.test" .* disabled since 2.*Z$`)
      )
      assert.lengthOf(lines, 2)
      const { accounts } = JSON.parse(
        (yield* beside(["account", "list", "--operator", `${operatorId}`, "--json"])).stdout
      )
      assert.lengthOf(accounts, 3)
      assert.hasAllKeys(accounts[1], [
        "account_id",
        "name",
        "email",
        "role",
        "created_at",
        "disabled_at",
        "signed_in_at"
      ])
      assert.deepInclude(accounts[1], { account_id: named, role: "sub", disabled_at: null, signed_in_at: null })
      assert.isString(accounts[2].disabled_at)
    })
  )

  it.effect("disables and enables a sub-account, which is in the trail under the command", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* freshOperator()
      const sql = yield* SqlClient.SqlClient
      const id = yield* created(operatorId, "--email", "dan@example.test")
      yield* sql`
        INSERT INTO console_sessions
          (operator_id, digest, account_id, password_digest, created_at, password_at, seen_at, expires_at)
        SELECT operator_id, 'd', id, 'p', now(), now(), now(), now() FROM accounts WHERE id = ${id}`
      const before = (yield* trailOf(operatorId)).length
      const turn = (what: "disable" | "enable", ...args: ReadonlyArray<string>) =>
        beside(["account", what, "--account", `${id}`, ...args])
      assert.deepStrictEqual(yield* turn("disable"), ended(`Account ${id} is disabled; 1 session ended.`))
      assert.deepStrictEqual(JSON.parse((yield* turn("disable", "--json")).stdout), {
        account_id: id,
        sessions_ended: 0
      })
      assert.deepStrictEqual(yield* turn("enable"), ended(`Account ${id} works.`))
      assert.deepStrictEqual(JSON.parse((yield* turn("enable", "--json")).stdout), { account_id: id })
      assert.deepStrictEqual((yield* trailOf(operatorId)).slice(before), [
        `command line: account disable account:${id} (disabled_at)`,
        `command line: account enable account:${id} (disabled_at)`
      ])
    })
  )

  it.effect("says what it cannot do", () =>
    Effect.gen(function* () {
      const { accountId } = yield* freshOperator()
      const failed = (...args: ReadonlyArray<string>) =>
        Effect.map(beside(["account", ...args]), ({ code, stderr }) => [code, stderr.trim()])
      assert.deepStrictEqual(yield* failed("list", "--operator", "999999"), [
        ...[1, "latchkey: There is no operator 999999."]
      ])
      for (const what of ["disable", "enable"]) {
        const [code, said] = yield* failed(what, "--account", `${accountId}`)
        assert.strictEqual(code, 1)
        assert.match(String(said), /^latchkey: A main account cannot be disabled: /)
        assert.deepStrictEqual(yield* failed(what, "--account", "999999"), [
          ...[1, "latchkey: There is no account 999999."]
        ])
      }
    })
  )
})
