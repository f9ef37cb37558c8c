import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  CODE_CHALLENGE,
  ConsentState,
  layerConsentPages,
  makeAllowForm,
  partnerRequestUrl,
  publicRequestUrl,
  readRedirectParams,
  signIn,
  visitPage
} from "../../../../support/domain/access/oauth/consent-pages.ts"

// RFC 7636 4.3 and 4.4, with RFC 9700 2.1.1: S256 and nothing else, always for the public client.

const asked = (code_challenge: string | undefined, code_challenge_method: string | undefined) => ({
  code_challenge,
  code_challenge_method
})

layer(layerConsentPages())("a challenge", (it) => {
  it.effect("must be there for the public client, by S256, in its form", () =>
    Effect.gen(function* () {
      const cookie = yield* signIn()
      for (const [challenge, method] of [
        [undefined, undefined],
        [undefined, "S256"],
        ["", "S256"],
        [CODE_CHALLENGE, undefined],
        [CODE_CHALLENGE, ""],
        [CODE_CHALLENGE, "plain"],
        [CODE_CHALLENGE, "s256"],
        [CODE_CHALLENGE, "S512"],
        ["a", "S256"],
        [CODE_CHALLENGE.slice(1), "S256"],
        [`${CODE_CHALLENGE}A`, "S256"],
        [`${CODE_CHALLENGE}=`, "S256"],
        [`${CODE_CHALLENGE.slice(1)}+`, "S256"],
        [`${CODE_CHALLENGE.slice(1)}~`, "S256"],
        [`${CODE_CHALLENGE}\n`, "S256"]
      ] as const) {
        for (const form of [undefined, makeAllowForm("read-only")]) {
          const sending = form === undefined ? { cookie } : { cookie, form }
          const { location } = yield* visitPage(publicRequestUrl(asked(challenge, method)), sending)
          assert.strictEqual(readRedirectParams(location)["error"], "invalid_request", `${challenge} ${method}`)
          assert.isUndefined(readRedirectParams(location)["code"])
        }
      }
      assert.strictEqual((yield* visitPage(publicRequestUrl(), { cookie })).status, 200)
    })
  )

  it.effect("may be left out by a partner, and is as strict where it is there", () =>
    Effect.gen(function* () {
      const cookie = yield* signIn()
      assert.strictEqual((yield* visitPage(partnerRequestUrl(), { cookie })).status, 200)
      for (const [challenge, method] of [
        [undefined, "S256"],
        [CODE_CHALLENGE, undefined],
        [CODE_CHALLENGE, "plain"],
        ["a", "S256"]
      ] as const) {
        const { location } = yield* visitPage(partnerRequestUrl(asked(challenge, method)), { cookie })
        assert.strictEqual(readRedirectParams(location)["error"], "invalid_request", `${challenge} ${method}`)
      }
    })
  )

  it.effect("goes with the code", () =>
    Effect.gen(function* () {
      const [{ issuedCodes: issued }, cookie] = [yield* ConsentState, yield* signIn()]
      for (const target of [publicRequestUrl(), partnerRequestUrl(asked(CODE_CHALLENGE, "S256"))]) {
        yield* visitPage(target, { cookie, form: makeAllowForm("read-only") })
        assert.strictEqual(issued.at(-1)?.consent.challenge, CODE_CHALLENGE)
      }
    })
  )
})
