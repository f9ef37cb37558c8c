import { randomBytes } from "node:crypto"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { FailedCallCounter } from "../../../../src/changes/FailedCallCounter.ts"
import { Operators } from "../../../../src/domain/access/operators/Operators.ts"
import { PasswordCost } from "../../../../src/domain/access/operators/password.ts"
import { HashingLimiter } from "../../../../src/domain/access/sign-in/HashingLimiter.ts"
import { Passwords } from "../../../../src/domain/access/sign-in/Passwords.ts"
import { Sessions } from "../../../../src/domain/access/sign-in/Sessions.ts"
import { type NewSubAccount, SubAccounts } from "../../../../src/domain/access/sign-in/SubAccounts.ts"
import { ACCOUNT_NAME_LENGTH, ACCOUNTS_MAX, PASSWORD_MAX, PASSWORD_MIN } from "../../../../src/platform/limits.ts"
import { loadAuditLinesWithActor } from "../../../support/changes/audit-lines.ts"
import {
  CHEAP_PASSWORD_COST,
  createSignInAccount,
  PASSWORD,
  withCheapHashing
} from "../../../support/domain/access/sign-in/sign-in-accounts.ts"
import { asSystemActor, createOperator } from "../../../support/harness.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"
import { layerTestDatabase } from "../../../support/test-database.ts"

const START = Date.parse("2027-03-01T10:00:00Z")

const layerRoom = Layer.succeed(HashingLimiter, { withPermit: (_place, work) => work })
const layerUncounted = Layer.succeed(FailedCallCounter, {
  recordCall: () => Effect.void,
  recordSignIn: () => Effect.void
})

const layerAccounts = SubAccounts.layerNoDeps.pipe(
  Layer.provideMerge(Layer.mergeAll(Sessions.layerNoDeps, Passwords.layerNoDeps, Operators.layer)),
  Layer.provide([layerRoom, layerUncounted]),
  Layer.provideMerge(layerTestDatabase),
  Layer.provideMerge(Layer.succeed(PasswordCost, CHEAP_PASSWORD_COST))
)

const someEmail = () => `${randomBytes(8).toString("hex")}@example.test`
const somewhere = () => `2001:db8:${randomBytes(2).toString("hex")}:${randomBytes(2).toString("hex")}::1`

const main = (operatorId: number) => ({ operatorId, role: "main" }) as const

const created = (operatorId: number, own: Partial<NewSubAccount> = {}) =>
  SubAccounts.use((accounts) =>
    accounts.create(main(operatorId), { email: someEmail(), name: "Helper", password: PASSWORD, ...own })
  ).pipe(asSystemActor, withCheapHashing)

/** An operator whose main account signs in, and a sub-account that does. */
const withSub = Effect.gen(function* () {
  const host = yield* createSignInAccount()
  const email = someEmail()
  const { account_id } = yield* created(host.operatorId, { email })
  return {
    ...host,
    mainId: host.accountId,
    mainEmail: host.email,
    id: account_id,
    email,
    keeper: main(host.operatorId)
  }
})

const signIn = (email: string, password = PASSWORD) =>
  Sessions.use((sessions) => sessions.signIn({ email, password, address: somewhere() })).pipe(
    asSystemActor,
    withCheapHashing
  )

const outcomeOf = (email: string, password = PASSWORD) =>
  Effect.match(signIn(email, password), { onSuccess: () => "in", onFailure: ({ _tag }) => _tag })

const isSignedIn = (cookie: string) =>
  Sessions.use((sessions) => Effect.map(sessions.find(cookie), (found) => found !== undefined))

/** `tag: message` of what is refused. */
const refusal = <A, R>(effect: Effect.Effect<A, { readonly _tag: string; readonly message?: string }, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag, message = "" }) => `${_tag}: ${message}`)

