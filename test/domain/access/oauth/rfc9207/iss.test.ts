import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  allow,
  answerIn,
  deny,
  layerConsenting,
  PUBLIC_URL,
  partnerAsks,
  publicAsks,
  sent,
  signIn
} from "../../../../support/domain/access/oauth/consenting.ts"

// RFC 9207: every answer says whose it is, once, as the metadata names it.

layer(layerConsenting())("an answer of the browser's way", (it) => {
  it.effect("says its issuer once, be it a code, a refusal or an error", () =>
    Effect.gen(function* () {
      const cookie = yield* signIn()
      for (const answer of [
        yield* sent(partnerAsks(), { cookie, form: allow("read-only") }),
        yield* sent(publicAsks(), { cookie, form: allow("writable") }),
        yield* sent(partnerAsks(), { cookie, form: deny }),
        yield* sent(publicAsks({ response_mode: "x" })),
        yield* sent(publicAsks({ iss: "https://evil.example.test" }), { cookie, form: allow("read-only") })
      ]) {
        assert.deepStrictEqual(new URL(answer.location).searchParams.getAll("iss"), [PUBLIC_URL])
      }
    })
  )

  it.effect("has no code beside an error, and no error beside a code", () =>
    Effect.gen(function* () {
      const cookie = yield* signIn()
      const given = answerIn((yield* sent(publicAsks(), { cookie, form: allow("read-only") })).location)
      assert.hasAllKeys(given, ["code", "state", "iss"])
      const denied = answerIn((yield* sent(publicAsks(), { cookie, form: deny })).location)
      assert.hasAllKeys(denied, ["error", "error_description", "state", "iss"])
    })
  )
})
