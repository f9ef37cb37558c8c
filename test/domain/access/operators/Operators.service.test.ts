import { randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Tokens } from "../../../../src/admission/gate/Tokens.ts"
import { CurrentActor, systemActor } from "../../../../src/contract/actor.ts"
import { Operators } from "../../../../src/domain/access/operators/Operators.ts"
import { PasswordCost, verifyPassword } from "../../../../src/domain/access/operators/password.ts"
import { RateLimitOverrides } from "../../../../src/domain/access/operators/RateLimitOverrides.ts"
import { PASSWORD_MIN, SUBSCRIPTION_ROOMS_MAX } from "../../../../src/platform/limits.ts"
import { loadAuditLinesWithActor } from "../../../support/changes/audit-lines.ts"
import { ROOM_LIMIT, ROOM_TYPE_LIMIT } from "../../../support/domain/host-client.ts"
import { layerTestDatabase } from "../../../support/test-database.ts"

const layerOperators = Layer.mergeAll(Operators.layer, RateLimitOverrides.layer, Tokens.layer).pipe(
  Layer.provideMerge(layerTestDatabase),
  Layer.provideMerge(Layer.succeed(PasswordCost, { N: 16, r: 8, p: 1 })),
  Layer.provideMerge(Layer.succeed(CurrentActor, systemActor("command line", "test")))
)

const email = () => `${randomBytes(8).toString("hex")}@example.test`

const lisbon = (own: { readonly email?: string; readonly subscription_until?: string } = {}) => ({
  name: "Harbour",
  time_zone: "Europe/Lisbon",
  currency: "EUR",
  email: email(),
  password: "correct horse",
  ...own
})

const accountRow = (id: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ role: string; name: string; password_hash: string; email: string }>`
        SELECT role, name, email, password_hash FROM accounts WHERE id = ${id}`,
      ([row]) => row ?? assert.fail(`no account ${id}`)
    )
  )

