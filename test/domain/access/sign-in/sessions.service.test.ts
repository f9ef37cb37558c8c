import { randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { computeDigest } from "../../../../src/admission/gate/credentials.ts"
import { FailedCallCounter } from "../../../../src/changes/FailedCallCounter.ts"
import { networkOf } from "../../../../src/contract/caller-address.ts"
import { ServerError } from "../../../../src/contract/errors.ts"
import { PermitRelease } from "../../../../src/contract/permit-release.ts"
import { hashPassword, PasswordCost } from "../../../../src/domain/access/operators/password.ts"
import { newKnownBrowserCookie, newSessionCookie } from "../../../../src/domain/access/sign-in/cookies.ts"
import { HashingLimiter } from "../../../../src/domain/access/sign-in/HashingLimiter.ts"
import { Passwords } from "../../../../src/domain/access/sign-in/Passwords.ts"
import { applySessionRetention } from "../../../../src/domain/access/sign-in/retention.ts"
import {
  type PasswordConfirmation,
  Sessions,
  type SignInAttempt,
  type SignInFailure
} from "../../../../src/domain/access/sign-in/Sessions.ts"
import {
  ANONYMOUS_HASHES_MAX,
  KNOWN_BROWSER_HASHES_MAX,
  KNOWN_BROWSER_MS,
  KNOWN_BROWSERS_MAX,
  NETWORK_HASHES_MAX,
  PASSWORD_MAX,
  QUEUED_HASHES_MAX,
  SESSION_IDLE_MS,
  SESSION_LIFETIME_MS,
  SESSIONS_OF_ACCOUNT_MAX,
  SIGN_IN_CLOCK_SKEW_MS,
  SIGN_IN_FAILURE_RESET_MS,
  SIGN_IN_FAILURES_MAX,
  SIGN_IN_FAILURES_OF_NETWORK_MAX,
  SIGN_IN_LONGEST_WAIT_MS,
  SIGN_IN_NETWORK_WINDOW_MS
} from "../../../../src/platform/limits.ts"
import {
  CHEAP_PASSWORD_COST,
  createSignInAccount,
  PASSWORD,
  toPasswordConfirmation,
  withCheapHashing
} from "../../../support/domain/access/sign-in/sign-in-accounts.ts"
import { asSystemActor, insertAccount } from "../../../support/harness.ts"
import { layerOwnDatabase } from "../../../support/own-database.ts"
import { layerTestDatabase } from "../../../support/test-database.ts"

const START = Date.parse("2027-03-01T10:00:00Z")

/** Room for as many at once as a test makes: how many that are is a test of its own. */
const layerRoom = Layer.succeed(HashingLimiter, { withPermit: (_place, work) => work })

const layerUncounted = Layer.succeed(FailedCallCounter, {
  recordCall: () => Effect.void,
  recordSignIn: () => Effect.void
})

const layerSessionsOver = <E>(
  database: Layer.Layer<SqlClient.SqlClient, E>,
  room: Layer.Layer<HashingLimiter> = layerRoom
) =>
  Layer.mergeAll(Sessions.layerNoDeps, Passwords.layerNoDeps).pipe(
    Layer.provide([room, layerUncounted]),
    Layer.provideMerge(database),
    Layer.provideMerge(Layer.succeed(PasswordCost, CHEAP_PASSWORD_COST))
  )

const layerSessions = layerSessionsOver(layerTestDatabase)

/** Nobody else's address. */
const somewhere = () => `2001:db8:${randomBytes(2).toString("hex")}:${randomBytes(2).toString("hex")}::1`

const signIn = (attempt: Partial<SignInAttempt> & Pick<SignInAttempt, "email" | "address">) =>
  Sessions.use((sessions) => sessions.signIn({ password: PASSWORD, ...attempt })).pipe(asSystemActor, withCheapHashing)

const outcomeOf = <A>(trying: Effect.Effect<A, SignInFailure, Sessions>) =>
  Effect.match(trying, {
    onSuccess: () => "in",
    onFailure: (why) => (why._tag === "MustWait" ? `wait ${why.seconds}` : why._tag)
  })

const wrong = (email: string, address: string) => outcomeOf(signIn({ email, address, password: "wrong" }))

/** As the command line gives another password. */
const changeByCommand = (accountId: number, password: string) =>
  Passwords.use((passwords) => passwords.change({ account_id: accountId, password })).pipe(
    asSystemActor,
    withCheapHashing
  )

const confirm = (cookie: string, password = PASSWORD, address = somewhere()) =>
  Sessions.use((sessions) => sessions.confirmPassword(cookie, { password, address })).pipe(
    asSystemActor,
    withCheapHashing
  )

/** As who is signed in changes their own. */
const changeOwn = (confirmed: PasswordConfirmation, password: string, known?: string) =>
  Passwords.use((passwords) => passwords.changeOwn(confirmed, { password, knownBrowserCookie: known })).pipe(
    asSystemActor,
    withCheapHashing
  )

const find = (cookie: string) => Sessions.use((sessions) => sessions.find(cookie))

layer(layerSessions, { excludeTestServices: false })("sessions", (it) => {
  const test = (name: string, body: Effect.Effect<void, unknown, Sessions | Passwords | SqlClient.SqlClient>) =>
    it.effect(name, () => Effect.andThen(TestClock.setTime(START), body))

  test(
    "know who is signed in, and only by the value that was given",
    Effect.gen(function* () {
      const host = yield* createSignInAccount()
      const cookie = yield* signIn({ email: host.email.toUpperCase(), address: somewhere() })
      assert.match(cookie, /^lkconsole_[\w-]{43}$/)
      const session = yield* find(cookie)
      assert.deepInclude(session, { email: host.email, operatorName: "Harbour Stays", passwordAt: START })
      assert.deepInclude(session?.person, { status: "active", subscriptionUntil: null })
      assert.deepInclude(session?.person.caller, {
        ...{ operatorId: host.operatorId, accountId: host.accountId, role: "main", scope: "writable" },
        ...{ application: null, grantId: null, tokenName: "console", timeZone: "Europe/Lisbon" }
      })
      for (const other of [newSessionCookie(), "", "x", `${cookie}x`]) assert.isUndefined(yield* find(other))
      const sql = yield* SqlClient.SqlClient
      const kept = yield* sql`SELECT * FROM console_sessions WHERE account_id = ${host.accountId}`
      assert.notInclude(JSON.stringify(kept), cookie)
    })
  )

  test(
    "end at sign-out, when signing in anew, and are worth nothing afterwards",
    Effect.gen(function* () {
      const { email } = yield* createSignInAccount()
      const address = somewhere()
      const first = yield* signIn({ email, address })
      const second = yield* signIn({ email, address, previousCookie: first })
      assert.notStrictEqual(first, second)
      assert.isUndefined(yield* find(first))
      assert.isDefined(yield* find(second))
      yield* Sessions.use((sessions) => sessions.signOut(second))
      assert.isUndefined(yield* find(second))
    })
  )

  test(
    "end after twelve hours without a visit, and after seven days with them",
    Effect.gen(function* () {
      const { email } = yield* createSignInAccount()
      const quiet = yield* signIn({ email, address: somewhere() })
      yield* TestClock.adjust(SESSION_IDLE_MS - 1)
      assert.isDefined(yield* find(quiet))
      yield* TestClock.adjust(SESSION_IDLE_MS)
      assert.isUndefined(yield* find(quiet))
      yield* TestClock.setTime(START)
      const busy = yield* signIn({ email, address: somewhere() })
      const visits = SESSION_LIFETIME_MS / (SESSION_IDLE_MS / 2)
      for (let visit = 1; visit < visits; visit += 1) {
        yield* TestClock.adjust(SESSION_IDLE_MS / 2)
        assert.isDefined(yield* find(busy), `visit ${visit}`)
      }
      yield* TestClock.setTime(START + SESSION_LIFETIME_MS - 1)
      assert.isDefined(yield* find(busy))
      yield* TestClock.setTime(START + SESSION_LIFETIME_MS)
      assert.isUndefined(yield* find(busy))
    })
  )

  test(
    "are written down once a minute, however often they are used",
    Effect.gen(function* () {
      const { email, accountId } = yield* createSignInAccount()
      const cookie = yield* signIn({ email, address: somewhere() })
      const sql = yield* SqlClient.SqlClient
      const seen = Effect.map(
        sql<{ seen: number }>`
          SELECT extract(epoch FROM seen_at)::float8 * 1000 AS seen FROM console_sessions WHERE account_id = ${accountId}`,
        ([row]) => (row?.seen ?? 0) - START
      )
      yield* TestClock.adjust(59_999)
      yield* find(cookie)
      assert.strictEqual(yield* seen, 0)
      yield* TestClock.adjust(1)
      yield* Effect.all([find(cookie), find(cookie), find(cookie)], { concurrency: 3 })
      assert.strictEqual(yield* seen, 60_000)
    })
  )

  test(
    `are ${SESSIONS_OF_ACCOUNT_MAX} of an account at most, of which the oldest ends, also where as many are made at once`,
    Effect.gen(function* () {
      const { email } = yield* createSignInAccount()
      const cookies: Array<string> = []
      for (let made = 0; made < SESSIONS_OF_ACCOUNT_MAX; made += 1) {
        yield* TestClock.adjust(1)
        cookies.push(yield* signIn({ email, address: somewhere() }))
      }
      const live = Effect.map(Effect.forEach(cookies, find), (found) => found.map((each) => each !== undefined))
      assert.notInclude(yield* live, false)
      yield* TestClock.adjust(1)
      cookies.push(yield* signIn({ email, address: somewhere() }))
      assert.deepStrictEqual(
        [...(yield* live).entries()].filter(([, isLive]) => !isLive).map(([at]) => at),
        [0]
      )
      const atOnce = Array.from({ length: 5 }, () => signIn({ email, address: somewhere() }))
      cookies.push(...(yield* Effect.all(atOnce, { concurrency: 5 })))
      assert.lengthOf(
        (yield* live).filter((isLive) => isLive),
        SESSIONS_OF_ACCOUNT_MAX
      )
    })
  )

  test(
    "are none of a closed operator, which is answered as a wrong password; a banned one signs in",
    Effect.gen(function* () {
      const { email, operatorId } = yield* createSignInAccount()
      const sql = yield* SqlClient.SqlClient
      const cookie = yield* signIn({ email, address: somewhere() })
      yield* sql`UPDATE operators SET status = 'banned' WHERE id = ${operatorId}`
      assert.strictEqual((yield* find(cookie))?.person.status, "banned")
      assert.strictEqual(yield* outcomeOf(signIn({ email, address: somewhere() })), "in")
      yield* sql`UPDATE operators SET status = 'closed' WHERE id = ${operatorId}`
      assert.isUndefined(yield* find(cookie))
      assert.strictEqual(yield* outcomeOf(signIn({ email, address: somewhere() })), "WrongPassword")
    })
  )

  test(
    "begin with a short or common password from before the rules, which also confirms a form",
    Effect.gen(function* () {
      const { email, accountId } = yield* createSignInAccount()
      const sql = yield* SqlClient.SqlClient
      const chosenBefore = "hunter2"
      const hash = yield* withCheapHashing(hashPassword(chosenBefore))
      yield* sql`UPDATE accounts SET password_hash = ${hash} WHERE id = ${accountId}`
      const cookie = yield* signIn({ email, address: somewhere(), password: chosenBefore })
      assert.isDefined(yield* find(cookie))
      const error = yield* Effect.flip(changeOwn(yield* confirm(cookie, chosenBefore), chosenBefore))
      assert.strictEqual(error._tag, "ValidationFailed")
    })
  )

  test(
    "end with the password, but for the one in which it is changed; those of others go on",
    Effect.gen(function* () {
      const { email, accountId } = yield* createSignInAccount()
      const other = yield* createSignInAccount()
      const others = yield* signIn({ email: other.email, address: somewhere() })
      const [here, there] = [
        yield* signIn({ email, address: somewhere() }),
        yield* signIn({ email, address: somewhere() })
      ]
      assert.deepStrictEqual(yield* changeOwn(yield* confirm(here), "another password"), {
        ...{ account_id: accountId, sessions_ended: 1 }
      })
      assert.isDefined(yield* find(here))
      assert.isUndefined(yield* find(there))
      assert.isDefined(yield* find(others))
      assert.strictEqual(yield* wrong(email, somewhere()), "WrongPassword")
      assert.strictEqual(yield* outcomeOf(signIn({ email, address: somewhere(), password: "another password" })), "in")
      yield* changeByCommand(accountId, "a third password")
      assert.isUndefined(yield* find(here))
      assert.isDefined(yield* find(others))
      const sql = yield* SqlClient.SqlClient
      const trail = yield* sql<{ fields: ReadonlyArray<string> }>`
        SELECT fields FROM trail WHERE record = ${`account:${accountId}`} AND fields = '{password}'`
      assert.lengthOf(trail, 2)
    })
  )

  test(
    "are not made with a password that changes while it is looked at, nor survive one that changes behind them",
    Effect.gen(function* () {
      const { email, accountId } = yield* createSignInAccount()
      const sql = yield* SqlClient.SqlClient
      const cookie = yield* signIn({ email, address: somewhere() })
      yield* sql`UPDATE accounts SET password_hash = password_hash || 'x' WHERE id = ${accountId}`
      assert.isUndefined(yield* find(cookie))
      const made = yield* Effect.all(
        Array.from({ length: 8 }, (_, at) =>
          at === 4
            ? Effect.as(changeByCommand(accountId, PASSWORD), "")
            : Effect.orElseSucceed(signIn({ email, address: somewhere() }), () => "")
        ),
        { concurrency: 8 }
      )
      // A stored hash that was cut short is no password at all; whoever got in got in with the new one.
      const sessions = yield* Effect.forEach(
        made.filter((each) => each !== ""),
        find
      )
      assert.notInclude(sessions, undefined)
    })
  )

  test(
    "cannot give a password where another was given meanwhile, nor each of two at once",
    Effect.gen(function* () {
      const { email, accountId } = yield* createSignInAccount()
      const cookie = yield* signIn({ email, address: somewhere() })
      const before = yield* confirm(cookie)
      yield* changeByCommand(accountId, "rescued password")
      assert.strictEqual((yield* Effect.flip(changeOwn(before, "of the thief")))._tag, "Conflict")
      assert.strictEqual(yield* wrong(email, somewhere()), "WrongPassword")
      const rescued = yield* signIn({ email, address: somewhere(), password: "rescued password" })

      // Two forms of one session: both gave the right password, and one is taken.
      const [one, other] = [yield* confirm(rescued, "rescued password"), yield* confirm(rescued, "rescued password")]
      yield* changeOwn(one, "first password")
      assert.strictEqual((yield* Effect.flip(changeOwn(other, "second password")))._tag, "Conflict")
      const again = [yield* confirm(rescued, "first password"), yield* confirm(rescued, "first password")]
      const atOnce = yield* Effect.all(
        again.map((each, at) => Effect.exit(changeOwn(each, `changed at once ${at}`))),
        { concurrency: 2 }
      )
      assert.lengthOf(atOnce.filter(Exit.isSuccess), 1)
      assert.isDefined(yield* find(rescued))

      // Nor where there is no place to come back to.
      const noPlace: PermitRelease = () => Effect.fail(new ServerError({ message: "" }))
      const away = Effect.provideService(PermitRelease, noPlace)
      assert.strictEqual((yield* Effect.flip(away(changeOwn(before, "another password"))))._tag, "Busy")

      // Nor where the session is over, or is another's.
      const last = `changed at once ${atOnce.findIndex(Exit.isSuccess)}`
      const confirmed = yield* confirm(rescued, last)
      const stranger = yield* signIn({ email: (yield* createSignInAccount()).email, address: somewhere() })
      for (const cookie of [stranger, newSessionCookie()]) {
        assert.strictEqual(
          (yield* Effect.flip(changeOwn({ ...confirmed, cookie }, "stolen password")))._tag,
          "Conflict"
        )
      }
      yield* Sessions.use((sessions) => sessions.signOut(rescued))
      assert.strictEqual((yield* Effect.flip(changeOwn(confirmed, "stolen password")))._tag, "Conflict")
      assert.strictEqual(yield* outcomeOf(signIn({ email, address: somewhere(), password: last })), "in")
    })
  )

  test(
    "ask for the password once more, of which nobody else has any waits",
    Effect.gen(function* () {
      const { email } = yield* createSignInAccount()
      const [address, elsewhere] = [somewhere(), somewhere()]
      const cookie = yield* signIn({ email, address })
      const other = yield* signIn({ email, address: elsewhere })
      yield* TestClock.adjust(60_000)
      const confirmed = (given: string, password: string) => outcomeOf(confirm(given, password, address))
      assert.strictEqual(yield* confirmed(cookie, "wrong"), "WrongPassword")
      assert.strictEqual((yield* find(cookie))?.passwordAt, START)
      assert.strictEqual(yield* confirmed(cookie, PASSWORD), "in")
      assert.strictEqual((yield* find(cookie))?.passwordAt, START + 60_000)
      assert.strictEqual((yield* find(other))?.passwordAt, START)
      for (let failed = 0; failed < SIGN_IN_FAILURES_MAX; failed += 1) {
        assert.strictEqual(yield* confirmed(cookie, "wrong"), "WrongPassword")
      }
      assert.strictEqual(yield* confirmed(cookie, PASSWORD), "wait 1")
      assert.strictEqual(yield* confirmed(other, PASSWORD), "in")
      assert.strictEqual(yield* outcomeOf(signIn({ email, address })), "in")
      assert.strictEqual(yield* confirmed(newSessionCookie(), PASSWORD), "WrongPassword")
    })
  )

  test(
    "are in the trail under the account that signed in",
    Effect.gen(function* () {
      const { email, accountId } = yield* createSignInAccount()
      yield* signIn({ email, address: somewhere() })
      const sql = yield* SqlClient.SqlClient
      const trail = yield* sql`
        SELECT account_id, record, fields FROM trail WHERE account_id = ${accountId}`
      assert.deepStrictEqual(
        trail.map((row) => ({ ...row })),
        [{ account_id: accountId, record: `account:${accountId}`, fields: ["session"] }]
      )
    })
  )
})

layer(layerSessions, { excludeTestServices: false })("guessing", (it) => {
  const test = (name: string, body: Effect.Effect<void, unknown, Sessions | Passwords | SqlClient.SqlClient>) =>
    it.effect(name, () => Effect.andThen(TestClock.setTime(START), body))

  test(
    "is waited after from the fifth failure on, longer each time, and what comes meanwhile is not looked at",
    Effect.gen(function* () {
      const { email } = yield* createSignInAccount()
      const address = somewhere()
      for (let failed = 1; failed <= SIGN_IN_FAILURES_MAX; failed += 1) {
        assert.strictEqual(yield* wrong(email, address), "WrongPassword", `failure ${failed}`)
      }
      for (const seconds of [1, 2, 4, 8]) {
        assert.strictEqual(yield* outcomeOf(signIn({ email, address })), `wait ${seconds}`)
        yield* TestClock.adjust(seconds * 1000 - 1)
        assert.strictEqual(yield* outcomeOf(signIn({ email, address })), "wait 1")
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* wrong(email, address), "WrongPassword")
      }
      yield* TestClock.adjust(16_000)
      assert.strictEqual(yield* outcomeOf(signIn({ email, address })), "in")
      // Right once, all is forgotten.
      assert.strictEqual(yield* wrong(email, address), "WrongPassword")
      assert.strictEqual(yield* outcomeOf(signIn({ email, address })), "in")
    })
  )

  test(
    "of one address whatever its letter case, whether or not it has an account, with the same outcomes",
    Effect.gen(function* () {
      const { email } = yield* createSignInAccount()
      const tries = Effect.fnUntraced(function* (name: string) {
        const address = somewhere()
        const outcomes: Array<string> = []
        for (let failed = 0; failed <= SIGN_IN_FAILURES_MAX; failed += 1) {
          outcomes.push(yield* wrong(failed % 2 === 0 ? name : name.toUpperCase(), address))
        }
        return outcomes
      })
      const known = yield* tries(email)
      assert.strictEqual(known.at(-1), "wait 1")
      assert.deepStrictEqual(yield* tries(`nobody-${email}`), known)
    })
  )

  test(
    "makes nobody wait elsewhere, nor in a browser that has signed in before; there it has waits of its own",
    Effect.gen(function* () {
      const { email } = yield* createSignInAccount()
      const [office, known] = [somewhere(), newKnownBrowserCookie()]
      yield* signIn({ email, address: office, knownBrowserCookie: known })
      for (let failed = 0; failed < SIGN_IN_FAILURES_MAX; failed += 1) yield* wrong(email, office)
      assert.strictEqual(yield* outcomeOf(signIn({ email, address: office })), "wait 1")
      assert.strictEqual(
        yield* outcomeOf(signIn({ email, address: office, knownBrowserCookie: newKnownBrowserCookie() })),
        "wait 1"
      )
      assert.strictEqual(yield* outcomeOf(signIn({ email, address: somewhere() })), "in")
      assert.strictEqual(yield* outcomeOf(signIn({ email, address: office, knownBrowserCookie: known })), "in")
      const guess = outcomeOf(signIn({ email, address: office, knownBrowserCookie: known, password: "wrong" }))
      for (let failed = 0; failed < SIGN_IN_FAILURES_MAX; failed += 1) assert.strictEqual(yield* guess, "WrongPassword")
      assert.strictEqual(yield* guess, "wait 1")
      // Known for one account it is nothing for another's, until that has signed in there too; then it is known for both.
      const other = yield* createSignInAccount()
      for (let failed = 0; failed < SIGN_IN_FAILURES_MAX; failed += 1) yield* wrong(other.email, office)
      assert.strictEqual(
        yield* outcomeOf(signIn({ email: other.email, address: office, knownBrowserCookie: known })),
        "wait 1"
      )
      yield* TestClock.adjust(60_000)
      assert.strictEqual(
        yield* outcomeOf(signIn({ email: other.email, address: office, knownBrowserCookie: known })),
        "in"
      )
      for (const each of [email, other.email]) {
        for (let failed = 0; failed <= SIGN_IN_FAILURES_MAX; failed += 1) yield* wrong(each, office)
        assert.match(yield* outcomeOf(signIn({ email: each, address: office })), /^wait/)
        assert.strictEqual(yield* outcomeOf(signIn({ email: each, address: office, knownBrowserCookie: known })), "in")
      }
    })
  )

  test(
    "makes who comes in a browser that was known wait once it is a year ago, or the password has changed elsewhere",
    Effect.gen(function* () {
      const { email, accountId } = yield* createSignInAccount()
      const [here, there] = [newKnownBrowserCookie(), newKnownBrowserCookie()]
      const isKnown = Effect.fnUntraced(function* (known: string, password = PASSWORD) {
        const address = somewhere()
        for (let failed = 0; failed < SIGN_IN_FAILURES_MAX; failed += 1) yield* wrong(email, address)
        return (yield* outcomeOf(signIn({ email, address, knownBrowserCookie: known, password }))) === "in"
      })
      yield* signIn({ email, address: somewhere(), knownBrowserCookie: there })
      yield* TestClock.adjust(KNOWN_BROWSER_MS - 1)
      assert.isTrue(yield* isKnown(there))
      yield* TestClock.adjust(KNOWN_BROWSER_MS)
      assert.isFalse(yield* isKnown(there))

      const cookie = yield* signIn({ email, address: somewhere(), knownBrowserCookie: here })
      yield* signIn({ email, address: somewhere(), knownBrowserCookie: there })
      yield* changeOwn(yield* confirm(cookie), "another password", here)
      assert.isTrue(yield* isKnown(here, "another password"))
      assert.isFalse(yield* isKnown(there, "another password"))
      yield* changeByCommand(accountId, "a third password")
      assert.isFalse(yield* isKnown(here, "a third password"))
    })
  )

  test(
    `knows ${KNOWN_BROWSERS_MAX} browsers of an account, those used last, for a year`,
    Effect.gen(function* () {
      const { email, accountId } = yield* createSignInAccount()
      const other = yield* createSignInAccount()
      const browsers: Array<string> = []
      for (let made = 0; made <= KNOWN_BROWSERS_MAX; made += 1) {
        yield* TestClock.adjust(1)
        browsers.push(newKnownBrowserCookie())
        yield* signIn({ email, address: somewhere(), knownBrowserCookie: browsers.at(-1) })
        if (made === 0) yield* signIn({ email: other.email, address: somewhere(), knownBrowserCookie: browsers[0] })
      }
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ digest: Uint8Array }>`SELECT digest FROM known_browsers WHERE account_id = ${accountId}`
      const known = rows.map(({ digest }) => Buffer.from(digest).toString("hex"))
      assert.sameMembers(
        known,
        browsers.slice(1).map((each) => Buffer.from(computeDigest(each)).toString("hex"))
      )
      // What one account forgets another goes on knowing.
      assert.lengthOf(yield* sql`SELECT FROM known_browsers WHERE account_id = ${other.accountId}`, 1)
    })
  )

  test(
    "is forgotten after an hour without a try",
    Effect.gen(function* () {
      const { email } = yield* createSignInAccount()
      const address = somewhere()
      for (let failed = 0; failed < SIGN_IN_FAILURES_MAX - 1; failed += 1) yield* wrong(email, address)
      yield* TestClock.adjust(SIGN_IN_FAILURE_RESET_MS - 1)
      yield* wrong(email, address)
      assert.strictEqual(yield* wrong(email, address), "wait 1")
      yield* TestClock.adjust(SIGN_IN_FAILURE_RESET_MS)
      yield* wrong(email, address)
      assert.strictEqual(yield* wrong(email, address), "WrongPassword")
    })
  )

  test(
    `at ${SIGN_IN_FAILURES_OF_NETWORK_MAX} addresses from one place is waited after there, and what is right is no failure`,
    Effect.gen(function* () {
      const { email } = yield* createSignInAccount()
      const address = somewhere()
      const spray = (times: number) =>
        Effect.forEach(Array.from({ length: times }), () =>
          wrong(`${randomBytes(8).toString("hex")}@example.test`, address)
        )
      yield* spray(SIGN_IN_FAILURES_OF_NETWORK_MAX - 1)
      for (let right = 0; right < 3; right += 1) assert.strictEqual(yield* outcomeOf(signIn({ email, address })), "in")
      assert.deepStrictEqual(yield* spray(1), ["WrongPassword"])
      const wait = `wait ${SIGN_IN_NETWORK_WINDOW_MS / 1000}`
      assert.strictEqual(yield* outcomeOf(signIn({ email, address })), wait)
      assert.strictEqual(yield* outcomeOf(signIn({ email, address: somewhere() })), "in")
      yield* TestClock.adjust(SIGN_IN_NETWORK_WINDOW_MS)
      assert.strictEqual(yield* outcomeOf(signIn({ email, address })), "in")
    })
  )

  test(
    "is not waited after by a clock that goes back",
    Effect.gen(function* () {
      const { email } = yield* createSignInAccount()
      const address = somewhere()
      yield* wrong(email, address)
      yield* TestClock.setTime(START - SESSION_LIFETIME_MS)
      assert.strictEqual(yield* wrong(email, address), "WrongPassword")
      assert.strictEqual(yield* outcomeOf(signIn({ email, address })), "in")
    })
  )

  test(
    "has no waits that the service wrote while its clock was days ahead",
    Effect.gen(function* () {
      const { email } = yield* createSignInAccount()
      const address = somewhere()
      const spray = (times: number) =>
        Effect.forEach(Array.from({ length: times }), () =>
          wrong(`${randomBytes(8).toString("hex")}@example.test`, address)
        )
      yield* TestClock.setTime(START + 3 * 24 * 60 * 60 * 1000)
      for (let failed = 0; failed < SIGN_IN_FAILURES_MAX; failed += 1) yield* wrong(email, address)
      assert.strictEqual(yield* outcomeOf(signIn({ email, address })), "wait 1")
      yield* spray(SIGN_IN_FAILURES_OF_NETWORK_MAX - SIGN_IN_FAILURES_MAX)
      assert.strictEqual(yield* outcomeOf(signIn({ email, address })), `wait ${SIGN_IN_NETWORK_WINDOW_MS / 1000}`)
      yield* TestClock.setTime(START)
      assert.strictEqual(yield* outcomeOf(signIn({ email, address })), "in")
      // From now on the address counts failures by the present clock.
      yield* spray(SIGN_IN_FAILURES_OF_NETWORK_MAX - 1)
      assert.deepStrictEqual(yield* spray(2), ["WrongPassword", `wait ${SIGN_IN_NETWORK_WINDOW_MS / 1000}`])
    })
  )

  test(
    "has waits of a process whose clock is a little ahead, but of none whose clock is further ahead",
    Effect.gen(function* () {
      const { email } = yield* createSignInAccount()
      const address = somewhere()
      for (let failed = 0; failed < SIGN_IN_FAILURES_MAX; failed += 1) yield* wrong(email, address)
      const sql = yield* SqlClient.SqlClient
      const latest = START + SIGN_IN_LONGEST_WAIT_MS + SIGN_IN_CLOCK_SKEW_MS
      const waitUntil = (at: number) => sql`
        UPDATE sign_in_failures SET wait_until = ${new Date(at)}
        WHERE email_digest <> '' AND place = ${networkOf(address)}`
      yield* waitUntil(latest)
      assert.strictEqual(yield* wrong(email, address), `wait ${(latest - START) / 1000}`)
      yield* waitUntil(latest + 1)
      assert.strictEqual(yield* wrong(email, address), "WrongPassword")
    })
  )

  test(
    "twenty times at once has five looked at",
    Effect.gen(function* () {
      const { email } = yield* createSignInAccount()
      const address = somewhere()
      const outcomes = yield* Effect.all(
        Array.from({ length: 20 }, () => wrong(email, address)),
        { concurrency: 20 }
      )
      assert.lengthOf(
        outcomes.filter((each) => each === "WrongPassword"),
        SIGN_IN_FAILURES_MAX
      )
      assert.lengthOf(
        outcomes.filter((each) => each === "wait 1"),
        20 - SIGN_IN_FAILURES_MAX
      )
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ failures: number }>`
        SELECT failures FROM sign_in_failures WHERE email_digest = '' AND place = ${networkOf(address)}`
      assert.strictEqual(row?.failures, SIGN_IN_FAILURES_MAX)
    })
  )

  test(
    "beside who signs in, many at once, has nobody wait in a circle",
    Effect.gen(function* () {
      const { email } = yield* createSignInAccount()
      const address = somewhere()
      const exits = yield* Effect.all(
        Array.from({ length: 24 }, (_, at) =>
          Effect.exit(at % 2 === 0 ? wrong(email, address) : outcomeOf(signIn({ email, address })))
        ),
        { concurrency: 24 }
      )
      assert.isTrue(exits.every(Exit.isSuccess))
    })
  )

  test(
    "with what is no e-mail address and no password is a wrong password like any other",
    Effect.gen(function* () {
      const { email, operatorId } = yield* createSignInAccount()
      yield* insertAccount(operatorId, "sub", "Sub")
      for (const [name, password] of [
        ["", ""],
        [email, ""],
        [email, "x".repeat(50_000)],
        ["x".repeat(50_000), PASSWORD],
        ["' OR 1=1 --", "' OR 1=1 --"],
        ["\ud800@example.test", "\ud800"],
        ["\u0000@example.test", "\u0000"]
      ] as const) {
        const trying = outcomeOf(signIn({ email: name, address: somewhere(), password }))
        assert.strictEqual(yield* trying, "WrongPassword", name.slice(0, 40))
      }
    })
  )

  test(
    `with more than ${2 * PASSWORD_MAX} characters is wrong, whatever is kept`,
    Effect.gen(function* () {
      const { email, accountId } = yield* createSignInAccount()
      const sql = yield* SqlClient.SqlClient
      const kept = Effect.fnUntraced(function* (password: string, given: string) {
        const hash = yield* withCheapHashing(hashPassword(password))
        yield* sql`UPDATE accounts SET password_hash = ${hash} WHERE id = ${accountId}`
        return yield* outcomeOf(signIn({ email, address: somewhere(), password: given }))
      })
      const [longest, longer] = ["x".repeat(2 * PASSWORD_MAX), "x".repeat(2 * PASSWORD_MAX + 1)]
      assert.strictEqual(yield* kept(longest, longest), "in")
      assert.strictEqual(yield* kept(longer, longer), "WrongPassword")
      assert.strictEqual(yield* kept("", longer), "WrongPassword")
    })
  )
})

