import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { OAUTH_STATE_LENGTH } from "../../../../../src/platform/limits.ts"
import {
  APP_REDIRECT_URL,
  ConsentState,
  denyForm,
  LOOPBACK_REDIRECT_URL,
  layerConsentPages,
  makeAllowForm,
  PARTNER_REDIRECT_URL,
  PUBLIC_URL,
  partnerRequestUrl,
  publicRequestUrl,
  readRedirectParams,
  SITE_REDIRECT_URL,
  signIn,
  type VisitedPage,
  visitPage
} from "../../../../support/domain/access/oauth/consent-pages.ts"

// RFC 6749 4.1.1 and 4.1.2: what an application asks for with the host's browser, and how it is answered.

/** A page says what is wrong; nobody is led anywhere. */
const staysHere = ({ status, location, text }: VisitedPage, words: string): void => {
  assert.deepStrictEqual([status, location], [400, ""])
  assert.include(text, words)
}

/** The application is told what is wrong. */
const ledBackWith = ({ status, location }: VisitedPage, error: string, description: string): void => {
  assert.strictEqual(status, 303)
  const { error: told, error_description = "", iss, state, code } = readRedirectParams(location)
  assert.deepStrictEqual([told, iss, code], [error, PUBLIC_URL, undefined])
  assert.include(error_description, description)
  assert.match(error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
  assert.notStrictEqual(state, "")
}

layer(layerConsentPages())("an authorization request", (it) => {
  it.effect("leads nowhere while it is not known who asks and where the browser may go", () =>
    Effect.gen(function* () {
      const other = "https://evil.example.test/"
      const twice = (name: string, value: string) => `${partnerRequestUrl()}&${name}=${encodeURIComponent(value)}`
      const cookie = yield* signIn()
      for (const [target, words] of [
        ["/authorization", "client_id"],
        [partnerRequestUrl({ client_id: undefined }), "client_id is missing"],
        [partnerRequestUrl({ client_id: "" }), "client_id is missing"],
        [partnerRequestUrl({ client_id: "lkapp_nobody" }), "does not exist"],
        [twice("client_id", "lkapp_partner"), "client_id twice"],
        [twice("redirect_uri", PARTNER_REDIRECT_URL), "redirect_uri twice"],
        [twice("redirect_uri", other), "redirect_uri twice"],
        [partnerRequestUrl({ redirect_uri: other }), "has not registered this redirect_uri exactly"],
        [
          partnerRequestUrl({ redirect_uri: `${PARTNER_REDIRECT_URL}&x=1` }),
          "has not registered this redirect_uri exactly"
        ],
        [partnerRequestUrl({ redirect_uri: LOOPBACK_REDIRECT_URL }), "has not registered this redirect_uri exactly"],
        [partnerRequestUrl({ client_id: "lkapp_two", redirect_uri: undefined }), "redirect_uri is missing"],
        [
          partnerRequestUrl({ client_id: "lkapp_two", redirect_uri: PARTNER_REDIRECT_URL }),
          "has not registered this redirect_uri exactly"
        ],
        [publicRequestUrl({ redirect_uri: undefined }), "redirect_uri is missing"],
        [publicRequestUrl({ redirect_uri: PARTNER_REDIRECT_URL }), "has not registered this redirect_uri exactly"]
      ] as const) {
        staysHere(yield* visitPage(target), words)
        for (const form of [makeAllowForm("read-only"), denyForm, { act: "other_account" }]) {
          staysHere(yield* visitPage(target, { cookie, form }), words)
        }
      }
    })
  )

  it.effect("is answered where it may be, whatever else is wrong with it", () =>
    Effect.gen(function* () {
      for (const [otherwise, error, words] of [
        [{ response_type: "token" }, "unsupported_response_type", "response_type"],
        [{ response_type: "code token" }, "unsupported_response_type", "response_type"],
        [{ response_type: "CODE" }, "unsupported_response_type", "response_type"],
        [{ response_mode: "fragment" }, "invalid_request", "response_mode"],
        [{ response_mode: "form_post" }, "invalid_request", "response_mode"]
      ] as const) {
        const [partner, app] = [
          yield* visitPage(partnerRequestUrl(otherwise)),
          yield* visitPage(publicRequestUrl(otherwise))
        ]
        ledBackWith(partner, error, words)
        ledBackWith(app, error, words)
        assert.isTrue(partner.location.startsWith(`${PARTNER_REDIRECT_URL}&error=`))
        assert.isTrue(app.location.startsWith(`${LOOPBACK_REDIRECT_URL}?error=`))
        assert.deepStrictEqual(readRedirectParams(partner.location)["state"], "s t/a+t%e")
      }
      ledBackWith(yield* visitPage(publicRequestUrl({ response_type: undefined })), "invalid_request", "response_type")
      ledBackWith(
        yield* visitPage(publicRequestUrl({ response_type: "", redirect_uri: APP_REDIRECT_URL })),
        "invalid_request",
        "response_type"
      )
    })
  )

  it.effect("may name nothing twice, but for a resource", () =>
    Effect.gen(function* () {
      const names = "response_type response_mode scope state code_challenge code_challenge_method prompt whatever"
      for (const name of names.split(" ")) {
        const twice = yield* visitPage(`${partnerRequestUrl({ [name]: "x" })}&${name}=x`)
        ledBackWith(twice, "invalid_request", "repeated")
        assert.strictEqual(readRedirectParams(twice.location)["state"], name === "state" ? undefined : "s t/a+t%e")
      }
    })
  )

  it.effect("may say what the service does not know, and name what has no value", () =>
    Effect.gen(function* () {
      const cookie = yield* signIn()
      const unknown = { prompt: "none", nonce: "n", max_age: "0", login_hint: "x@y", response_mode: "query" }
      const empty = { scope: "", code_challenge: "", code_challenge_method: "", resource: "", state: "" }
      assert.strictEqual((yield* visitPage(partnerRequestUrl(unknown), { cookie })).status, 200)
      assert.strictEqual((yield* visitPage(publicRequestUrl(unknown), { cookie })).status, 200)
      const given = yield* visitPage(partnerRequestUrl(empty), { cookie, form: makeAllowForm("read-only") })
      assert.hasAllKeys(readRedirectParams(given.location), ["tenant", "code", "iss"])
    })
  )

  it.effect("may name unknown scopes, which are ignored", () =>
    Effect.gen(function* () {
      const [{ issuedCodes: issued }, cookie] = [yield* ConsentState, yield* signIn()]
      const offersToWrite = ({ text }: VisitedPage) => text.includes('value="writable"')
      for (const [scope, isWritable] of [
        ["read-only writable offline_access", true],
        ["offline_access writable", true],
        ["openid read-only", false],
        ["read-only admin Writable", false],
        // Without a known scope the host chooses among all, as if the request named none.
        ["offline_access", true],
        ["Writable", true],
        ["read-only,writable", true]
      ] as const) {
        for (const target of [partnerRequestUrl({ scope }), publicRequestUrl({ scope })]) {
          const page = yield* visitPage(target, { cookie })
          assert.deepStrictEqual([page.status, offersToWrite(page)], [200, isWritable], scope)
          const granted = yield* visitPage(target, { cookie, form: makeAllowForm("read-only") })
          assert.property(readRedirectParams(granted.location), "code", scope)
          assert.strictEqual(issued.at(-1)?.consent.scope, "read-only")
          const before = issued.length
          yield* visitPage(target, { cookie, form: makeAllowForm("writable") })
          assert.strictEqual(issued.length - before, isWritable ? 1 : 0, scope)
        }
      }
      // The public client gets read-only unless it names writable. Unknown scopes are ignored.
      const chosen = /value="([^"]+)" required checked/
      const grantedScope = (scope: string) =>
        Effect.map(visitPage(publicRequestUrl({ scope }), { cookie }), ({ text }) => chosen.exec(text)?.[1])
      assert.strictEqual(yield* grantedScope("offline_access"), "read-only")
      assert.strictEqual(yield* grantedScope("offline_access writable"), "writable")
    })
  )

  it.effect("of a partner may leave out what its facts leave out", () =>
    Effect.gen(function* () {
      const [{ issuedCodes: issued }, cookie] = [yield* ConsentState, yield* signIn()]
      const target = "/authorization?client_id=lkapp_partner&state=abc"
      assert.strictEqual((yield* visitPage(target, { cookie })).status, 200)
      const { location } = yield* visitPage(target, { cookie, form: makeAllowForm("writable") })
      const { code, ...answer } = readRedirectParams(location)
      assert.deepStrictEqual(answer, { tenant: "7", state: "abc", iss: PUBLIC_URL })
      const last = issued.at(-1)
      assert.strictEqual(last?.code, code)
      const { redirectUri, challenge, resource, scope } = last?.consent ?? {}
      assert.deepStrictEqual(
        { redirectUri, challenge, resource, scope },
        { redirectUri: PARTNER_REDIRECT_URL, challenge: null, resource: null, scope: "writable" }
      )
    })
  )

  it.effect("gets its state back to the letter, up to its bound", () =>
    Effect.gen(function* () {
      const cookie = yield* signIn()
      const form = makeAllowForm("read-only")
      for (const state of [
        "a".repeat(OAUTH_STATE_LENGTH),
        "+&=%#?/\\\"'<>;, ~",
        "äöü 漢字 🏠",
        "\r\nset-cookie: a=b",
        "%2B%20",
        '{"a":[1]}'
      ]) {
        const target = partnerRequestUrl({ state })
        for (const answer of [
          yield* visitPage(target, { cookie, form }),
          yield* visitPage(target, { cookie, form: denyForm }),
          yield* visitPage(partnerRequestUrl({ state, response_mode: "x" }))
        ]) {
          assert.strictEqual(answer.status, 303)
          assert.strictEqual(readRedirectParams(answer.location)["state"], state)
          assert.match(answer.location, /^[\x21-\x7e]+$/)
        }
      }
      const over = yield* visitPage(partnerRequestUrl({ state: "a".repeat(OAUTH_STATE_LENGTH + 1) }))
      ledBackWith(over, "invalid_request", "state")
      assert.isUndefined(readRedirectParams(over.location)["state"])
      const unreadable = yield* visitPage(`${partnerRequestUrl({ state: undefined })}&state=%FF`)
      ledBackWith(unreadable, "invalid_request", "state")
    })
  )

  it.effect("leads to no site that anybody may have registered, without the host's word", () =>
    Effect.gen(function* () {
      const page = yield* visitPage(publicRequestUrl({ redirect_uri: SITE_REDIRECT_URL, response_mode: "fragment" }))
      assert.deepStrictEqual([page.status, page.location], [400, ""])
      assert.include(page.text, "response_mode: ")
      const href = /<a href="([^"]*app\.example[^"]*)"/.exec(page.text)?.[1]?.replaceAll("&amp;", "&") ?? ""
      assert.deepStrictEqual(
        [readRedirectParams(href)["error"], readRedirectParams(href)["state"]],
        ["invalid_request", "xyz"]
      )
    })
  )

  it.effect("is denied in the host's name", () =>
    Effect.gen(function* () {
      const cookie = yield* signIn()
      for (const asked of [
        partnerRequestUrl(),
        publicRequestUrl(),
        publicRequestUrl({ redirect_uri: SITE_REDIRECT_URL })
      ]) {
        ledBackWith(yield* visitPage(asked, { cookie, form: denyForm }), "access_denied", "refused")
      }
    })
  )

  it.effect("is asked in full again with each answer, and not as it was shown", () =>
    Effect.gen(function* () {
      const [{ issuedCodes: issued }, cookie] = [yield* ConsentState, yield* signIn()]
      const before = issued.length
      const evil = partnerRequestUrl({ redirect_uri: "https://evil.example.test" })
      staysHere(
        yield* visitPage(evil, { cookie, form: makeAllowForm("writable") }),
        "has not registered this redirect_uri exactly"
      )
      const form = { ...makeAllowForm("writable"), redirect_uri: "https://evil.example.test", client_id: "lkapp_two" }
      const { location } = yield* visitPage(partnerRequestUrl(), { cookie, form })
      assert.isTrue(location.startsWith(`${PARTNER_REDIRECT_URL}&code=`))
      assert.strictEqual(issued.length, before + 1)
    })
  )
})
