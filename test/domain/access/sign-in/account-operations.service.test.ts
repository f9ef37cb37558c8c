import { hash, randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { toCanonicalJson } from "../../../../src/changes/idempotency.ts"
import { PasswordCost } from "../../../../src/domain/access/operators/password.ts"
import { create_account } from "../../../../src/domain/access/sign-in/contract.ts"
import {
  ACCOUNTS_MAX,
  BUSY_RETRY_SECONDS,
  NETWORK_HASHES_MAX,
  PASSWORD_MAX,
  PASSWORD_MIN
} from "../../../../src/platform/limits.ts"
import { loadAuditLinesWithActor } from "../../../support/changes/audit-lines.ts"
import { callAsPerson, callAsPersonForResponse } from "../../../support/console-caller.ts"
import { CHEAP_PASSWORD_COST } from "../../../support/domain/access/sign-in/sign-in-accounts.ts"
import { createOperator, insertAccount, layerTest } from "../../../support/harness.ts"

const readCreatedAccount = Schema.decodeUnknownSync(create_account.successSchema)

const NEW_PASSWORD = "a long enough one"
const someEmail = () => `${randomBytes(8).toString("hex")}@example.test`

const outcomeOf = (...args: Parameters<typeof callAsPerson>) =>
  Effect.map(callAsPerson(...args), ({ error_code, error_msg }) => `${error_code} ${error_msg}`)

const accountsOf = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ id: number; name: string; email: string; disabled: boolean; password_hash: string }>`
    SELECT id, name, email, disabled_at IS NOT NULL AS disabled, password_hash FROM accounts
    WHERE operator_id = ${operatorId} AND role = 'sub' ORDER BY id`
}, Effect.orDie)

/** An operator with a sub-account. */
const ready = Effect.gen(function* () {
  const operator = yield* createOperator()
  const id = yield* insertAccount(operator.operatorId, "sub", "Helper")
  return { ...operator, id }
})

const ACTS = [
  ["disable_account", {}],
  ["enable_account", {}],
  ["set_account_password", { password: NEW_PASSWORD }]
] as const

const layerAccounts = Layer.provideMerge(layerTest, Layer.succeed(PasswordCost, CHEAP_PASSWORD_COST))