/** What happens just after a password was looked at. */
let afterwards: Effect.Effect<void> = Effect.void
const layerInterfering = Layer.succeed(HashingLimiter, {
  withPermit: (_place, work) => Effect.tap(work, () => Effect.suspend(() => afterwards))
})

layer(layerSessionsOver(layerTestDatabase, layerInterfering), { excludeTestServices: false })(
  "a password that is replaced just after it was looked at",
  (it) => {
    it.effect("makes no session, confirms none, and changes nothing", () =>
      Effect.gen(function* () {
        const { email, accountId } = yield* createSignInAccount()
        const passwords = yield* Passwords
        const cookie = yield* signIn({ email, address: somewhere() })
        const sql = yield* SqlClient.SqlClient
        const interfering = <A, E, R>(by: Effect.Effect<unknown>, work: Effect.Effect<A, E, R>) =>
          Effect.suspend(() => {
            afterwards = Effect.asVoid(by)
            return Effect.ensuring(
              work,
              Effect.sync(() => {
                afterwards = Effect.void
              })
            )
          })
        const byCommand = (password: string) =>
          passwords.change({ account_id: accountId, password }).pipe(asSystemActor, withCheapHashing, Effect.orDie)
        const behind = Effect.orDie(
          sql`UPDATE accounts SET password_hash = password_hash || 'x' WHERE id = ${accountId}`
        )
        const back = sql`UPDATE accounts SET password_hash = rtrim(password_hash, 'x') WHERE id = ${accountId}`

        assert.strictEqual(yield* interfering(behind, outcomeOf(confirm(cookie))), "WrongPassword")
        yield* back
        // Another form of the session has changed it, of which the session alone is seen yet.
        const session = Effect.orDie(
          sql`UPDATE console_sessions SET password_digest = sha256(password_digest) WHERE account_id = ${accountId}`
        )
        const elsewhere = yield* signIn({ email, address: somewhere() })
        assert.strictEqual(yield* interfering(session, outcomeOf(confirm(elsewhere))), "WrongPassword")
        assert.strictEqual(
          yield* interfering(byCommand("another password"), outcomeOf(signIn({ email, address: somewhere() }))),
          "WrongPassword"
        )
        const second = yield* signIn({ email, address: somewhere(), password: "another password" })
        assert.strictEqual(
          yield* interfering(byCommand("a third password"), outcomeOf(confirm(second, "another password"))),
          "WrongPassword"
        )
        const third = yield* signIn({ email, address: somewhere(), password: "a third password" })
        const confirmed = yield* confirm(third, "a third password")
        const refused = yield* interfering(
          byCommand("rescued password"),
          Effect.flip(changeOwn(confirmed, "of the thief"))
        )
        assert.strictEqual(refused._tag, "Conflict")
        assert.strictEqual(
          yield* outcomeOf(signIn({ email, address: somewhere(), password: "rescued password" })),
          "in"
        )
      })
    )
  }
)

