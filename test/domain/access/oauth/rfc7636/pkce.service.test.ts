import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as FastCheck from "fast-check"
import { RateLimited } from "../../../../../src/contract/errors.ts"
import { FailedSecretChecks } from "../../../../../src/domain/access/oauth/FailedSecretChecks.ts"
import { challengeOf, isVerifier, matchesChallenge } from "../../../../../src/domain/access/oauth/pkce.ts"
import {
  CODE_VERIFIER,
  connectClient,
  createPartner,
  exchangeCode,
  INVALID_GRANT_ERROR,
  issueCode,
  layerOauthFlow,
  layerOauthFlowOver,
  makeConsent,
  OTHER_CODE_VERIFIER,
  PUBLIC_CLIENT,
  toCodeExchange,
  tokenOutcomeOf
} from "../../../../support/domain/access/oauth/oauth-flow.ts"
import { createOperator } from "../../../../support/harness.ts"
import { countStatements } from "../../../../support/statement-count.ts"

const UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
const verifiers = FastCheck.string({ unit: FastCheck.constantFrom(...UNRESERVED), minLength: 43, maxLength: 128 })

describe("a verifier", () => {
  it("is that of RFC 7636, appendix B", () => {
    assert.strictEqual(challengeOf(CODE_VERIFIER), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    assert.isTrue(matchesChallenge(CODE_VERIFIER, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"))
  })

  it("proves its own challenge and no other", () =>
    FastCheck.assert(
      FastCheck.property(verifiers, verifiers, (one, other) => {
        assert.match(challengeOf(one), /^[A-Za-z0-9_-]{43}$/)
        assert.isTrue(matchesChallenge(one, challengeOf(one)))
        assert.strictEqual(matchesChallenge(one, challengeOf(other)), one === other)
        // `plain` is no method here: a challenge is never its own verifier.
        assert.isFalse(matchesChallenge(one, one))
        assert.isFalse(matchesChallenge(challengeOf(one), challengeOf(one)))
      })
    ))

  it("has 43 to 128 unreserved characters", () => {
    for (const length of [43, 128]) assert.isTrue(isVerifier("~".repeat(length)), String(length))
    for (const length of [0, 42, 129]) assert.isFalse(isVerifier("~".repeat(length)), String(length))
    for (const end of ["=", "+", "/", " ", "\n", "é", "%41"]) assert.isFalse(isVerifier(CODE_VERIFIER + end), end)
  })

  it("proves nothing in another form, whatever it hashes to", () =>
    FastCheck.assert(
      FastCheck.property(
        FastCheck.string({ unit: "grapheme", maxLength: 200 }),
        (text) => FastCheck.pre(!isVerifier(text)) ?? assert.isFalse(matchesChallenge(text, challengeOf(text)))
      )
    ))
})

/** Whoever asks has had ten wrong ones. */
const layerLocked = layerOauthFlowOver(
  Layer.effect(SqlClient.SqlClient, SqlClient.SqlClient),
  Layer.succeed(FailedSecretChecks, {
    recordResult: () => Effect.fail(new RateLimited({ message: "Too many attempts.", headers: {} }))
  })
)

layer(layerOauthFlow, { excludeTestServices: false })("the exchange with a challenge", (it) => {
  it.effect("wants the verifier, and a wrong one ends the code, in one statement more than to look", () =>
    Effect.gen(function* () {
      const caller = yield* createOperator()
      for (const client of [yield* createPartner(), PUBLIC_CLIENT]) {
        const code = yield* issueCode(makeConsent(client, caller))
        const missing = toCodeExchange(client, code, { verifier: undefined })
        assert.strictEqual(yield* tokenOutcomeOf(exchangeCode(missing)), "BadRequest invalid_request")
        const wrong = toCodeExchange(client, code, { verifier: OTHER_CODE_VERIFIER })
        assert.deepStrictEqual(yield* countStatements(tokenOutcomeOf(exchangeCode(wrong))), [INVALID_GRANT_ERROR, 2])
        assert.strictEqual(yield* tokenOutcomeOf(exchangeCode(toCodeExchange(client, code))), INVALID_GRANT_ERROR)
      }
    })
  )

  it.effect("ends the code at the first wrong verifier, also of somebody who is told nothing but to wait", () =>
    Effect.gen(function* () {
      const caller = yield* createOperator()
      const sql = yield* SqlClient.SqlClient
      for (const client of [yield* createPartner(), PUBLIC_CLIENT]) {
        const code = yield* issueCode(makeConsent(client, caller))
        const locked = exchangeCode(toCodeExchange(client, code, { verifier: OTHER_CODE_VERIFIER }))
        const outcome = yield* tokenOutcomeOf(locked).pipe(Effect.provide(Layer.fresh(layerLocked)))
        assert.strictEqual(outcome, "RateLimited Too many attempts.")
        const rows = yield* sql`
          SELECT dead_at IS NOT NULL AS dead, used_at FROM oauth_codes WHERE digest = sha256(${code}::text::bytea)`
        assert.deepStrictEqual(rows, [{ dead: true, used_at: null }])
        assert.strictEqual(yield* tokenOutcomeOf(exchangeCode(toCodeExchange(client, code))), INVALID_GRANT_ERROR)
      }
    })
  )

  it.effect("takes a verifier of wrong form for a wrong one", () =>
    Effect.gen(function* () {
      const caller = yield* createOperator()
      const client = yield* createPartner()
      for (const verifier of ["", "short", CODE_VERIFIER.slice(1), `${CODE_VERIFIER}=`, challengeOf(CODE_VERIFIER)]) {
        const code = yield* issueCode(makeConsent(client, caller))
        assert.strictEqual(
          yield* tokenOutcomeOf(exchangeCode(toCodeExchange(client, code, { verifier }))),
          INVALID_GRANT_ERROR
        )
        assert.strictEqual(
          yield* tokenOutcomeOf(exchangeCode(toCodeExchange(client, code))),
          INVALID_GRANT_ERROR,
          "the code died of it"
        )
      }
    })
  )

  it.effect("refuses a verifier where the authorization had no challenge: somebody took it out", () =>
    Effect.gen(function* () {
      const caller = yield* createOperator()
      const client = yield* createPartner()
      const code = yield* issueCode(makeConsent(client, caller, { challenge: null }))
      assert.strictEqual(yield* tokenOutcomeOf(exchangeCode(toCodeExchange(client, code))), INVALID_GRANT_ERROR)
      assert.strictEqual(
        yield* tokenOutcomeOf(exchangeCode(toCodeExchange(client, code, { verifier: undefined }))),
        "ok"
      )
    })
  )

  it.effect(
    "lets right and wrong ones come at once: one wins, and a code that was used and came twice ends its grant",
    () =>
      Effect.gen(function* () {
        const client = yield* createPartner()
        for (let round = 0; round < 5; round++) {
          const caller = yield* createOperator()
          const code = yield* issueCode(makeConsent(client, caller))
          const tries = [CODE_VERIFIER, OTHER_CODE_VERIFIER, CODE_VERIFIER, OTHER_CODE_VERIFIER].map((verifier) =>
            tokenOutcomeOf(exchangeCode(toCodeExchange(client, code, { verifier })))
          )
          const outcomes = yield* Effect.all(tries, { concurrency: "unbounded" })
          assert.isAtMost(outcomes.filter((each) => each === "ok").length, 1)
          const after = yield* tokenOutcomeOf(exchangeCode(toCodeExchange(client, code)))
          assert.strictEqual(after, INVALID_GRANT_ERROR)
        }
        yield* connectClient(client)
      })
  )
})
