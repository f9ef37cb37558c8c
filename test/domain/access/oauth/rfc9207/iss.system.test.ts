import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  denyForm,
  layerConsentPages,
  makeAllowForm,
  PUBLIC_URL,
  partnerRequestUrl,
  publicRequestUrl,
  readRedirectParams,
  signIn,
  visitPage
} from "../../../../support/domain/access/oauth/consent-pages.ts"

// RFC 9207: every answer says whose it is, once, as the metadata names it.

layer(layerConsentPages())("an answer of the browser's way", (it) => {
  it.effect("says its issuer once, be it a code, a refusal or an error", () =>
    Effect.gen(function* () {
      const cookie = yield* signIn()
      for (const answer of [
        yield* visitPage(partnerRequestUrl(), { cookie, form: makeAllowForm("read-only") }),
        yield* visitPage(publicRequestUrl(), { cookie, form: makeAllowForm("writable") }),
        yield* visitPage(partnerRequestUrl(), { cookie, form: denyForm }),
        yield* visitPage(publicRequestUrl({ response_mode: "x" })),
        yield* visitPage(publicRequestUrl({ iss: "https://evil.example.test" }), {
          cookie,
          form: makeAllowForm("read-only")
        })
      ]) {
        assert.deepStrictEqual(new URL(answer.location).searchParams.getAll("iss"), [PUBLIC_URL])
      }
    })
  )

  it.effect("has no code beside an error, and no error beside a code", () =>
    Effect.gen(function* () {
      const cookie = yield* signIn()
      const given = readRedirectParams(
        (yield* visitPage(publicRequestUrl(), { cookie, form: makeAllowForm("read-only") })).location
      )
      assert.hasAllKeys(given, ["code", "state", "iss"])
      const denied = readRedirectParams((yield* visitPage(publicRequestUrl(), { cookie, form: denyForm })).location)
      assert.hasAllKeys(denied, ["error", "error_description", "state", "iss"])
    })
  )
})
