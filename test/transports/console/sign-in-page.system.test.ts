import { randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { FailedCallCounter } from "../../../src/changes/FailedCallCounter.ts"
import { PasswordCost } from "../../../src/domain/access/operators/password.ts"
import { newSessionCookie } from "../../../src/domain/access/sign-in/cookies.ts"
import {
  CONSOLE_FORM_BYTES,
  CONSOLE_REQUESTS_A_MINUTE,
  HOST_FORM_BYTES,
  SIGN_IN_FAILURES_MAX
} from "../../../src/platform/limits.ts"
import { TEXTS } from "../../../src/transports/console/console-texts.ts"
import { STYLE_PATH } from "../../../src/transports/console/style/style.ts"
import {
  CHEAP_PASSWORD_COST,
  createSignInAccount,
  PASSWORD
} from "../../support/domain/access/sign-in/sign-in-accounts.ts"
import { layerService } from "../../support/harness.ts"
import { BaseUrl, layerHttpServer, layerHttpServerOf } from "../../support/http-server.ts"
import { layerTestDatabase } from "../../support/test-database.ts"
import {
  type BrowserResponse,
  findAlert,
  findFirstParagraph,
  findFormToken,
  findHiddenFields,
  findTitle,
  newFormBrowser
} from "../../support/transports/console/form-browser.ts"

const cheap = Layer.succeed(PasswordCost, CHEAP_PASSWORD_COST)
const layerDoor = Layer.provideMerge(layerHttpServer({ trustProxy: true }), cheap)

let hour = Date.parse("2027-03-01T00:00:00Z")

/** An hour for each test, so that what one asks for is not counted with another's; and an address of its own. */
const readyAt = Effect.fnUntraced(function* (cost: PasswordCost) {
  hour += 60 * 60 * 1000
  yield* TestClock.setTime(hour)
  const host = yield* createSignInAccount(undefined, cost)
  return { ...host, browser: yield* newFormBrowser, sql: yield* SqlClient.SqlClient, base: yield* BaseUrl }
})
const ready = readyAt(CHEAP_PASSWORD_COST)

const somewhere = () => `2001:db8:${randomBytes(2).toString("hex")}:${randomBytes(2).toString("hex")}::1`
const from = (address: string) => ({ "x-forwarded-for": `evil, ${address}` })

layer(layerDoor, { excludeTestServices: false })("signing in", (it) => {
  it.effect("gives a cookie that no script and no other site gets, and leads to the console", () =>
    Effect.gen(function* () {
      const { browser, email } = yield* ready
      const first = yield* browser.request("/console")
      assert.strictEqual(first.status, 200)
      const before = browser.cookies.get("latchkey")
      const response = yield* browser.signIn(email, PASSWORD)
      assert.deepStrictEqual([response.status, response.headers.get("location")], [303, "/console/calendar"])
      const after = browser.cookies.get("latchkey")
      assert.notStrictEqual(after, before)
      const lines = browser.setCookieLines.filter((line) => line.startsWith("latchkey="))
      assert.lengthOf(lines, 2)
      for (const line of lines) {
        assert.deepStrictEqual(line.split("; ").slice(1).toSorted(), ["HttpOnly", "Path=/", "SameSite=Lax", "Secure"])
      }
      const known = browser.setCookieLines.find((line) => line.startsWith("latchkey_known="))
      assert.match(known ?? "", /; Max-Age=31536000;.*HttpOnly; Secure; SameSite=Lax/)
      const shown = yield* browser.request("/console/access")
      assert.strictEqual(shown.status, 200)
      assert.include(shown.text, email)
      assert.strictEqual((yield* browser.request("/console")).headers.get("location"), "/console/calendar")
    })
  )

  it.effect("takes no session that somebody else has put into the browser, and ends the one before", () =>
    Effect.gen(function* () {
      const { browser, email } = yield* ready
      const attacker = yield* newFormBrowser
      const planted = newSessionCookie()
      for (const each of [browser, attacker]) each.cookies.set("latchkey", planted)
      yield* browser.signIn(email, PASSWORD)
      assert.notStrictEqual(browser.cookies.get("latchkey"), planted)
      assert.strictEqual((yield* attacker.request("/console/access")).status, 303)
      const first = browser.cookies.get("latchkey") ?? ""
      // The form of who is signed in already, in another tab.
      yield* browser.postForm("/console", {
        ...{ act: "sign_in", email, password: PASSWORD },
        form_token: findFormToken((yield* browser.request("/console/access")).text)
      })
      attacker.cookies.set("latchkey", first)
      assert.strictEqual((yield* attacker.request("/console/access")).status, 303)
      assert.strictEqual((yield* browser.request("/console/access")).status, 200)
    })
  )

  it.effect("ends on the server when signing out", () =>
    Effect.gen(function* () {
      const { browser, email } = yield* ready
      yield* browser.signIn(email, PASSWORD)
      const session = browser.cookies.get("latchkey") ?? ""
      const known = browser.cookies.get("latchkey_known")
      const form_token = findFormToken((yield* browser.request("/console/access")).text)
      const out = yield* browser.postForm("/console", { act: "sign_out", form_token })
      assert.deepStrictEqual([out.status, out.headers.get("location")], [303, "/console"])
      assert.notStrictEqual(browser.cookies.get("latchkey"), session)
      assert.strictEqual(browser.cookies.get("latchkey_known"), known)
      browser.cookies.set("latchkey", session)
      const away = yield* browser.request("/console/access?tokens=3")
      assert.deepStrictEqual(
        [away.status, away.headers.get("location")],
        [303, "/console?next=%2Fconsole%2Faccess%3Ftokens%3D3"]
      )
    })
  )

  it.effect("leads back to where it came from, and nowhere else", () =>
    Effect.gen(function* () {
      const { browser, email } = yield* ready
      const target = "/authorization?client_id=x&state=a%20b%2B%26%25"
      const sent = yield* browser.signIn(email, PASSWORD, `/console?${new URLSearchParams({ next: target })}`)
      assert.strictEqual(sent.headers.get("location"), target)
      for (const evil of [
        "//evil.example",
        "/\\evil.example",
        "https://evil.example",
        "/console/../..//evil.example"
      ]) {
        const fresh = yield* newFormBrowser
        const asked = yield* fresh.request(`/console?${new URLSearchParams({ next: evil })}`)
        assert.deepStrictEqual(Object.fromEntries(findHiddenFields(asked.text))["next"], "/console/calendar")
        const fields = { act: "sign_in", email, password: PASSWORD, next: evil }
        const { headers } = yield* fresh.fillAndSend("/console", fields)
        assert.strictEqual(headers.get("location"), "/console/calendar", evil)
        // Who is signed in is led on at once, and there too.
        const on = yield* fresh.request(`/console?${new URLSearchParams({ next: evil })}`)
        assert.strictEqual(on.headers.get("location"), "/console/calendar", evil)
      }
    })
  )

  it.effect(
    "says the same of a wrong password and of no account, shows what was typed as text, and keeps no password",
    () =>
      Effect.gen(function* () {
        const { browser, email } = yield* ready
        const refused = Effect.fnUntraced(function* (name: string) {
          const { status, headers, text } = yield* browser.signIn(name, "wr<b>ong")
          assert.notInclude(text, "wr<b>ong")
          assert.notInclude(text, "wr&lt;")
          assert.strictEqual(
            headers.get("www-authenticate"),
            'Cookie realm="Latchkey", form-action="/console", cookie-name="latchkey"'
          )
          return [status, findAlert(text)]
        })
        const wrong = [401, TEXTS.signIn.wrongCredentials]
        assert.deepStrictEqual(yield* refused(email), wrong)
        assert.deepStrictEqual(yield* refused(`nobody-${email}`), wrong)
        const { text } = yield* browser.signIn(`"><script>alert('x')</script>@x`, "no")
        assert.include(text, 'value="&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;@x"')
        assert.notInclude(text, "<script")
      })
  )

  it.effect("has to be waited for after the fifth failure, and says how long; elsewhere it has not", () =>
    Effect.gen(function* () {
      const { browser, email } = yield* ready
      const near = somewhere()
      const attempt = (password: string, address: string) =>
        browser.fillAndSend("/console", { act: "sign_in", email, password }, from(address))
      for (let failed = 0; failed < SIGN_IN_FAILURES_MAX; failed += 1) {
        assert.strictEqual((yield* attempt("wrong", near)).status, 401)
      }
      const waiting = yield* attempt(PASSWORD, near)
      assert.deepStrictEqual([waiting.status, waiting.headers.get("retry-after")], [429, "1"])
      assert.strictEqual(findAlert(waiting.text), TEXTS.signIn.tooManyAttempts(1))
      assert.strictEqual((yield* attempt(PASSWORD, somewhere())).status, 303)
    })
  )
})

layer(layerDoor, { excludeTestServices: false })("the door of the console", (it) => {
  it.effect("takes no form without its token, or from another site, whatever the form", () =>
    Effect.gen(function* () {
      const { browser, email, base } = yield* ready
      yield* browser.signIn(email, PASSWORD)
      const form_token = findFormToken((yield* browser.request("/console/password")).text)
      const other = yield* newFormBrowser
      const others = findFormToken((yield* other.request("/console")).text)
      const change = {
        act: "change_password",
        password: PASSWORD,
        new_password: "stolen password",
        again: "stolen password"
      }
      const forms = [
        ["/console", { act: "sign_in", email, password: PASSWORD }],
        ["/console", { act: "sign_out" }],
        ["/console", { act: "nothing" }],
        ["/console/password", change],
        ["/console/access", { act: "whatever" }]
      ] as const
      for (const [path, fields] of forms) {
        const refused = (more: Record<string, string>, headers: Record<string, string> = {}) =>
          Effect.map(browser.postForm(path, { ...fields, ...more }, headers), ({ status }) => status)
        assert.strictEqual(yield* refused({}), 403)
        assert.strictEqual(yield* refused({ form_token: "" }), 403)
        assert.strictEqual(yield* refused({ form_token: others }), 403)
        for (const headers of [
          { origin: "https://evil.example" },
          { origin: "null" },
          { origin: `${base}.evil.example` },
          { origin: base, "sec-fetch-site": "cross-site" },
          { origin: base, "sec-fetch-site": "same-site" }
        ]) {
          assert.strictEqual(yield* refused({ form_token }, headers), 403, JSON.stringify(headers))
        }
      }
      assert.strictEqual((yield* browser.request("/console/access")).status, 200)
      const own = { origin: base, "sec-fetch-site": "same-origin" }
      assert.strictEqual((yield* browser.postForm("/console/password", { ...change, form_token }, own)).status, 303)
    })
  )

  it.effect("says of a form that is not taken how to come to one that is", () =>
    Effect.gen(function* () {
      const { browser, email } = yield* ready
      yield* browser.signIn(email, PASSWORD)
      const { text } = yield* browser.request("/console/password")
      const change = {
        act: "change_password",
        password: PASSWORD,
        new_password: "another password",
        again: "another password"
      }
      const refused = Effect.fnUntraced(function* (from: typeof browser, path: string, headers = {}) {
        const form = { ...change, form_token: findFormToken(text) }
        const shown = yield* from.postForm(path, form, headers)
        assert.deepStrictEqual([shown.status, findTitle(shown.text)], [403, "Not done · Latchkey"])
        const [, href = "", words] = /<p><a href="([^"]*)">([^<]*)</.exec(shown.text) ?? []
        assert.strictEqual(words, TEXTS.requestErrors.openPageAgain)
        return { href, words: findFirstParagraph(shown.text) }
      })
      const elsewhere = yield* refused(browser, "/console/password", { origin: "https://evil.example" })
      assert.deepStrictEqual(elsewhere, { href: "/console/password", words: TEXTS.requestErrors.crossSiteForm })
      const strange = yield* refused(yield* newFormBrowser, "/authorization?state=%22%3E%3Cb%3E&amp")
      assert.deepStrictEqual(strange, {
        href: "/authorization?state=%22%3E%3Cb%3E&amp;amp",
        words: TEXTS.requestErrors.noCookie
      })
      assert.strictEqual(
        (yield* refused(yield* newFormBrowser, "/console", { origin: "https://evil.example" })).words,
        TEXTS.requestErrors.crossSiteForm
      )

      // Signed out in another tab: the link leads to signing in, and from there back.
      yield* browser.postForm("/console", { act: "sign_out", form_token: findFormToken(text) })
      const over = yield* refused(browser, "/console/password")
      assert.deepStrictEqual(over, { href: "/console/password", words: TEXTS.requestErrors.formOfEarlierVisit })
      const led = yield* browser.request(over.href)
      assert.deepStrictEqual([led.status, led.headers.get("location")], [303, "/console?next=%2Fconsole%2Fpassword"])
    })
  )

  it.effect("says in a page's title that it was not done, or is not there", () =>
    Effect.gen(function* () {
      const { browser, email } = yield* ready
      const title = (shown: Effect.Effect<BrowserResponse>) => Effect.map(shown, ({ text }) => findTitle(text))
      assert.strictEqual(yield* title(browser.request("/console")), "Sign in · Latchkey")
      assert.strictEqual(yield* title(browser.signIn(email, "wrong")), "Not done · Sign in · Latchkey")
      assert.strictEqual(yield* title(browser.request("/console/nothing")), "Not found · Latchkey")
      yield* browser.signIn(email, PASSWORD)
      const wrong = { act: "change_password", password: "wrong", new_password: "x", again: "x" }
      assert.strictEqual(
        yield* title(browser.fillAndSend("/console/password", wrong)),
        "Not done · Change password · Latchkey"
      )
    })
  )

  it.effect("leads on who types a slash too many", () =>
    Effect.gen(function* () {
      const { browser } = yield* ready
      for (const query of ["", "?next=%2Fconsole%2Fpassword"]) {
        const { status, headers } = yield* browser.request(`/console/${query}`)
        assert.deepStrictEqual([status, headers.get("location")], [308, `/console${query}`])
      }
      for (const path of ["/console//evil.example", "/console/access/"]) {
        assert.strictEqual((yield* browser.request(path)).status, 404)
      }
    })
  )

  it.effect("tells the truth by its statuses", () =>
    Effect.gen(function* () {
      const { browser, email, base } = yield* ready
      yield* browser.signIn(email, PASSWORD)
      const form_token = findFormToken((yield* browser.request("/console/access")).text)
      const statusOf = (path: string, init?: RequestInit) =>
        Effect.map(browser.request(path, init), ({ status }) => status)
      assert.strictEqual(yield* statusOf("/console/nothing"), 404)
      assert.strictEqual(yield* statusOf("/console/nothing", { method: "POST" }), 404)
      for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS"]) {
        const { status, headers } = yield* browser.request("/console/access", { method })
        assert.deepStrictEqual([status, headers.get("allow")], [405, "GET, HEAD, POST"], method)
      }
      const head = yield* browser.request("/console/access", { method: "HEAD" })
      assert.deepStrictEqual([head.status, head.text], [200, ""])
      assert.strictEqual(yield* statusOf("/console", { method: "POST", body: "{}" }), 415)
      const json = { "content-type": "application/json" }
      assert.strictEqual(yield* statusOf("/console", { method: "POST", body: "{}", headers: json }), 415)
      assert.strictEqual(yield* statusOf("/console", { method: "POST", body: new FormData() }), 415)
      const around = new URLSearchParams({ form_token, act: "nothing", x: "" }).toString().length
      const sized = (bytes: number) =>
        Effect.map(
          browser.postForm("/console", { form_token, act: "nothing", x: "x".repeat(bytes - around) }),
          ({ status }) => status
        )
      assert.strictEqual(yield* sized(HOST_FORM_BYTES), 400)
      assert.strictEqual(yield* sized(HOST_FORM_BYTES + 1), 413)
      const chunked = new ReadableStream({
        start: (controller) => {
          controller.enqueue(Buffer.from(`x=${"x".repeat(CONSOLE_FORM_BYTES)}`))
          controller.close()
        }
      })
      const headers = { "content-type": "application/x-www-form-urlencoded" }
      const streamed: RequestInit & { duplex: "half" } = { method: "POST", body: chunked, headers, duplex: "half" }
      assert.strictEqual(yield* statusOf("/console", streamed), 413)
      const style = yield* browser.request(STYLE_PATH)
      assert.deepStrictEqual(
        [style.status, style.headers.get("content-type"), style.headers.get("cache-control")],
        [200, "text/css; charset=utf-8", "public, max-age=31536000, immutable"]
      )
      assert.include(base, "127.0.0.1")
    })
  )

  it.effect("sends what keeps each page from being framed, kept, or made to run anything", () =>
    Effect.gen(function* () {
      const { browser, email } = yield* ready
      const out = yield* browser.request("/console")
      yield* browser.signIn(email, PASSWORD)
      const shown = [
        out,
        yield* browser.request("/console/access"),
        yield* browser.request("/console/password"),
        yield* browser.request("/console/nothing"),
        yield* browser.postForm("/console", {})
      ]
      for (const { headers, text } of shown) {
        assert.strictEqual(
          headers.get("content-security-policy"),
          "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        )
        assert.deepInclude(Object.fromEntries(headers), {
          "cache-control": "no-store",
          vary: "Cookie",
          "x-frame-options": "DENY",
          "x-content-type-options": "nosniff",
          "cross-origin-opener-policy": "same-origin"
        })
        assert.notMatch(text, /<script|<style|\sstyle=|\son\w+=|(?:src|href|action)="(?:https?:|\/\/)/)
      }
    })
  )

  it.effect("answers so many requests of one address in a minute, and others all the same", () =>
    Effect.gen(function* () {
      const { browser } = yield* ready
      const status = (address: string) =>
        Effect.map(browser.request("/console/nothing", { headers: from(address) }), (response) => response)
      const statuses = yield* Effect.forEach(
        Array.from({ length: CONSOLE_REQUESTS_A_MINUTE }),
        () => Effect.map(status("2001:db8:7::1"), (response) => response.status),
        { concurrency: 20 }
      )
      assert.isTrue(statuses.every((each) => each === 404))
      const more = yield* status("2001:db8:7::2")
      assert.deepStrictEqual([more.status, more.headers.get("retry-after")], [429, "60"])
      assert.include(more.text, "<!doctype html>")
      assert.strictEqual((yield* status("2001:db8:7:1::1")).status, 404)
      yield* TestClock.adjust(60_000)
      assert.strictEqual((yield* status("2001:db8:7::1")).status, 404)
    })
  )

  it.effect("says in each page why nothing works, in the words of the API", () =>
    Effect.gen(function* () {
      const { browser, email, operatorId, sql } = yield* ready
      const noteIn = (text: string) => /role="note"><p><strong>([^<]*)<\/strong>/.exec(text)?.[1]
      yield* browser.signIn(email, PASSWORD)
      const note = Effect.map(browser.request("/console/password"), ({ text }) => noteIn(text))
      assert.isUndefined(yield* note)
      yield* sql`UPDATE operators SET edition = 'basic' WHERE id = ${operatorId}`
      assert.strictEqual(yield* note, "Basic edition does not support this feature.")
      yield* sql`UPDATE operators SET subscription_until = '2020-01-01' WHERE id = ${operatorId}`
      assert.strictEqual(yield* note, "Subscription expired.")
      yield* sql`UPDATE operators SET status = 'banned' WHERE id = ${operatorId}`
      assert.strictEqual(yield* note, "Account banned.")
      const fresh = yield* newFormBrowser
      assert.strictEqual((yield* fresh.signIn(email, PASSWORD)).status, 303)
      assert.strictEqual(noteIn((yield* fresh.request("/console/access")).text), "Account banned.")
      yield* sql`UPDATE operators SET status = 'closed' WHERE id = ${operatorId}`
      assert.strictEqual((yield* browser.request("/console/password")).status, 303)
      assert.strictEqual((yield* (yield* newFormBrowser).signIn(email, PASSWORD)).status, 401)
    })
  )

  it.effect("changes a password for who knows it, however lately it was given", () =>
    Effect.gen(function* () {
      const { browser, email, sql, accountId } = yield* ready
      yield* browser.signIn(email, PASSWORD)
      const elsewhere = yield* newFormBrowser
      yield* elsewhere.signIn(email, PASSWORD)
      const change = (password: string, new_password: string, again = new_password) =>
        Effect.map(
          browser.fillAndSend("/console/password", { act: "change_password", password, new_password, again }),
          ({ status, text }) => [status, findAlert(text)]
        )
      assert.deepStrictEqual(yield* change("wrong", "another password"), [401, TEXTS.sudo.wrongPassword])
      assert.deepStrictEqual(yield* change("", "another password"), [401, TEXTS.sudo.wrongPassword])
      assert.deepStrictEqual(yield* change(PASSWORD, "another password", "different password"), [
        422,
        TEXTS.password.passwordsDiffer
      ])
      for (const refused of ["x".repeat(11), "Password1234", email]) {
        const [status, alert] = yield* change(PASSWORD, refused)
        assert.strictEqual(status, 422, refused)
        assert.match(String(alert), /^password: /)
      }
      assert.strictEqual((yield* change(PASSWORD, ""))[0], 422)
      assert.strictEqual((yield* change(PASSWORD, "x".repeat(201)))[0], 422)
      assert.strictEqual((yield* elsewhere.request("/console/access")).status, 200)
      assert.deepStrictEqual(yield* change(PASSWORD, "another password"), [303, undefined])
      assert.include((yield* browser.request("/console/password?done=changed")).text, TEXTS.password.passwordChanged)
      assert.strictEqual((yield* elsewhere.request("/console/access")).status, 303)
      assert.strictEqual((yield* (yield* newFormBrowser).signIn(email, PASSWORD)).status, 401)
      assert.strictEqual((yield* (yield* newFormBrowser).signIn(email, "another password")).status, 303)
      const trail = yield* sql`
        SELECT account_id, application, operation FROM trail WHERE record = ${`account:${accountId}`} AND fields = '{password}'`
      assert.deepStrictEqual(
        trail.map((row) => ({ ...row })),
        [{ account_id: accountId, application: "console", operation: "change_password" }]
      )
    })
  )
})

