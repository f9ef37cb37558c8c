import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { RateWindows } from "../../../src/admission/windows/RateWindows.ts"
import { PasswordCost } from "../../../src/domain/access/operators/password.ts"
import {
  RESET_LINK_MS,
  RESET_MAILS_PER_LINK_LIFETIME,
  RESET_REQUESTS_OF_NETWORK_AN_HOUR
} from "../../../src/platform/limits.ts"
import { TEXTS } from "../../../src/transports/console/console-texts.ts"
import { callAsPerson } from "../../support/console-caller.ts"
import {
  CHEAP_PASSWORD_COST,
  createSignInAccount,
  PASSWORD
} from "../../support/domain/access/sign-in/sign-in-accounts.ts"
import {
  emptyNotificationTables,
  findLinkToken,
  insertSubAccount,
  layerNotificationServiceWith,
  mailAllDue,
  mailsTo
} from "../../support/domain/notifications/notification-service.ts"
import { layerHttpServerOf } from "../../support/http-server.ts"
import { findAlert, findFormToken, newFormBrowser } from "../../support/transports/console/form-browser.ts"

// Attacks on mailed links, through the console's own pages.

const NEW_PASSWORD = "a much better horse"
const RESET = "/console/reset"
const VERIFY = "/console/verify"
const UNUSABLE = { status: 404, alert: TEXTS.reset.unusableLink }

const layerConsole = layerHttpServerOf(layerNotificationServiceWith(RateWindows.layerMemory), {
  trustProxy: true
}).pipe(Layer.provideMerge(Layer.succeed(PasswordCost, CHEAP_PASSWORD_COST)))

type FormBrowser = Effect.Success<typeof newFormBrowser>

let day = Date.parse("2027-06-01T10:00:00Z")

/** Each test has a day of its own, so that its requests are not counted with those of another test. */
const begin = Effect.gen(function* () {
  day += 24 * 60 * 60 * 1000
  yield* TestClock.setTime(day)
  yield* emptyNotificationTables
  const sql = yield* SqlClient.SqlClient
  return { sql, host: yield* createSignInAccount(), browser: yield* newFormBrowser }
})

const requestReset = (browser: FormBrowser, email: string) =>
  browser.fillAndSend(RESET, { act: "request_reset", email })

const latestToken = (email: string) => Effect.map(mailsTo(email), (mails) => findLinkToken(mails.at(-1)?.text ?? ""))

const startReset = Effect.gen(function* () {
  const test = yield* begin
  yield* requestReset(test.browser, test.host.email)
  yield* mailAllDue
  return { ...test, token: yield* latestToken(test.host.email) }
})

/** Sends the form of a reset link, even if the link shows none. */
const submitReset = Effect.fnUntraced(function* (browser: FormBrowser, token: string) {
  const fields = { act: "reset_password", token, new_password: NEW_PASSWORD, again: NEW_PASSWORD }
  const { status, headers, text } = yield* browser.fillAndSend(RESET, fields)
  return { status, location: headers.get("location"), alert: findAlert(text) }
})

/** The link works neither when it is opened nor when its form is sent, and the password stays. */
const assertUnusable = Effect.fnUntraced(function* (token: string, email: string) {
  const sql = yield* SqlClient.SqlClient
  const loadPasswordHash = sql`SELECT password_hash FROM accounts WHERE email = ${email}`
  const passwordHash = yield* loadPasswordHash
  const browser = yield* newFormBrowser
  const opened = yield* browser.request(`${RESET}?token=${token}`)
  assert.deepStrictEqual({ status: opened.status, alert: findAlert(opened.text) }, UNUSABLE)
  assert.notInclude(opened.text, email)
  assert.deepInclude(yield* submitReset(browser, token), UNUSABLE)
  assert.lengthOf(passwordHash, 1)
  assert.deepStrictEqual(yield* loadPasswordHash, passwordHash)
})

const canSignIn = Effect.fnUntraced(function* (email: string, password: string) {
  const browser = yield* newFormBrowser
  return (yield* browser.signIn(email, password)).status === 303
})

const assertReset = Effect.fnUntraced(function* (token: string, email: string) {
  const browser = yield* newFormBrowser
  assert.strictEqual((yield* browser.request(`${RESET}?token=${token}`)).status, 200)
  const { status, location } = yield* submitReset(browser, token)
  assert.deepStrictEqual([status, location], [303, "/console?done=password_reset"])
  assert.isTrue(yield* canSignIn(email, NEW_PASSWORD))
  assert.isFalse(yield* canSignIn(email, PASSWORD))
})

