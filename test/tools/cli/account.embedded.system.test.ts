import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { loadAuditLinesWithActor } from "../../support/changes/audit-lines.ts"
import { createOperator } from "../../support/harness.ts"
import { failureMessageOf } from "../../support/tools/cli/command-failures.ts"
import { layerRunningService, runBesideService } from "../../support/tools/cli/running-service.ts"

const Made = Schema.fromJsonString(Schema.Struct({ account_id: Schema.Int }))

/** A sub-account that `latchkey account create` makes. */
const created = Effect.fnUntraced(function* (operatorId: number, ...args: ReadonlyArray<string>) {
  const { stdout } = yield* runBesideService([
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

layer(layerRunningService, { excludeTestServices: true })("latchkey account", (it) => {
  it.effect("lists the accounts of an operator, in JSON as much as is known of each", () =>
    Effect.gen(function* () {
      const { operatorId, accountId } = yield* createOperator()
      const named = yield* created(operatorId, "--email", "ana@example.test", "--name", "Ana\u001b[2J")
      const unnamed = yield* created(operatorId, "--email", "ben@example.test")
      yield* created((yield* createOperator()).operatorId, "--email", "cleo@example.test")
      yield* runBesideService(["account", "disable", "--account", `${unnamed}`])
      const { stdout } = yield* runBesideService(["account", "list", "--operator", `${operatorId}`])
      const [first = "", ...lines] = stdout.trimEnd().split("\n")
      assert.match(first, new RegExp(`^${accountId} {2}main {2}"Owner" {2}".+@example.test" {2}.*\\bnever$`))
      assert.include(lines[0] ?? "", `${named}  sub  "Ana\\u001b[2J"  "ana@example.test"  `)
      assert.match(
        lines[1] ?? "",
        new RegExp(`^${unnamed} {2}sub {2}"ben@example.test" {2}"ben@example.test" .* disabled since 2.*Z$`)
      )
      assert.lengthOf(lines, 2)
      const { accounts } = JSON.parse(
        (yield* runBesideService(["account", "list", "--operator", `${operatorId}`, "--json"])).stdout
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
      const { operatorId } = yield* createOperator()
      const sql = yield* SqlClient.SqlClient
      const id = yield* created(operatorId, "--email", "dan@example.test")
      yield* sql`
        INSERT INTO console_sessions
          (operator_id, digest, account_id, password_digest, created_at, password_at, seen_at, expires_at)
        SELECT operator_id, 'd', id, 'p', now(), now(), now(), now() FROM accounts WHERE id = ${id}`
      const before = (yield* loadAuditLinesWithActor(operatorId)).length
      const turn = (what: "disable" | "enable", ...args: ReadonlyArray<string>) =>
        runBesideService(["account", what, "--account", `${id}`, ...args])
      const disabled = yield* turn("disable")
      assert.deepStrictEqual([disabled.code, disabled.stderr], [0, ""])
      assert.match(disabled.stdout, new RegExp(`^Disabled .*\\b${id}\\b.*\\b1 session\\b.*\\n$`))
      assert.deepStrictEqual(JSON.parse((yield* turn("disable", "--json")).stdout), {
        account_id: id,
        sessions_ended: 0
      })
      const enabled = yield* turn("enable")
      assert.deepStrictEqual([enabled.code, enabled.stderr], [0, ""])
      assert.match(enabled.stdout, new RegExp(`^Enabled .*\\b${id}\\b.*\\n$`))
      assert.deepStrictEqual(JSON.parse((yield* turn("enable", "--json")).stdout), { account_id: id })
      assert.deepStrictEqual((yield* loadAuditLinesWithActor(operatorId)).slice(before), [
        `command line: account disable account:${id} (disabled_at)`,
        `command line: account enable account:${id} (disabled_at)`
      ])
    })
  )

  it.effect("says what it cannot do", () =>
    Effect.gen(function* () {
      const { accountId } = yield* createOperator()
      const failed = (...args: ReadonlyArray<string>) =>
        Effect.map(runBesideService(["account", ...args]), failureMessageOf)
      assert.match(yield* failed("list", "--operator", "999999"), /\boperator 999999\b/)
      for (const what of ["disable", "enable"]) {
        assert.match(yield* failed(what, "--account", `${accountId}`), /^--account: .*\boperator update\b.*--status\b/)
        assert.match(yield* failed(what, "--account", "999999"), /--account: there is no account 999999\./)
      }
    })
  )
})
