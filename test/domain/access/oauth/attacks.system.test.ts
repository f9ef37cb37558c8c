import { assert, layer } from "@effect/vitest"
import { Effect, Logger, References } from "effect"
import { newSessionCookie } from "../../../../src/domain/access/sign-in/cookies.ts"
import { deriveFormToken } from "../../../../src/transports/console/visit.ts"
import {
  CODE_CHALLENGE,
  ConsentState,
  denyForm,
  LOOPBACK_REDIRECT_URL,
  layerConsentPages,
  makeAllowForm,
  PARTNER_CLIENT,
  PARTNER_REDIRECT_URL,
  PUBLIC_URL,
  partnerRequestUrl,
  publicRequestUrl,
  readRedirectParams,
  SITE_REDIRECT_URL,
  signIn,
  visitPage
} from "../../../support/domain/access/oauth/consent-pages.ts"

// What is tried against consent (RFC 9700 4).

const MARKUP = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "' onload='alert(1)", "</title><svg>"]

layer(layerConsentPages())("consent under attack", (it) => {
  it.effect("is given by forms of its own page alone", () =>
    Effect.gen(function* () {
      const [{ issuedCodes: issued }, cookie] = [yield* ConsentState, yield* signIn()]
      const before = issued.length
      for (const act of [makeAllowForm("writable"), denyForm, { act: "other_account" }]) {
        for (const [form, headers] of [
          [{ ...act, form_token: "" }, {}],
          [{ ...act, form_token: "x".repeat(43) }, {}],
          [{ ...act, form_token: deriveFormToken(newSessionCookie()) }, {}],
          [act, { origin: "https://evil.example.test" }],
          [act, { origin: "null" }],
          [act, { origin: `${PUBLIC_URL}.evil.test` }],
          [act, { "sec-fetch-site": "cross-site" }],
          [act, { "sec-fetch-site": "same-site" }]
        ] as const) {
          const { status, location } = yield* visitPage(publicRequestUrl(), { cookie, form, headers })
          assert.deepStrictEqual([status, location], [403, ""])
        }
      }
      for (const act of ["", "Allow", "constructor", "__proto__", "sign_out"]) {
        const { status, location } = yield* visitPage(publicRequestUrl(), { cookie, form: { act, scope: "writable" } })
        assert.deepStrictEqual([status, location], [400, ""])
      }
      assert.strictEqual(issued.length, before)
    })
  )

  it.effect("is given by no look at the page, whatever its address says", () =>
    Effect.gen(function* () {
      const [{ issuedCodes: issued }, cookie] = [yield* ConsentState, yield* signIn()]
      const before = issued.length
      const form_token = deriveFormToken(cookie)
      for (const method of ["GET", "HEAD"]) {
        const { status } = yield* visitPage(
          publicRequestUrl({ ...makeAllowForm("writable"), form_token, scope: "writable" }),
          {
            cookie,
            method
          }
        )
        assert.strictEqual(status, 200)
      }
      assert.strictEqual(issued.length, before)
    })
  )

  it.effect("is shown in nobody's frame, kept by nobody, and runs nothing", () =>
    Effect.gen(function* () {
      const cookie = yield* signIn()
      for (const target of [
        publicRequestUrl(),
        partnerRequestUrl(),
        publicRequestUrl({ redirect_uri: "x" }),
        publicRequestUrl({ redirect_uri: SITE_REDIRECT_URL, response_mode: "x" })
      ]) {
        const { headers, text } = yield* visitPage(target, { cookie })
        const policy = headers.get("content-security-policy") ?? ""
        assert.include(policy, "frame-ancestors 'none'")
        assert.include(policy, "default-src 'none'")
        assert.notMatch(policy, /unsafe|script-src|\*/)
        assert.strictEqual(headers.get("x-frame-options"), "DENY")
        assert.strictEqual(headers.get("cache-control"), "no-store")
        assert.notMatch(text, /<script|<style|\sstyle=|\son[a-z]+=/i)
      }
    })
  )

  it.effect("shows markup of every parameter as text, or not at all", () =>
    Effect.gen(function* () {
      const names =
        "client_id redirect_uri response_type response_mode scope state code_challenge code_challenge_method resource prompt x"
      for (const markup of MARKUP) {
        const cookie = yield* signIn({ email: `${markup}@x.test`, operatorName: markup })
        for (const name of names.split(" ")) {
          for (const target of [
            publicRequestUrl({ [name]: markup }),
            partnerRequestUrl({ [name]: markup }),
            publicRequestUrl({ redirect_uri: SITE_REDIRECT_URL, [name]: markup })
          ]) {
            const answers = [
              yield* visitPage(target, { cookie }),
              yield* visitPage(target, { cookie, form: { ...makeAllowForm(markup) } })
            ]
            for (const { text, location } of answers) {
              assert.notInclude(text, markup)
              assert.notMatch(location, /[<>"'\s]/)
            }
          }
        }
        const odd = yield* visitPage(`${publicRequestUrl()}&${encodeURIComponent(markup)}=1`, { cookie })
        assert.notInclude(odd.text, markup)
      }
    })
  )

  it.effect("leads only where it was registered, whatever else the request or the form says", () =>
    Effect.gen(function* () {
      const cookie = yield* signIn()
      const evil = "https://evil.example.test/"
      const more = {
        next: evil,
        redirect: evil,
        return_to: evil,
        url: evil,
        error_uri: evil,
        post_logout_redirect_uri: evil
      }
      for (const form of [
        undefined,
        { ...makeAllowForm("read-only"), ...more },
        { ...denyForm, ...more },
        { act: "other_account", ...more }
      ]) {
        for (const asked of [{ ...more }, { ...more, response_mode: "x" }, { ...more, client_id: "none" }]) {
          const sending = form === undefined ? { cookie } : { cookie, form }
          for (const target of [partnerRequestUrl(asked), publicRequestUrl(asked)]) {
            const { location } = yield* visitPage(target, sending)
            const { host } = new URL(location, PUBLIC_URL)
            assert.include(["latchkey.example.test", "partner.example.test", "127.0.0.1:33418"], host)
          }
        }
      }
    })
  )

  it.effect("leads to no site by an error, which any site could else make of our address (open redirect)", () =>
    Effect.gen(function* () {
      for (const otherwise of [
        { response_mode: "x" },
        { response_type: "token" },
        { code_challenge: undefined },
        { resource: "x:y" }
      ]) {
        const { status, location } = yield* visitPage(
          publicRequestUrl({ redirect_uri: SITE_REDIRECT_URL, ...otherwise })
        )
        assert.deepStrictEqual([status, location], [400, ""])
      }
    })
  )

  it.effect("mixes up no two applications, and says whose answer it is (mix-up, code injection)", () =>
    Effect.gen(function* () {
      const [{ issuedCodes: issued }, cookie] = [yield* ConsentState, yield* signIn()]
      const answer = yield* visitPage(publicRequestUrl(), { cookie, form: makeAllowForm("read-only") })
      const { code, iss } = readRedirectParams(answer.location)
      const made = issued.at(-1)
      // What the code is bound to: another client, address or verifier cannot use it (test/domain/access/oauth/rfc6749, rfc7636).
      assert.strictEqual(made?.code, code)
      assert.deepInclude(made?.consent, { redirectUri: LOOPBACK_REDIRECT_URL, challenge: CODE_CHALLENGE })
      assert.deepStrictEqual([made?.consent.client.id, iss], ["service_mcp", PUBLIC_URL])
      for (const [target, from] of [
        [partnerRequestUrl({ client_id: "service_mcp", redirect_uri: PARTNER_REDIRECT_URL }), 400],
        [publicRequestUrl({ client_id: PARTNER_CLIENT.id }), 400],
        [publicRequestUrl({ client_id: PARTNER_CLIENT.id, redirect_uri: SITE_REDIRECT_URL }), 400]
      ] as const) {
        assert.strictEqual((yield* visitPage(target, { cookie, form: makeAllowForm("read-only") })).status, from)
      }
    })
  )

  it.effect("leaves no code, state or session in the log", () => {
    const lines: Array<string> = []
    const kept = Logger.make((options) => {
      lines.push(JSON.stringify([options.message, options.fiber.getRef(References.CurrentLogAnnotations)]))
    })
    return Effect.gen(function* () {
      const cookie = yield* signIn()
      const { location } = yield* visitPage(publicRequestUrl({ state: "my-state" }), {
        cookie,
        form: makeAllowForm("writable")
      })
      yield* visitPage(publicRequestUrl({ state: "my-state", response_mode: "x" }), { cookie })
      assert.isAbove(lines.length, 1)
      for (const secret of [
        readRedirectParams(location)["code"] ?? "none",
        "my-state",
        cookie,
        CODE_CHALLENGE,
        "authorization?"
      ]) {
        assert.notInclude(lines.join("\n"), secret)
      }
    }).pipe(Effect.provide(Logger.layer([kept])), Effect.provideService(References.MinimumLogLevel, "All"))
  })
})