layer(layerConsole, { excludeTestServices: false })("a link to reset the password", (it) => {
  it.effect("works until the last second of its 30 minutes, once", () =>
    Effect.gen(function* () {
      const { host, token } = yield* startReset
      yield* TestClock.adjust(RESET_LINK_MS - 1_000)
      yield* assertReset(token, host.email)
      yield* assertUnusable(token, host.email)
      const late = yield* startReset
      yield* TestClock.adjust(RESET_LINK_MS + 1_000)
      yield* assertUnusable(late.token, late.host.email)
      assert.isTrue(yield* canSignIn(late.host.email, PASSWORD))
    })
  )

  it.effect("does not work after its account was disabled or its operator closed, and no other is mailed then", () =>
    Effect.gen(function* () {
      for (const end of ["disabled", "closed"] as const) {
        const { sql, host, token, browser } = yield* startReset
        yield* end === "disabled"
          ? sql`UPDATE accounts SET disabled_at = now() WHERE id = ${host.accountId}`
          : sql`UPDATE operators SET status = 'closed' WHERE id = ${host.operatorId}`
        yield* assertUnusable(token, host.email)
        yield* requestReset(browser, host.email)
        yield* mailAllDue
        assert.lengthOf(yield* mailsTo(host.email), 1, end)
      }
    })
  )

  it.effect("works for an account of a banned operator", () =>
    Effect.gen(function* () {
      const { sql, host, token } = yield* startReset
      yield* sql`UPDATE operators SET status = 'banned' WHERE id = ${host.operatorId}`
      const { status } = yield* submitReset(yield* newFormBrowser, token)
      assert.strictEqual(status, 303)
    })
  )

  it.effect("does not work after the account got another address, and changes nothing else", () =>
    Effect.gen(function* () {
      const { sql, host, token } = yield* startReset
      const email = `new-${host.email}`
      yield* sql`UPDATE accounts SET email = ${email} WHERE id = ${host.accountId}`
      yield* assertUnusable(token, email)
      assert.isTrue(yield* canSignIn(email, PASSWORD))
    })
  )

  it.effect("changes only the account to which it was mailed, whoever is signed in", () =>
    Effect.gen(function* () {
      const { host, token } = yield* startReset
      const other = yield* createSignInAccount()
      const browser = yield* newFormBrowser
      yield* browser.signIn(other.email, PASSWORD)
      assert.strictEqual((yield* submitReset(browser, token)).status, 303)
      assert.isTrue(yield* canSignIn(host.email, NEW_PASSWORD))
      assert.isTrue(yield* canSignIn(other.email, PASSWORD))
      assert.isFalse(yield* canSignIn(other.email, NEW_PASSWORD))
    })
  )

  it.effect("ends all sessions of the account, and no others", () =>
    Effect.gen(function* () {
      const { host, token } = yield* startReset
      const other = yield* createSignInAccount()
      const [first, second, ofOther] = [yield* newFormBrowser, yield* newFormBrowser, yield* newFormBrowser]
      for (const browser of [first, second]) yield* browser.signIn(host.email, PASSWORD)
      yield* ofOther.signIn(other.email, PASSWORD)
      const statuses = Effect.forEach([first, second, ofOther], (browser) =>
        Effect.map(browser.request("/console/access"), ({ status }) => status)
      )
      assert.deepStrictEqual(yield* statuses, [200, 200, 200])
      // The reset from a signed-in browser ends that session too.
      yield* submitReset(first, token)
      assert.deepStrictEqual(yield* statuses, [303, 303, 200])
    })
  )
})

