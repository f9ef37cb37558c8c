import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import { sealResponse, unsealResponse } from "../../../../src/domain/access/oauth/renewal/sealed-response.ts"
import {
  judgeRefreshToken,
  narrowScope,
  type StoredRefreshToken
} from "../../../../src/domain/access/oauth/renewal/token-renewal-rules.ts"
import { GRANT_RENEWALS_MAX, REFRESH_GRACE_MS } from "../../../../src/platform/limits.ts"
import { PUBLIC_CLIENT } from "../../../support/domain/access/oauth/oauth-flow.ts"

const NOW = new Date("2027-01-01T00:00:00Z")
const at = (ms: number) => new Date(NOW.getTime() + ms)

const known: StoredRefreshToken = {
  operatorId: 1,
  grantId: 2,
  accountId: 3,
  name: "An app",
  clientId: PUBLIC_CLIENT.id,
  clientDisabled: false,
  scope: "writable",
  grantEnded: false,
  expiresAt: at(1),
  usedAt: null,
  answer: null,
  renewals: 0,
  firstRenewal: null
}

const given = { client: PUBLIC_CLIENT, refreshToken: "lkrefresh_x", scope: undefined, resources: [] }

const tagOf = (own: Partial<StoredRefreshToken>, asked: Partial<typeof given> = {}) =>
  judgeRefreshToken({ ...known, ...own }, { ...given, ...asked }, "https://api.example", NOW)._tag

const scopes = FastCheck.constantFrom<"read-only" | "writable">("read-only", "writable")
const text = FastCheck.string({ unit: "grapheme", maxLength: 80 })
const answers = FastCheck.record({ accessToken: text, refreshToken: text, scope: scopes, until: FastCheck.integer() })

describe("the rules of renewal", () => {
  it("take a token for used again whenever it is not the repeat of a lost answer", () =>
    FastCheck.assert(
      FastCheck.property(FastCheck.integer({ min: 0, max: 3 * REFRESH_GRACE_MS }), FastCheck.boolean(), (ago, kept) => {
        const answer = kept ? new Uint8Array(3) : null
        const isRepeat = kept && ago <= REFRESH_GRACE_MS
        assert.strictEqual(tagOf({ usedAt: at(-ago), answer }), isRepeat ? "Repeated" : "Reused")
        // However long ago it would have expired.
        assert.strictEqual(tagOf({ usedAt: at(-ago), answer: null, expiresAt: at(-ago) }), "Reused")
        // What ended is not ended twice.
        assert.strictEqual(tagOf({ usedAt: at(-ago), answer, grantEnded: true }), "Refused")
      })
    ))

  it("give nothing for one that is over, of an ended grant, of another client, or too often", () => {
    assert.strictEqual(tagOf({}), "Good")
    assert.strictEqual(tagOf({ expiresAt: NOW }), "Refused")
    assert.strictEqual(tagOf({ grantEnded: true }), "Refused")
    assert.strictEqual(tagOf({ clientId: "lkapp_other" }), "Refused")
    assert.strictEqual(tagOf({ clientDisabled: true }), "Refused")
    assert.strictEqual(tagOf({ renewals: GRANT_RENEWALS_MAX - 1 }), "Good")
    assert.strictEqual(tagOf({ renewals: GRANT_RENEWALS_MAX }), "Refused")
  })

  it("repeat a response until the sixtieth second is over", () => {
    const answer = new Uint8Array(3)
    assert.strictEqual(tagOf({ usedAt: at(-60_000), answer }), "Repeated")
    assert.strictEqual(tagOf({ usedAt: at(-60_001), answer }), "Reused")
  })

  it("narrow a scope and never widen it, whatever is asked for", () =>
    FastCheck.assert(
      FastCheck.property(scopes, FastCheck.option(text, { nil: undefined }), (consented, asked) => {
        const scope = narrowScope(consented, asked)
        if (Result.isSuccess(scope)) assert.isTrue(scope.success === consented || scope.success === "read-only")
        else assert.strictEqual(scope.failure.oauthErrorCode, "invalid_scope")
      })
    ))
})

describe("a sealed answer", () => {
  it("opens with the token that sealed it, and is never the same twice", () =>
    FastCheck.assert(
      FastCheck.property(text, answers, (token, answer) => {
        const seal = sealResponse(token, answer)
        assert.deepStrictEqual(unsealResponse(token, seal), { ...answer })
        assert.notDeepEqual(sealResponse(token, answer), seal)
      })
    ))

  it("opens with no other, and not when a byte of it was changed", () =>
    FastCheck.assert(
      FastCheck.property(answers, FastCheck.nat(), (answer, where) => {
        const seal = sealResponse("lkrefresh_a", answer)
        assert.throws(() => unsealResponse("lkrefresh_b", seal))
        const changed = Uint8Array.from(seal, (byte, at) => (at === where % seal.length ? byte ^ 1 : byte))
        assert.throws(() => unsealResponse("lkrefresh_a", changed))
        assert.throws(() => unsealResponse("lkrefresh_a", seal.subarray(0, where % 28)))
      })
    ))
})