/** No password can be hashed at this cost: who is hashed for dies of it. */
const IMPOSSIBLE: PasswordCost = { N: 3, r: 8, p: 1 }

layer(layerSessionsOver(layerTestDatabase), { excludeTestServices: false })("guessing", (it) => {
  it.effect("costs for who has no account what it costs for who has one", () =>
    Effect.gen(function* () {
      const { email } = yield* createSignInAccount()
      const tried = (name: string) =>
        Sessions.use((sessions) => sessions.signIn({ email: name, password: "wrong", address: somewhere() })).pipe(
          asSystemActor,
          Effect.provideService(PasswordCost, IMPOSSIBLE),
          Effect.exit
        )
      // A stored hash has its own cost; for nobody the same work is done at the cost of new ones.
      assert.isFalse(Exit.hasDies(yield* tried(email)))
      assert.isTrue(Exit.hasDies(yield* tried(`nobody-${randomBytes(6).toString("hex")}@example.test`)))
    })
  )
})

const layerFull = Layer.succeed(HashingLimiter, { withPermit: () => Effect.fail({ _tag: "Busy" }) })

layer(layerSessionsOver(layerTestDatabase, layerFull), { excludeTestServices: false })(
  "a process that is full",
  (it) => {
    it.effect("says so, and counts no try", () =>
      Effect.gen(function* () {
        const { email, accountId } = yield* createSignInAccount()
        const address = somewhere()
        for (let come = 0; come <= SIGN_IN_FAILURES_MAX; come += 1)
          assert.strictEqual(yield* wrong(email, address), "Busy")
        const sql = yield* SqlClient.SqlClient
        assert.lengthOf(yield* sql`SELECT FROM sign_in_failures WHERE place = ${networkOf(address)}`, 0)
        // A new password is hashed where there is room for it, too.
        assert.strictEqual(
          (yield* Effect.flip(changeOwn(toPasswordConfirmation("a cookie", accountId), "another password")))._tag,
          "Busy"
        )
      })
    )
  }
)

