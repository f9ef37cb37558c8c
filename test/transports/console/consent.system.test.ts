import { createServer } from "node:http"
import { assert, describe, layer } from "@effect/vitest"
import { Clock, DateTime, Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { SUDO_MS } from "../../../src/domain/access/sign-in/Sessions.ts"
import { PENDING_AUTHORIZATION_REQUEST_LENGTH } from "../../../src/platform/limits.ts"
import { SIGN_IN_PATH } from "../../../src/transports/console/host/urls.ts"
import { toLocalUrl } from "../../../src/transports/console/return-url.ts"
import { sessionCookieName } from "../../../src/transports/console/visit.ts"
import {
  Browser,
  DESKTOP_VIEWPORT,
  findAccessibilityViolations,
  hasChromium,
  openPage,
  PHONE_VIEWPORT,
  withChromiumNote
} from "../../support/browser.ts"
import {
  APP_REDIRECT_URL,
  ConsentState,
  denyForm,
  FULL_ACCOUNT_ID,
  LOOPBACK_REDIRECT_URL,
  layerConsentPages,
  layerServedConsentPages,
  makeAllowForm,
  PARTNER_CLIENT,
  PARTNER_REDIRECT_URL,
  PUBLIC_URL,
  partnerRequestUrl,
  publicRequestUrl,
  RATE_LIMITED_ACCOUNT_ID,
  readRedirectParams,
  SITE_REDIRECT_URL,
  signIn,
  visitPage
} from "../../support/domain/access/oauth/consent-pages.ts"
import { BaseUrl } from "../../support/http-server.ts"
import { EVERY_PAGE_MS } from "../../support/time-limits.ts"

layer(layerConsentPages())("the page of consent", (it) => {
  it.effect("comes after signing in, with nothing of the request lost", () =>
    Effect.gen(function* () {
      for (const state of ["s t/a+t%e&x=1", '\\"<>äöü🏠', "x".repeat(2_000)]) {
        for (const target of [
          partnerRequestUrl({ state }),
          `${publicRequestUrl({ state })}&resource=${PUBLIC_URL}/mcp`
        ]) {
          const raw = target.replaceAll("%5C", "\\")
          const { status, location } = yield* visitPage(raw)
          assert.strictEqual(status, 303)
          assert.isTrue(location.startsWith(`${SIGN_IN_PATH}?next=`))
          const next = new URL(location, PUBLIC_URL).searchParams.get("next")
          const back = toLocalUrl(next, "lost")
          const asked = Object.fromEntries(new URL(target, PUBLIC_URL).searchParams)
          assert.deepStrictEqual(Object.fromEntries(new URL(back, PUBLIC_URL).searchParams), asked)
          const allowed = yield* visitPage(back, { cookie: yield* signIn(), form: makeAllowForm("read-only") })
          assert.strictEqual(readRedirectParams(allowed.location)["state"], state)
        }
      }
    })
  )

  it.effect("takes no request that would not fit into the address of signing in", () =>
    Effect.gen(function* () {
      const of = (length: number) => partnerRequestUrl({ x: "x".repeat(length) })
      const base = (yield* visitPage(of(1))).location.length - 1
      assert.strictEqual(
        (yield* visitPage(of(PENDING_AUTHORIZATION_REQUEST_LENGTH - base))).location.length,
        PENDING_AUTHORIZATION_REQUEST_LENGTH
      )
      const over = yield* visitPage(of(PENDING_AUTHORIZATION_REQUEST_LENGTH - base + 1))
      assert.deepStrictEqual([over.status, over.location], [400, ""])
      assert.include(over.text, "too long")
    })
  )

  it.effect("says who asks, where the browser goes, and which account gives", () =>
    Effect.gen(function* () {
      const cookie = yield* signIn()
      for (const [target, ...words] of [
        [partnerRequestUrl(), "<strong>Partner &amp; Sons</strong>", "https://partner.example.test<"],
        [
          publicRequestUrl(),
          "<strong>An app on this computer</strong>",
          "(http://127.0.0.1:33418)",
          "We have not checked this application."
        ],
        [
          publicRequestUrl({ redirect_uri: SITE_REDIRECT_URL }),
          "<strong>The site app.example.test</strong>",
          "https://app.example.test<"
        ],
        [
          publicRequestUrl({ redirect_uri: APP_REDIRECT_URL }),
          "<strong>An app on this device (cursor)</strong>",
          "<dd>An app on this device (cursor://anysphere.cursor-mcp/oauth/callback)</dd>",
          "We have not checked this application."
        ]
      ] as const) {
        const { status, text } = yield* visitPage(target, { cookie })
        assert.strictEqual(status, 200)
        for (const each of [...words, "Harbour Stays, host@example.test"]) assert.include(text, each)
      }
      assert.notInclude(
        (yield* visitPage(partnerRequestUrl(), { cookie })).text,
        "We have not checked this application."
      )
      const sub = yield* signIn({ role: "sub", email: "sub@example.test" })
      assert.include(
        (yield* visitPage(partnerRequestUrl(), { cookie: sub })).text,
        "sub@example.test <small>(sub-account"
      )
    })
  )

  it.effect("lets the host give less than was asked for, and never more", () =>
    Effect.gen(function* () {
      const [{ issuedCodes: issued }, cookie] = [yield* ConsentState, yield* signIn()]
      const chosen = (text: string) => Array.from(text.matchAll(/value="([\w-]+)" required checked/g), ([, is]) => is)
      for (const [scope, offered, first] of [
        ["read-only", ["read-only"], "read-only"],
        ["writable", ["read-only", "writable"], "writable"],
        ["read-only writable", ["read-only", "writable"], "writable"],
        [undefined, ["read-only", "writable"], "writable"]
      ] as const) {
        const { text } = yield* visitPage(partnerRequestUrl({ scope }), { cookie })
        const names = Array.from(text.matchAll(/name="scope" value="([\w-]+)"/g), ([, name]) => name)
        assert.deepStrictEqual([names, chosen(text)], [[...offered], [first]])
        for (const given of ["read-only", "writable", "admin", ""]) {
          const [before, answer] = [
            issued.length,
            yield* visitPage(partnerRequestUrl({ scope }), { cookie, form: makeAllowForm(given) })
          ]
          const isOffered = offered.some((each) => each === given)
          assert.strictEqual(answer.status, isOffered ? 303 : 422)
          assert.strictEqual(issued.length - before, isOffered ? 1 : 0)
          if (isOffered) assert.strictEqual(issued.at(-1)?.consent.scope, given)
        }
      }
      // Nobody knows an app of the public client: it is given the least, unless it is said otherwise.
      const { text } = yield* visitPage(publicRequestUrl({ scope: undefined }), { cookie })
      assert.deepStrictEqual(chosen(text), ["read-only"])
    })
  )

  it.effect("refuses what the database cannot have, before it is asked", () =>
    Effect.gen(function* () {
      const cookie = yield* signIn()
      for (const target of [
        partnerRequestUrl({ client_id: "a\u0000b" }),
        publicRequestUrl({ redirect_uri: "https://app.example.test/\u0000" }),
        publicRequestUrl({ state: "\u0000" })
      ]) {
        assert.strictEqual((yield* visitPage(target, { cookie })).status, 400)
      }
      const form = { ...makeAllowForm("read-only"), password: "\u0000" }
      assert.strictEqual((yield* visitPage(publicRequestUrl(), { cookie, form })).status, 400)
    })
  )

  it.effect("reads the whole of a request, in which there may be more question marks", () =>
    Effect.gen(function* () {
      const cookie = yield* signIn()
      const target = publicRequestUrl({ scope: undefined, state: undefined })
      const response = yield* visitPage(`${target}&state=a?b&response_mode=bogus`, { cookie })
      assert.strictEqual(response.status, 303)
      const answer = new URL(response.location).searchParams
      assert.deepStrictEqual([answer.get("error"), answer.get("state")], ["invalid_request", "a?b"])
    })
  )

  it.effect("makes a code for the account that is signed in, which the trail tells", () =>
    Effect.gen(function* () {
      const { issuedCodes: issued, recordedRedirects: ledTo } = yield* ConsentState
      const [before, cookie] = [ledTo.length, yield* signIn({ role: "sub", accountId: 77 })]
      const { status, headers, location } = yield* visitPage(partnerRequestUrl(), {
        cookie,
        form: makeAllowForm("writable")
      })
      assert.strictEqual(status, 303)
      const { consent, actor, code } = issued.at(-1) ?? {}
      assert.strictEqual(
        location,
        `${PARTNER_REDIRECT_URL}&code=${code}&state=s+t%2Fa%2Bt%25e&iss=${encodeURIComponent(PUBLIC_URL)}`
      )
      assert.deepInclude(consent?.caller, { operatorId: 5, accountId: 77 })
      assert.deepStrictEqual([consent?.client, consent?.redirectUri], [PARTNER_CLIENT, PARTNER_REDIRECT_URL])
      assert.deepInclude(actor, { accountId: 77, application: "console", operation: "connect_application" })
      assert.deepStrictEqual(
        [headers.get("referrer-policy"), headers.get("cache-control")],
        ["no-referrer", "no-store"]
      )
      assert.strictEqual(ledTo.length, before)
      yield* visitPage(publicRequestUrl(), { cookie, form: makeAllowForm("read-only") })
      assert.deepStrictEqual(ledTo.slice(before), [LOOPBACK_REDIRECT_URL])
    })
  )

  it.effect("makes a code each time it is sent, and no error", () =>
    Effect.gen(function* () {
      const cookie = yield* signIn()
      const twice = Effect.all(
        [1, 2].map(() => visitPage(publicRequestUrl(), { cookie, form: makeAllowForm("read-only") }))
      )
      const codes = (yield* twice).map(({ status, location }) => [status, readRedirectParams(location)["code"]])
      assert.deepStrictEqual(
        codes.map(([status]) => status),
        [303, 303]
      )
      assert.strictEqual(new Set(codes.map(([, code]) => code)).size, 2)
    })
  )

  it.effect("says why an account cannot give access, and lets it refuse", () =>
    Effect.gen(function* () {
      const { issuedCodes: issued } = yield* ConsentState
      const past = DateTime.makeUnsafe(0)
      for (const [standing, words] of [
        [{ status: "banned" }, "Account banned."],
        [{ subscriptionUntil: past }, "Subscription expired."],
        [{ edition: "basic" }, "Basic edition does not support this feature."]
      ] as const) {
        const [cookie, before] = [yield* signIn(standing), issued.length]
        for (const form of [undefined, makeAllowForm("read-only"), makeAllowForm("writable")]) {
          const { status, text } = yield* visitPage(
            publicRequestUrl(),
            form === undefined ? { cookie } : { cookie, form }
          )
          assert.strictEqual(status, 403)
          assert.include(text, words)
          assert.notInclude(text, 'value="allow"')
        }
        assert.strictEqual(issued.length, before)
        assert.strictEqual(
          readRedirectParams((yield* visitPage(publicRequestUrl(), { cookie, form: denyForm })).location)["error"],
          "access_denied"
        )
      }
    })
  )

  it.effect("asks for the password where the sign-in is long ago, before anything can be changed by it", () =>
    Effect.gen(function* () {
      const [{ issuedCodes: issued }, now] = [yield* ConsentState, yield* Clock.currentTimeMillis]
      const lately = yield* signIn({ passwordAt: now - SUDO_MS })
      const long = yield* signIn({ passwordAt: now - SUDO_MS - 1 })
      const answered = Effect.fnUntraced(function* (cookie: string, form: Readonly<Record<string, string>>) {
        const [before, answer] = [issued.length, yield* visitPage(partnerRequestUrl(), { cookie, form })]
        if (answer.status !== 303) assert.include(answer.text, 'type="password"')
        return [
          answer.status,
          readRedirectParams(answer.location || PUBLIC_URL)["code"] !== undefined,
          issued.length - before
        ]
      })
      const [given, refused] = [
        [303, true, 1],
        [403, false, 0]
      ]
      assert.deepStrictEqual(yield* answered(lately, makeAllowForm("writable")), given)
      assert.deepStrictEqual(yield* answered(long, makeAllowForm("writable")), refused)
      assert.deepStrictEqual(yield* answered(long, { ...makeAllowForm("writable"), password: "" }), refused)
      assert.deepStrictEqual(yield* answered(long, { ...makeAllowForm("writable"), password: "wrong" }), [
        401,
        false,
        0
      ])
      assert.deepStrictEqual(yield* answered(long, { ...makeAllowForm("writable"), password: "right" }), given)
      assert.deepStrictEqual(yield* answered(long, makeAllowForm("read-only")), given)
      // No browser insists on the password for looking only.
      assert.include((yield* visitPage(partnerRequestUrl(), { cookie: long })).text, 'value="allow" formnovalidate')
    })
  )

  it.effect("says that there is no room for another connection, or that it was asked too often", () =>
    Effect.gen(function* () {
      const cookie = yield* signIn({ accountId: FULL_ACCOUNT_ID })
      const { status, text } = yield* visitPage(publicRequestUrl(), { cookie, form: makeAllowForm("read-only") })
      assert.strictEqual(status, 422)
      assert.include(text, "Disconnect an application first.")
      const hasty = yield* signIn({ accountId: RATE_LIMITED_ACCOUNT_ID })
      const often = yield* visitPage(publicRequestUrl(), { cookie: hasty, form: makeAllowForm("read-only") })
      assert.deepStrictEqual([often.status, often.headers.get("retry-after")], [429, "60"])
      assert.include(often.text, "Wait a minute.")
    })
  )

  it.effect("asks who signed out in another window to sign in, and changes the account with the request kept", () =>
    Effect.gen(function* () {
      const [{ sessions, issuedCodes: issued }, cookie] = [yield* ConsentState, yield* signIn()]
      const other = yield* visitPage(publicRequestUrl(), { cookie, form: { act: "other_account" } })
      assert.strictEqual(other.status, 303)
      assert.isTrue(other.location.startsWith(`${SIGN_IN_PATH}?next=%2Fauthorization`))
      assert.isFalse(sessions.has(cookie))
      assert.match(
        other.headers.get("set-cookie") ?? "",
        /^__Host-latchkey=lkconsole_[\w-]{43}; Path=\/; HttpOnly; Secure/
      )
      assert.notInclude(other.headers.get("set-cookie"), cookie)
      const before = issued.length
      const late = yield* visitPage(publicRequestUrl(), { cookie, form: makeAllowForm("read-only") })
      assert.isTrue(late.location.startsWith(`${SIGN_IN_PATH}?next=%2Fauthorization`))
      assert.strictEqual(issued.length, before)
    })
  )

  it.effect("lets its forms lead back to the application, and loads and frames nothing", () =>
    Effect.gen(function* () {
      const cookie = yield* signIn()
      for (const target of [
        partnerRequestUrl(),
        publicRequestUrl(),
        publicRequestUrl({ redirect_uri: APP_REDIRECT_URL })
      ]) {
        const { headers } = yield* visitPage(target, { cookie })
        assert.strictEqual(
          headers.get("content-security-policy"),
          "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"
        )
        assert.deepStrictEqual([headers.get("cache-control"), headers.get("x-frame-options")], ["no-store", "DENY"])
      }
    })
  )
})

/** A page of the browser in which that cookie's owner is signed in. */
const opened = Effect.fnUntraced(function* (cookie: string, options: Parameters<typeof openPage>[0] = {}) {
  const [page, base] = [yield* openPage(options), yield* BaseUrl]
  const name = sessionCookieName("http://127.0.0.1")
  yield* Effect.promise(() => page.context().addCookies([{ name, value: cookie, url: base }]))
  return { page, base }
})

/** The tab key, until that button has the focus; dies where it never gets it. */
const tabbedTo = Effect.fnUntraced(function* (page: Page, value: string) {
  for (let presses = 0; presses < 30; presses += 1) {
    yield* Effect.promise(() => page.keyboard.press("Tab"))
    const focused = yield* Effect.promise(() => page.evaluate<string>("document.activeElement?.value ?? ''"))
    if (focused === value) return
  }
  return yield* Effect.die(new Error(`the key does not lead to ${value}`))
})

/** A server of an application that answers everything the same, but for what browsers ask for by themselves. */
const answering = (status: number, headers: Record<string, string>) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly asked: Array<string>; readonly close: () => void }>((resume) => {
      const asked: Array<string> = []
      const server = createServer(({ url = "" }, response) => {
        if (url !== "/favicon.ico") asked.push(url)
        response.writeHead(status, headers).end("done")
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ port, asked, close: () => server.close() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

describe.skipIf(!hasChromium)(withChromiumNote("consent in a browser"), () => {
  layer(Layer.merge(layerServedConsentPages, Browser.layer))((it) => {
    it.effect("keeps nobody from using it, on a phone and a desk, by day and in the dark", () =>
      Effect.gen(function* () {
        const cookie = yield* signIn()
        for (const options of [
          { viewport: PHONE_VIEWPORT, colorScheme: "light" },
          { viewport: DESKTOP_VIEWPORT, colorScheme: "dark" }
        ] as const) {
          const { page, base } = yield* opened(cookie, options)
          for (const target of [
            publicRequestUrl(),
            partnerRequestUrl({ scope: "read-only" }),
            partnerRequestUrl({ redirect_uri: "x" })
          ]) {
            yield* Effect.promise(() => page.goto(`${base}${target}`))
            // What all pages have around them is tested with them.
            const own = (yield* findAccessibilityViolations(page)).filter((each) => !each.includes('class="skip"'))
            assert.deepStrictEqual(own, [])
            const beside = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert.strictEqual(yield* Effect.promise(() => page.evaluate<number>(beside)), 0)
          }
        }
      })
    )

    it.effect("leads on wherever the application leads from there", () =>
      Effect.gen(function* () {
        const { page, base } = yield* opened(yield* signIn())
        const done = yield* answering(200, {})
        const callback = yield* answering(302, { location: `http://localhost:${done.port}/done` })
        const asked = publicRequestUrl({ redirect_uri: `http://127.0.0.1:${callback.port}/cb` })
        yield* Effect.promise(() => page.goto(`${base}${asked}`))
        yield* Effect.promise(() => Promise.all([page.waitForURL(/\/done$/), page.click('button[value="allow"]')]))
        assert.deepStrictEqual([callback.asked.length, done.asked], [1, ["/done"]])
      })
    )

    it.effect(
      "leads back from its form to each kind of address, which the policy of the page allows",
      () =>
        Effect.gen(function* () {
          const { issuedCodes: issued } = yield* ConsentState
          for (const [redirect_uri, act] of [
            [LOOPBACK_REDIRECT_URL, "allow"],
            ["http://[::1]:33419/cb", "allow"],
            [SITE_REDIRECT_URL, "allow"],
            [APP_REDIRECT_URL, "allow"],
            [APP_REDIRECT_URL, "deny"]
          ] as const) {
            const { page, base } = yield* opened(yield* signIn())
            const blocked: Array<string> = []
            const left: Array<string> = []
            page.on("console", (message) => blocked.push(message.text()))
            page.on("request", (request) => left.push(request.url()))
            yield* Effect.promise(() => page.goto(`${base}${publicRequestUrl({ redirect_uri })}`))
            const before = issued.length
            yield* tabbedTo(page, act)
            const over = page.waitForEvent("requestfailed", (request) => request.url().startsWith(redirect_uri))
            yield* Effect.promise(() => Promise.all([over, page.keyboard.press("Enter")]))
            assert.deepStrictEqual(
              blocked.filter((text) => text.includes("Content Security Policy")),
              []
            )
            assert.strictEqual(issued.length - before, act === "allow" ? 1 : 0)
            const answer = readRedirectParams(left.find((url) => url.startsWith(redirect_uri)) ?? "none:")
            assert.strictEqual(
              answer[act === "allow" ? "code" : "error"],
              act === "allow" ? issued.at(-1)?.code : "access_denied"
            )
          }
        }),
      EVERY_PAGE_MS
    )
  })
})