const lines: Array<string> = []
const logger = Logger.make((entry) => void lines.push(Logger.formatJson.log(entry)))
const counted: Array<number | undefined> = []
const layerTelling = layerHttpServerOf(
  layerService(
    layerTestDatabase,
    undefined,
    undefined,
    undefined,
    Layer.succeed(FailedCallCounter, {
      recordCall: () => Effect.void,
      recordSignIn: (account) => Effect.sync(() => void counted.push(account?.accountId))
    })
  ),
  { trustProxy: true }
).pipe(Layer.provideMerge(cheap), Layer.provideMerge(Logger.layer([logger])))

layer(layerTelling, { excludeTestServices: false })("what is told of signing in", (it) => {
  it.effect(
    "is a log line without a cookie, a password, an e-mail address or what was asked, and a count of refusals",
    () =>
      Effect.gen(function* () {
        const { browser, email, accountId } = yield* ready
        const secret = "hunter2 and more"
        yield* browser.signIn(email, secret, `/console?${new URLSearchParams({ next: "/authorization?state=s3cr3t" })}`)
        yield* browser.signIn(`nobody-${email}`, secret)
        yield* browser.signIn(email, PASSWORD)
        yield* browser.request("/console/access?done=s3cr3t")
        const all = lines.join("\n")
        assert.lengthOf(
          lines.filter((line) => line.includes("console POST")),
          3
        )
        for (const told of [secret, PASSWORD, email, "s3cr3t", browser.cookies.get("latchkey") ?? "?"])
          assert.notInclude(all, told)
        assert.deepStrictEqual(counted, [accountId, undefined])
      })
  )
})