layer(layerSessionsOver(layerOwnDatabase), { excludeTestServices: false })("what is kept of sessions", (it) => {
  it.effect("is removed once it is over or forgotten, and nothing else", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(START)
      const { email } = yield* createSignInAccount()
      const address = somewhere()
      yield* signIn({ email, address })
      yield* wrong(email, address)
      const sql = yield* SqlClient.SqlClient
      const count = Effect.all([
        sql`SELECT FROM console_sessions`,
        sql`SELECT FROM sign_in_failures`,
        sql`SELECT FROM known_browsers`
      ]).pipe(Effect.map((rows) => rows.map(({ length }) => length)))
      const retained = (at: number) => Effect.andThen(applySessionRetention(new Date(START + at)), count)
      assert.deepStrictEqual(yield* retained(SIGN_IN_FAILURE_RESET_MS - 1), [1, 2, 1])
      assert.deepStrictEqual(yield* retained(SIGN_IN_FAILURE_RESET_MS), [1, 0, 1])
      assert.deepStrictEqual(yield* retained(SESSION_LIFETIME_MS - 1), [1, 0, 1])
      assert.deepStrictEqual(yield* retained(SESSION_LIFETIME_MS), [0, 0, 1])
      assert.deepStrictEqual(yield* retained(KNOWN_BROWSER_MS), [0, 0, 0])
    })
  )
})