layer(layerAccounts, { excludeTestServices: false })("sub-accounts", (it) => {
  const test = (
    name: string,
    body: Effect.Effect<void, unknown, SubAccounts | Sessions | Passwords | Operators | SqlClient.SqlClient>
  ) => it.effect(name, () => Effect.andThen(TestClock.setTime(START), body))

  test(
    "are listed behind the main account, with when they were made and last signed in, and nobody else's",
    Effect.gen(function* () {
      const accounts = yield* SubAccounts
      const { operatorId, mainId, mainEmail, id, email, keeper } = yield* withSub
      yield* withSub
      yield* TestClock.adjust("1 hour")
      yield* signIn(email)
      yield* TestClock.adjust("1 hour")
      yield* signIn(email)
      yield* outcomeOf(email, "wrong")
      assert.deepStrictEqual(yield* accounts.list(keeper), [
        {
          ...{ id: mainId, name: "Harbour Stays", email: mainEmail, role: "main" },
          ...{ created_at: new Date(START), disabled_at: null, signed_in_at: null }
        },
        {
          ...{ id, name: "Helper", email, role: "sub", created_at: new Date(START), disabled_at: null },
          signed_in_at: new Date(START + 2 * 60 * 60 * 1000)
        }
      ])
      assert.deepStrictEqual(yield* accounts.list(main(2 ** 50)), [])
      assert.deepStrictEqual(yield* accounts.findOwner(id), { operatorId, role: "sub" })
      assert.isUndefined(yield* accounts.findOwner(2 ** 50))
    })
  )

  test(
    "are made with a name or under their e-mail address, sign in, and are in the trail",
    Effect.gen(function* () {
      const accounts = yield* SubAccounts
      const { operatorId } = yield* createOperator()
      const [email, other] = [someEmail(), someEmail()]
      const named = yield* created(operatorId, { email, name: "Ana" })
      const unnamed = yield* accounts
        .create(main(operatorId), { email: other, password: PASSWORD })
        .pipe(asSystemActor, withCheapHashing)
      const names = (yield* accounts.list(main(operatorId))).map(({ id, name }) => [id, name])
      assert.deepStrictEqual(names.slice(1), [
        [named.account_id, "Ana"],
        [unnamed.account_id, other]
      ])
      assert.strictEqual(yield* outcomeOf(email), "in")
      assert.include(yield* loadAuditLinesWithActor(operatorId), `test: test account:${named.account_id}`)
    })
  )

  test(
    "are refused without a good e-mail address, name or password, and under an address that has an account",
    Effect.gen(function* () {
      const { operatorId, email } = yield* withSub
      const before = yield* loadAuditLinesWithActor(operatorId)
      for (const [own, says] of [
        [{ email: "nobody" }, /^ValidationFailed: email: /],
        [{ name: " " }, /^ValidationFailed: name: /],
        [{ name: "x".repeat(ACCOUNT_NAME_LENGTH + 1) }, /^ValidationFailed: name: /],
        [{ password: "" }, /^ValidationFailed: password: /],
        [{ password: "x".repeat(PASSWORD_MIN - 1) }, /^ValidationFailed: password: /],
        [{ password: "Password1234" }, /^ValidationFailed: password: /],
        [{ name: "Harbour House", password: "harbour house" }, /^ValidationFailed: password: /],
        [{ password: "x".repeat(PASSWORD_MAX + 1) }, /^ValidationFailed: password: /],
        [{ email: email.toUpperCase() }, /^Conflict: email: /]
      ] as const) {
        assert.match(yield* refusal(created(operatorId, own)), says)
      }
      assert.deepStrictEqual(yield* loadAuditLinesWithActor(operatorId), before)
      yield* created(operatorId, { name: "x".repeat(ACCOUNT_NAME_LENGTH), password: "x".repeat(PASSWORD_MAX) })
    })
  )

  test(
    "are their main account's to manage, and no other's",
    Effect.gen(function* () {
      const accounts = yield* SubAccounts
      const { operatorId, mainId, id, email } = yield* withSub
      const stranger = yield* withSub
      const sub = { operatorId, role: "sub" } as const
      const said = yield* Effect.all([
        refusal(accounts.list(sub)),
        refusal(accounts.create(sub, { email: someEmail(), password: PASSWORD })),
        refusal(accounts.disable(sub, id)),
        refusal(accounts.enable(sub, id)),
        refusal(accounts.setPassword(sub, id, "another password"))
      ]).pipe(asSystemActor, withCheapHashing)
      for (const each of said) assert.match(each, /^Forbidden: .*main account/)
      for (const [keeper, unknown] of [
        [main(stranger.operatorId), id],
        [main(operatorId), mainId],
        [main(operatorId), stranger.id],
        [main(operatorId), 2 ** 50]
      ] as const) {
        for (const act of [
          accounts.disable(keeper, unknown),
          accounts.enable(keeper, unknown),
          accounts.setPassword(keeper, unknown, "another password")
        ]) {
          assert.match(yield* refusal(asSystemActor(withCheapHashing(act))), /^NotFound: id: /)
        }
      }
      assert.strictEqual(yield* outcomeOf(email), "in")
      assert.strictEqual(yield* outcomeOf(stranger.email), "in")
    })
  )

  test(
    "end their sessions when they are disabled, sign in no more as if the password were wrong, and can be enabled",
    Effect.gen(function* () {
      const accounts = yield* SubAccounts
      const { operatorId, id, email, mainEmail, keeper } = yield* withSub
      const [here, there, mine] = [yield* signIn(email), yield* signIn(email), yield* signIn(mainEmail)]
      const before = (yield* loadAuditLinesWithActor(operatorId)).length
      assert.deepStrictEqual(yield* asSystemActor(accounts.disable(keeper, id)), { account_id: id, sessions_ended: 2 })
      for (const cookie of [here, there]) assert.isFalse(yield* isSignedIn(cookie))
      assert.isTrue(yield* isSignedIn(mine))
      assert.strictEqual(yield* outcomeOf(email), "WrongPassword")
      assert.deepStrictEqual((yield* accounts.list(keeper))[1]?.disabled_at, new Date(START))
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* asSystemActor(accounts.disable(keeper, id)), { account_id: id, sessions_ended: 0 })
      assert.deepStrictEqual((yield* accounts.list(keeper))[1]?.disabled_at, new Date(START))
      for (const _twice of [1, 2]) {
        assert.deepStrictEqual(yield* asSystemActor(accounts.enable(keeper, id)), { account_id: id })
      }
      // What has ended stays so.
      for (const cookie of [here, there]) assert.isFalse(yield* isSignedIn(cookie))
      assert.deepStrictEqual((yield* loadAuditLinesWithActor(operatorId)).slice(before), [
        `test: test account:${id} (disabled_at)`,
        `test: test account:${id} (disabled_at)`
      ])
      assert.strictEqual(yield* outcomeOf(email), "in")
    })
  )

  test(
    "that are disabled are told of in nothing: as many wrong tries are waited after as of an address nobody has",
    Effect.gen(function* () {
      const { id, email, keeper } = yield* withSub
      yield* asSystemActor(SubAccounts.use((accounts) => accounts.disable(keeper, id)))
      const from = (address: string, whose: string) =>
        Effect.forEach(Array.from({ length: 7 }), () =>
          Sessions.use((sessions) => sessions.signIn({ email: whose, password: PASSWORD, address })).pipe(
            asSystemActor,
            withCheapHashing,
            Effect.match({ onSuccess: () => "in", onFailure: (why) => JSON.stringify(why) })
          )
        )
      assert.deepStrictEqual(yield* from(somewhere(), email), yield* from(somewhere(), someEmail()))
    })
  )

  test(
    "are given another password, which signs them out everywhere, also while they are disabled",
    Effect.gen(function* () {
      const accounts = yield* SubAccounts
      const { operatorId, id, email, keeper } = yield* withSub
      const cookie = yield* signIn(email)
      const set = (password: string) => accounts.setPassword(keeper, id, password).pipe(asSystemActor, withCheapHashing)
      assert.deepStrictEqual(yield* set("another password"), { account_id: id, sessions_ended: 1 })
      assert.isFalse(yield* isSignedIn(cookie))
      assert.deepStrictEqual(
        [yield* outcomeOf(email), yield* outcomeOf(email, "another password")],
        ["WrongPassword", "in"]
      )
      yield* asSystemActor(accounts.disable(keeper, id))
      yield* set("a third password")
      assert.strictEqual(yield* outcomeOf(email, "a third password"), "WrongPassword")
      yield* asSystemActor(accounts.enable(keeper, id))
      assert.strictEqual(yield* outcomeOf(email, "a third password"), "in")
      for (const wrong of ["", "x".repeat(PASSWORD_MIN - 1), "Password1234", email, "x".repeat(PASSWORD_MAX + 1)]) {
        assert.match(yield* refusal(set(wrong)), /^ValidationFailed: password: /)
      }
      const passwords = (yield* loadAuditLinesWithActor(operatorId)).filter((line) => line.includes("(password)"))
      assert.deepStrictEqual(passwords, Array(2).fill(`test: test account:${id} (password)`))
    })
  )

  test(
    "are given passwords as far as there is room for hashing them, and else nothing",
    Effect.gen(function* () {
      const { operatorId, id, email, keeper } = yield* withSub
      const before = yield* loadAuditLinesWithActor(operatorId)
      const full = Layer.succeed(HashingLimiter, { withPermit: () => Effect.fail({ _tag: "Busy" }) })
      const said = yield* Effect.gen(function* () {
        const accounts = yield* SubAccounts
        return [
          yield* refusal(accounts.create(keeper, { email: someEmail(), password: PASSWORD })),
          yield* refusal(accounts.setPassword(keeper, id, "another password"))
        ]
      }).pipe(
        Effect.provide(
          Layer.provide(Layer.fresh(SubAccounts.layerNoDeps), Layer.fresh(Passwords.layerNoDeps)).pipe(
            Layer.provide(full)
          )
        ),
        asSystemActor,
        withCheapHashing
      )
      assert.deepStrictEqual(said, ["Busy: ", "Busy: "])
      assert.deepStrictEqual(yield* loadAuditLinesWithActor(operatorId), before)
      assert.strictEqual(yield* outcomeOf(email), "in")
    })
  )

  test(
    `are ${ACCOUNTS_MAX} of an operator at most, disabled ones among them, also where many are made at once`,
    Effect.gen(function* () {
      const [accounts, operators, sql] = [yield* SubAccounts, yield* Operators, yield* SqlClient.SqlClient]
      const { operatorId } = yield* createOperator()
      yield* crowded(operatorId, ACCOUNTS_MAX - 3)
      const made = yield* Effect.forEach(Array.from({ length: 8 }), () => Effect.result(created(operatorId)), {
        concurrency: "unbounded"
      })
      const refused = made.flatMap((each) => (each._tag === "Failure" ? [each.failure] : []))
      assert.lengthOf(refused, 5)
      for (const why of refused) {
        assert.strictEqual(why._tag, "ValidationFailed")
        assert.match(String("message" in why && why.message), /^accounts: .*200/)
      }
      const [first] = made.flatMap((each) => (each._tag === "Success" ? [each.success.account_id] : []))
      yield* asSystemActor(accounts.disable(main(operatorId), first ?? 0))
      const byCommand = operators.createAccount({ operator_id: operatorId, email: someEmail(), password: PASSWORD })
      assert.match(yield* refusal(asSystemActor(withCheapHashing(byCommand))), /^ValidationFailed: accounts: /)
      const [count] = yield* sql`
        SELECT count(*)::int AS count FROM accounts WHERE operator_id = ${operatorId} AND role = 'sub'`
      assert.deepStrictEqual({ ...count }, { count: ACCOUNTS_MAX })
      assert.lengthOf(yield* accounts.list(main(operatorId)), ACCOUNTS_MAX + 1)
    })
  )
})