layer(layerConsole, { excludeTestServices: false })("a request to reset the password", (it) => {
  it.effect("has the same response for an address with an account and for one without", () =>
    Effect.gen(function* () {
      const { host, browser } = yield* begin
      const known = yield* requestReset(browser, host.email)
      const unknown = yield* requestReset(browser, "nobody@example.test")
      const empty = yield* requestReset(browser, "")
      assert.include(known.text, TEXTS.reset.requested)
      for (const other of [unknown, empty]) {
        assert.strictEqual(other.status, known.status)
        assert.strictEqual(other.text, known.text)
      }
      const names = (headers: Headers) => Array.from(headers.keys())
      assert.deepStrictEqual(names(unknown.headers), names(known.headers))
    })
  )

  it.effect("by strangers never leaves the owner without a link that works", () =>
    Effect.gen(function* () {
      const { host, browser } = yield* begin
      const stranger = yield* newFormBrowser
      for (let requests = 0; requests <= RESET_MAILS_PER_LINK_LIFETIME; requests++)
        yield* requestReset(stranger, host.email)
      yield* mailAllDue
      assert.lengthOf(yield* mailsTo(host.email), RESET_MAILS_PER_LINK_LIFETIME)
      yield* TestClock.adjust(RESET_LINK_MS - 1_000)
      yield* requestReset(browser, host.email)
      yield* mailAllDue
      assert.lengthOf(yield* mailsTo(host.email), RESET_MAILS_PER_LINK_LIFETIME)
      const links = Array.from(yield* mailsTo(host.email), ({ text }) => findLinkToken(text))
      for (const token of links) {
        assert.strictEqual((yield* browser.request(`${RESET}?token=${token}`)).status, 200)
      }
      yield* TestClock.adjust(1_000)
      for (const token of links) yield* assertUnusable(token, host.email)
      yield* requestReset(browser, host.email)
      yield* mailAllDue
      yield* assertReset(yield* latestToken(host.email), host.email)
    })
  )

  it.effect(
    "sends nothing beyond the limit of a network, with the same page, and other networks are not affected",
    () =>
      Effect.gen(function* () {
        const { host, browser } = yield* begin
        const stranger = yield* newFormBrowser
        for (let requests = 0; requests < RESET_REQUESTS_OF_NETWORK_AN_HOUR; requests++)
          yield* requestReset(stranger, `nobody-${requests}@example.test`)
        const page = yield* requestReset(stranger, host.email)
        assert.include(page.text, TEXTS.reset.requested)
        yield* mailAllDue
        assert.lengthOf(yield* mailsTo(host.email), 0)
        yield* requestReset(browser, host.email)
        yield* mailAllDue
        assert.lengthOf(yield* mailsTo(host.email), 1)
      })
  )
})

layer(layerConsole, { excludeTestServices: false })("a link to confirm an address", (it) => {
  /** Sends the form of the link, even if the link shows none. The form token of every page of a browser is the same. */
  const confirm = Effect.fnUntraced(function* (browser: FormBrowser, token: string) {
    const form_token = findFormToken((yield* browser.request(RESET)).text)
    return yield* browser.postForm(VERIFY, { form_token, act: "verify_email", token })
  })

  const startVerification = Effect.gen(function* () {
    const test = yield* begin
    assert.deepInclude(yield* callAsPerson(test.host, "request_email_verification"), { error_code: 0 })
    yield* mailAllDue
    const verified = Effect.orDie(test.sql<{ account_id: number; verified_email: string }>`
      SELECT account_id, verified_email FROM notification_recipients
      WHERE operator_id = ${test.host.operatorId} AND verified_email IS NOT NULL`)
    return { ...test, token: yield* latestToken(test.host.email), verified }
  })

  it.effect("that another account opens confirms only the address to which it was mailed", () =>
    Effect.gen(function* () {
      const { sql, host, token, verified } = yield* startVerification
      const subAccount = yield* insertSubAccount(host.operatorId)
      yield* sql`
        UPDATE accounts SET password_hash = (SELECT password_hash FROM accounts WHERE id = ${host.accountId})
        WHERE id = ${subAccount.accountId}`
      const browser = yield* newFormBrowser
      assert.strictEqual((yield* browser.signIn(subAccount.email, PASSWORD)).status, 303)
      assert.strictEqual((yield* confirm(browser, token)).status, 303)
      assert.deepStrictEqual(yield* verified, [{ account_id: host.accountId, verified_email: host.email }])
      assert.strictEqual((yield* confirm(browser, token)).status, 404)
    })
  )

  it.effect("does not work for a changed address, a disabled account, or as a link to reset the password", () =>
    Effect.gen(function* () {
      const changed = yield* startVerification
      yield* assertUnusable(changed.token, changed.host.email)
      yield* changed.sql`UPDATE accounts SET email = ${`new-${changed.host.email}`} WHERE id = ${changed.host.accountId}`
      assert.strictEqual((yield* confirm(changed.browser, changed.token)).status, 404)
      const disabled = yield* startVerification
      yield* disabled.sql`UPDATE accounts SET disabled_at = now() WHERE id = ${disabled.host.accountId}`
      assert.strictEqual((yield* confirm(disabled.browser, disabled.token)).status, 404)
      assert.deepStrictEqual([yield* changed.verified, yield* disabled.verified], [[], []])
    })
  )
})