layer(layerOperators)("Operators", (it) => {
  it.effect("makes an operator and its main account, which carries its name and only a hash of the password", () =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const input = lisbon()
      const made = yield* operators.create(input)
      const account = yield* accountRow(made.account_id)
      assert.deepInclude(account, { role: "main", name: "Harbour", email: input.email })
      assert.notInclude(account.password_hash, input.password)
      assert.isTrue(yield* verifyPassword(input.password, account.password_hash))
      assert.deepStrictEqual(yield* operators.update(made.operator_id, {}), {
        operator_id: made.operator_id,
        name: "Harbour",
        time_zone: "Europe/Lisbon",
        currency: "EUR",
        edition: "pro",
        status: "active",
        subscription_until: null,
        room_limit: ROOM_LIMIT,
        room_type_limit: ROOM_TYPE_LIMIT
      })
    })
  )

  it.effect("an e-mail address has one account, whatever its letter case, and nothing is left of the second", () =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const sql = yield* SqlClient.SqlClient
      const taken = email()
      const name = `Second ${randomBytes(6).toString("hex")}`
      const { operator_id } = yield* operators.create(lisbon({ email: taken }))
      const again = yield* Effect.flip(operators.create({ ...lisbon({ email: taken.toUpperCase() }), name }))
      assert.strictEqual(again._tag, "Conflict")
      assert.include(again.message, "email")
      assert.lengthOf(yield* sql`SELECT FROM operators WHERE name = ${name}`, 0)
      const sub = yield* Effect.flip(operators.createAccount({ operator_id, email: taken, password: "correct horse" }))
      assert.strictEqual(sub._tag, "Conflict")
    })
  )

  it.effect.each([
    ["name", { name: " " }],
    ["time_zone", { time_zone: "+01:00" }],
    ["currency", { currency: "eur" }],
    ["email", { email: "nobody" }],
    ["password", { password: "" }],
    ["password", { password: "x".repeat(PASSWORD_MIN - 1) }],
    ["password", { password: "PASSWORD1234" }],
    ["password", { name: "The Harbour House", password: "the harbour house" }],
    ["subscription_until", { subscription_until: "2027-02-29" }]
  ] as const)("refuses a wrong %s and names it", ([field, wrong]) =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const refused = yield* Effect.flip(operators.create({ ...lisbon(), ...wrong }))
      assert.include(["BadRequest", "ValidationFailed"], refused._tag)
      assert.match(refused.message, new RegExp(`^${field}: `))
    })
  )

  it.effect("changes what is given and keeps the rest; the main account follows the name, a sub-account does not", () =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const made = yield* operators.create(lisbon())
      const sub = yield* operators.createAccount({
        operator_id: made.operator_id,
        email: email(),
        password: "correct horse"
      })
      const subName = (yield* accountRow(sub.account_id)).name
      const changed = yield* operators.update(made.operator_id, { name: "Quay", status: "banned", currency: "JPY" })
      assert.deepInclude(changed, { name: "Quay", status: "banned", currency: "JPY", time_zone: "Europe/Lisbon" })
      assert.strictEqual((yield* accountRow(made.account_id)).name, "Quay")
      assert.deepInclude(yield* accountRow(sub.account_id), { role: "sub", name: subName })
    })
  )

  it.effect("a subscription may be past, and lasts to the end of its day where the operator is", () =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const sql = yield* SqlClient.SqlClient
      const made = yield* operators.create(lisbon({ subscription_until: "2020-06-30" }))
      const endOf = Effect.map(
        sql<{ until: Date }>`SELECT subscription_until AS until FROM operators WHERE id = ${made.operator_id}`,
        ([row]) => row?.until.toISOString()
      )
      // Summer time in Lisbon: midnight is 23:00 UTC of the day before.
      assert.strictEqual(yield* endOf, "2020-06-30T23:00:00.000Z")
      const moved = yield* operators.update(made.operator_id, {
        time_zone: "Asia/Tokyo",
        subscription_until: "2020-06-30"
      })
      assert.strictEqual(yield* endOf, "2020-06-30T15:00:00.000Z")
      assert.strictEqual(moved.subscription_until, "2020-06-30")
      const without = yield* operators.update(made.operator_id, { subscription_until: "9999-12-31" })
      assert.strictEqual(without.subscription_until, "9999-12-31")
    })
  )

  it.effect("a subscription covers as many rooms and room types as it is given", () =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const { operator_id } = yield* operators.create(lisbon())
      const wider = yield* operators.update(operator_id, { room_limit: SUBSCRIPTION_ROOMS_MAX })
      assert.deepInclude(wider, { room_limit: SUBSCRIPTION_ROOMS_MAX, room_type_limit: ROOM_TYPE_LIMIT })
      const none = yield* operators.update(operator_id, { room_type_limit: 0 })
      assert.deepInclude(none, { room_limit: SUBSCRIPTION_ROOMS_MAX, room_type_limit: 0 })
      for (const field of ["room_limit", "room_type_limit"] as const) {
        for (const wrong of [-1, SUBSCRIPTION_ROOMS_MAX + 1]) {
          const refused = yield* Effect.flip(operators.update(operator_id, { [field]: wrong }))
          assert.strictEqual(refused._tag, "ValidationFailed")
          assert.match(refused.message, new RegExp(`^${field}: must be from 0 to `))
        }
      }
    })
  )

  it.effect("a token is known by what it is and stored as its digest alone", () =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const tokens = yield* Tokens
      const sql = yield* SqlClient.SqlClient
      const { operator_id, account_id } = yield* operators.create(lisbon())
      const made = yield* operators.createToken({ account_id, name: "Bookkeeping", scope: "read-only" })
      assert.deepInclude(yield* tokens.lookup(made.token), {
        operatorId: operator_id,
        accountId: account_id,
        tokenId: made.token_id,
        scope: "read-only"
      })
      const [row] = yield* sql<{ row: string; bytes: number }>`
        SELECT row_to_json(t)::text AS row, length(digest) AS bytes FROM access_tokens t WHERE id = ${made.token_id}`
      assert.strictEqual(row?.bytes, 32)
      assert.notInclude(row?.row, made.token)
    })
  )

  it.effect("tokens are made for lapsed and basic operators too", () =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const { operator_id, account_id } = yield* operators.create(lisbon({ subscription_until: "2020-01-01" }))
      yield* operators.update(operator_id, { edition: "basic", status: "banned" })
      const made = yield* operators.createToken({ account_id, name: "Later", scope: "writable" })
      assert.match(made.token, /^lk_/)
    })
  )

  it.effect("a revoked token is no longer known, and revoking it again keeps the moment", () =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const tokens = yield* Tokens
      const sql = yield* SqlClient.SqlClient
      const { account_id } = yield* operators.create(lisbon())
      const { token, token_id } = yield* operators.createToken({ account_id, name: "Lost", scope: "writable" })
      const revokedAt = Effect.map(
        sql<{ at: Date | null }>`SELECT revoked_at AS at FROM access_tokens WHERE id = ${token_id}`,
        ([row]) => row?.at?.getTime()
      )
      yield* TestClock.setTime(1_800_000_000_000)
      assert.deepStrictEqual(yield* operators.revokeToken(token_id), { token_id })
      assert.deepInclude(yield* tokens.lookup(token), { revoked: true })
      yield* TestClock.adjust("1 hour")
      yield* operators.revokeToken(token_id)
      assert.strictEqual(yield* revokedAt, 1_800_000_000_000)
    })
  )

  it.effect("leaves in the trail who made and changed what, and nothing of what changed nothing", () =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const limits = yield* RateLimitOverrides
      const { operator_id, account_id } = yield* operators.create(lisbon())
      const made = yield* loadAuditLinesWithActor(operator_id)
      assert.deepStrictEqual(made, [
        `command line: test account:${account_id}`,
        `command line: test operator:${operator_id}`
      ])
      const sub = yield* operators.createAccount({ operator_id, email: email(), password: "correct horse" })
      const { token_id } = yield* operators.createToken({ account_id, name: "Lost", scope: "writable" })
      yield* operators.update(operator_id, { name: "Harbour", edition: "pro" })
      yield* operators.update(operator_id, { currency: "EUR", room_limit: 7, time_zone: "Europe/Rome" })
      yield* operators.update(operator_id, { name: "Quay" })
      for (const _twice of [1, 2]) {
        yield* limits.setOperatorLimits(operator_id, { user: { "1m": 5 } })
        yield* limits.setTokenLimits(token_id, { "1m": 1 })
        yield* operators.revokeToken(token_id)
      }
      yield* Effect.flip(operators.update(operator_id, { name: "" }))
      assert.deepStrictEqual((yield* loadAuditLinesWithActor(operator_id)).slice(made.length), [
        `command line: test account:${sub.account_id}`,
        `command line: test token:${token_id}`,
        `command line: test operator:${operator_id} (room_limit, time_zone)`,
        `command line: test account:${account_id} (name)`,
        `command line: test operator:${operator_id} (name)`,
        `command line: test operator:${operator_id} (limits)`,
        `command line: test token:${token_id} (limits)`,
        `command line: test token:${token_id} (revoked_at)`
      ])
    })
  )

  it.effect("names the record that does not exist", () =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const unknown = 2 ** 50
      const failures = yield* Effect.all([
        Effect.flip(operators.update(unknown, { name: "Nobody" })),
        Effect.flip(operators.createAccount({ operator_id: unknown, email: email(), password: "correct horse" })),
        Effect.flip(operators.createToken({ account_id: unknown, name: "x", scope: "writable" })),
        Effect.flip(operators.revokeToken(unknown))
      ])
      assert.deepStrictEqual(
        failures.map(({ _tag, message }) => [_tag, /\w+ \d+(?=\.$)/.exec(message)?.[0]]),
        ["operator", "operator", "account", "token"].map((what) => ["NotFound", `${what} ${unknown}`])
      )
    })
  )
})