/** So many sub-accounts that nobody signs in with. */
const crowded = Effect.fnUntraced(function* (operatorId: number, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO accounts (operator_id, role, name, email, password_hash, created_at)
    SELECT ${operatorId}::bigint, 'sub', 'One of many', n || ${someEmail()}, 'none', now()
    FROM generate_series(1, ${count}::int) n`
})

describe.skipIf(!canOverlap)(withServerNote("two at once"), () => {
  layer(layerAccounts)((it) => {
    it.effect("that take the last free place of an operator are not both given it", () =>
      Effect.gen(function* () {
        const { operatorId } = yield* createOperator()
        yield* crowded(operatorId, ACCOUNTS_MAX - 1)
        const make = Effect.result(created(operatorId))
        const [first, second] = yield* runOverlapping(make, make)
        assert.deepStrictEqual([first._tag, second._tag], ["Success", "Failure"])
      })
    )

    it.effect("of which one signs in with the account that the other disables leave no session", () =>
      Effect.gen(function* () {
        const accounts = yield* SubAccounts
        const disabledWhile = Effect.fnUntraced(function* (isFirst: boolean) {
          const { id, email, keeper } = yield* withSub
          const disable = asSystemActor(accounts.disable(keeper, id))
          const enter = Effect.match(signIn(email), { onSuccess: (cookie) => cookie, onFailure: () => undefined })
          const cookie = isFirst
            ? (yield* runOverlapping(enter, disable))[0]
            : (yield* runOverlapping(disable, enter))[1]
          return { came: cookie !== undefined, in: cookie !== undefined && (yield* isSignedIn(cookie)) }
        })
        assert.deepStrictEqual(yield* disabledWhile(true), { came: true, in: false })
        assert.deepStrictEqual(yield* disabledWhile(false), { came: false, in: false })
      })
    )
  })
})