/** In these tests by the name of the place. */
const isKnown = (place: string): boolean => place.startsWith("known")

/** How many of so many who come at once find room, each in a place as named. */
const finding = Effect.fnUntraced(function* (places: ReadonlyArray<string>) {
  const { withPermit: within } = yield* HashingLimiter
  const turnedAway: Array<string> = []
  const come = yield* Effect.forEach(places, (place) =>
    Effect.forkChild(
      Effect.catch(within({ key: place, isKnown: isKnown(place) }, Effect.never), () =>
        Effect.sync(() => turnedAway.push(place))
      ),
      { startImmediately: true }
    )
  )
  return { turnedAway, leave: Effect.forEach(come, Fiber.interrupt) }
})

const many = (length: number, name: (at: number) => string) => Array.from({ length }, (_, at) => name(at))

layer(HashingLimiter.layer)("room for passwords", (it) => {
  it.effect("is for a few of one place, and for others all the same", () =>
    Effect.gen(function* () {
      const full = yield* finding([...many(NETWORK_HASHES_MAX, () => "greedy"), "quiet"])
      assert.deepStrictEqual(full.turnedAway, [])
      const more = yield* finding(["greedy", "quiet"])
      assert.deepStrictEqual(more.turnedAway, ["greedy"])
      yield* Effect.andThen(full.leave, more.leave)
      const again = yield* finding(many(NETWORK_HASHES_MAX, () => "greedy"))
      assert.deepStrictEqual(again.turnedAway, [])
      yield* again.leave
    })
  )

  it.effect("is for so many in all, each of them in turn", () =>
    Effect.gen(function* () {
      const room = ANONYMOUS_HASHES_MAX + QUEUED_HASHES_MAX
      const full = yield* finding(many(room, (at) => `place ${at}`))
      assert.deepStrictEqual(full.turnedAway, [])
      const more = yield* finding(["one more"])
      assert.deepStrictEqual(more.turnedAway, ["one more"])
      // Whom strangers cannot turn away.
      const known = yield* finding(many(KNOWN_BROWSER_HASHES_MAX + QUEUED_HASHES_MAX, (at) => `known ${at}`))
      assert.deepStrictEqual(known.turnedAway, [])
      assert.deepStrictEqual((yield* finding(["known too many"])).turnedAway, ["known too many"])
      yield* Effect.andThen(full.leave, known.leave)
      const { withPermit: within } = yield* HashingLimiter
      let [now, most] = [0, 0]
      const work = Effect.gen(function* () {
        now += 1
        most = Math.max(most, now)
        yield* Effect.yieldNow
        now -= 1
      })
      yield* Effect.all(
        many(room, (at) => `place ${at}`).map((place) => within({ key: place, isKnown: false }, work)),
        { concurrency: room }
      )
      assert.deepStrictEqual([now, most], [0, ANONYMOUS_HASHES_MAX])
    })
  )
})