layer(layerAccounts)("a sub-account", (it) => {
  it.effect("is created once under the key of a form, with a name or under its e-mail address", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator()
      const fields = { email: someEmail(), password: NEW_PASSWORD }
      const first = yield* callAsPersonForResponse(operator, "create_account", fields, { key: "form" })
      const { account_id } = readCreatedAccount(first.envelope.data)
      const again = yield* callAsPersonForResponse(operator, "create_account", fields, { key: "form" })
      assert.deepStrictEqual(again.envelope.data, { account_id })
      assert.strictEqual(again.headers["idempotent-replayed"], "true")
      yield* callAsPerson(operator, "create_account", { ...fields, email: someEmail(), name: "Ana" })
      const accounts = yield* accountsOf(operator.operatorId)
      assert.deepStrictEqual(
        accounts.map(({ name }) => name),
        [fields.email, "Ana"]
      )
      assert.strictEqual(
        (yield* loadAuditLinesWithActor(operator.operatorId))[0],
        `${operator.accountId} console: create_account account:${account_id}`
      )
    })
  )

  it.effect(
    "is refused without a good e-mail address, name or password, and under an address that has an account",
    () =>
      Effect.gen(function* () {
        const operator = yield* ready
        const [helper] = yield* accountsOf(operator.operatorId)
        const email = someEmail()
        const tooManyOrFew = `422 password: must be a password of ${PASSWORD_MIN} to ${PASSWORD_MAX} characters.`
        for (const [fields, expected] of [
          [{ email }, "400 password: is required."],
          [{ email, password: "x".repeat(PASSWORD_MIN - 1) }, tooManyOrFew],
          [{ email, password: "x".repeat(PASSWORD_MAX + 1) }, tooManyOrFew],
          [
            { email, password: "Password1234" },
            "422 password: must be a password that is not among the most common ones."
          ],
          [
            { email, password: email.toUpperCase() },
            "422 password: must not be the name of the account or its e-mail address, nor the part before the @."
          ],
          [
            { email: helper?.email.toUpperCase(), password: NEW_PASSWORD },
            "409 email: is already used by another account."
          ]
        ] as const) {
          assert.strictEqual(yield* outcomeOf(operator, "create_account", fields), expected)
        }
        for (const fields of [
          { email: "nobody", password: NEW_PASSWORD },
          { email: "", password: NEW_PASSWORD }
        ]) {
          assert.match(yield* outcomeOf(operator, "create_account", fields), /^422 email: must be an e-mail address/)
        }
        assert.lengthOf(yield* accountsOf(operator.operatorId), 1)
        assert.deepStrictEqual(yield* loadAuditLinesWithActor(operator.operatorId), [])
      })
  )

  it.effect("is not created beyond the limit of the operator", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator()
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO accounts (operator_id, role, name, email, password_hash, created_at)
        SELECT ${operator.operatorId}::bigint, 'sub', 'One of many', n || ${someEmail()}, 'none', now()
        FROM generate_series(1, ${ACCOUNTS_MAX - 1}::int) n`
      const create = Effect.suspend(() =>
        outcomeOf(operator, "create_account", { email: someEmail(), password: NEW_PASSWORD })
      )
      assert.strictEqual(yield* create, "0 ")
      assert.strictEqual(
        yield* create,
        `422 accounts: an operator has at most ${ACCOUNTS_MAX} sub-accounts, disabled ones included.`
      )
    })
  )

  it.effect("is disabled, also where nothing else works, enabled, and given another password", () =>
    Effect.gen(function* () {
      const operator = yield* ready
      const { operatorId, accountId, id } = operator
      const disabled = Effect.map(accountsOf(operatorId), ([account]) => account?.disabled)
      for (const _twice of [1, 2]) {
        assert.strictEqual(yield* outcomeOf(operator, "disable_account", { id }, { status: "banned" }), "0 ")
        assert.isTrue(yield* disabled)
      }
      const password = { id, password: NEW_PASSWORD }
      for (const [act, fields] of [
        ["enable_account", { id }],
        ["set_account_password", password]
      ] as const) {
        assert.strictEqual(yield* outcomeOf(operator, act, fields, { status: "banned" }), "420 Account banned")
        assert.strictEqual(yield* outcomeOf(operator, act, fields), "0 ")
      }
      assert.isFalse(yield* disabled)
      assert.match((yield* accountsOf(operatorId))[0]?.password_hash ?? "", /^scrypt\$/)
      assert.deepStrictEqual(yield* loadAuditLinesWithActor(operatorId), [
        `${accountId} console: disable_account account:${id} (disabled_at)`,
        `${accountId} console: enable_account account:${id} (disabled_at)`,
        `${accountId} console: set_account_password account:${id} (password)`
      ])
    })
  )

  it.effect("is its main account's to manage, and nobody else's", () =>
    Effect.gen(function* () {
      const [operator, other] = [yield* ready, yield* ready]
      const before = [yield* accountsOf(operator.operatorId), yield* accountsOf(other.operatorId)]
      const sub = { ...operator, accountId: operator.id, role: "sub" } as const
      const creation = { email: someEmail(), password: NEW_PASSWORD }
      const forbidden = "403 Only the main account may manage accounts."
      assert.strictEqual(yield* outcomeOf(sub, "create_account", creation), forbidden)
      for (const [act, fields] of ACTS) {
        assert.strictEqual(yield* outcomeOf(sub, act, { ...fields, id: operator.id }), forbidden)
        for (const id of [other.id, other.accountId, operator.accountId, 2 ** 50]) {
          assert.strictEqual(yield* outcomeOf(operator, act, { ...fields, id }), "404 id: no such sub-account.")
        }
      }
      assert.deepStrictEqual([yield* accountsOf(operator.operatorId), yield* accountsOf(other.operatorId)], before)
    })
  )

  it.effect("has a password that nothing stores but its slow hash", () =>
    Effect.gen(function* () {
      const operator = yield* ready
      const { operatorId, id } = operator
      const sql = yield* SqlClient.SqlClient
      const fields = { id, password: NEW_PASSWORD }
      yield* callAsPerson(operator, "set_account_password", fields, { key: "form" })
      const [stored] = yield* sql<{ fingerprint: Uint8Array }>`
        SELECT fingerprint FROM idempotency_keys WHERE operator_id = ${operatorId}`
      const fingerprintOf = (input: Schema.Json) =>
        hash("sha256", `set_account_password\n${toCanonicalJson(input)}`, "hex")
      const fingerprint = Buffer.from(stored?.fingerprint ?? []).toString("hex")
      assert.strictEqual(fingerprint, fingerprintOf({ id }))
      assert.notStrictEqual(fingerprint, fingerprintOf(fields))
    })
  )
})

layer(layerTest)("passwords of sub-accounts", (it) => {
  it.effect("are hashed a few at a time for an operator; more are refused and leave nothing", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator()
      const responses = yield* Effect.forEach(
        Array.from({ length: 2 * NETWORK_HASHES_MAX }, someEmail),
        (email) => callAsPersonForResponse(operator, "create_account", { email, password: NEW_PASSWORD }),
        { concurrency: "unbounded" }
      )
      const refused = responses.filter(({ envelope }) => envelope.error_code !== 0)
      assert.isNotEmpty(refused)
      for (const { envelope, headers } of refused) {
        assert.deepInclude(envelope, {
          error_code: 500,
          error_msg: "password: too many passwords are set at once; try again in a moment."
        })
        assert.strictEqual(headers["retry-after"], String(BUSY_RETRY_SECONDS))
      }
      assert.lengthOf(yield* accountsOf(operator.operatorId), responses.length - refused.length)
    })
  )
})
