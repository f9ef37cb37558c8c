import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  computeSignInDelayMs,
  emailDigestOf,
  SIGN_IN_DELAYS_MS
} from "../../../../src/domain/access/sign-in/sign-in-failure-rules.ts"
import {
  SIGN_IN_FAILURES_MAX,
  SIGN_IN_FIRST_WAIT_MS,
  SIGN_IN_LONGEST_WAIT_MS
} from "../../../../src/platform/limits.ts"

describe("waits after failed sign-ins", () => {
  it("begin with the fifth failure and double up to the longest", () => {
    assert.deepStrictEqual(
      [SIGN_IN_FAILURES_MAX - 1, SIGN_IN_FAILURES_MAX, SIGN_IN_FAILURES_MAX + 1, SIGN_IN_FAILURES_MAX + 2].map(
        computeSignInDelayMs
      ),
      [0, SIGN_IN_FIRST_WAIT_MS, 2 * SIGN_IN_FIRST_WAIT_MS, 4 * SIGN_IN_FIRST_WAIT_MS]
    )
    assert.strictEqual(computeSignInDelayMs(1_000_000), SIGN_IN_LONGEST_WAIT_MS)
  })

  it("never become shorter, nor longer than the longest", () => {
    fc.assert(
      fc.property(fc.nat(100_000), (failures) => {
        assert.isAtLeast(computeSignInDelayMs(failures + 1), computeSignInDelayMs(failures))
        assert.isAtMost(computeSignInDelayMs(failures), SIGN_IN_LONGEST_WAIT_MS)
      })
    )
  })

  it("are listed as the rule says, the last for all after it", () => {
    SIGN_IN_DELAYS_MS.forEach((wait, at) => {
      assert.strictEqual(wait, computeSignInDelayMs(at + 1))
    })
    assert.strictEqual(computeSignInDelayMs(SIGN_IN_DELAYS_MS.length + 1), SIGN_IN_DELAYS_MS.at(-1))
    assert.notStrictEqual(SIGN_IN_DELAYS_MS.at(-2), SIGN_IN_DELAYS_MS.at(-1))
  })
})

describe("an e-mail address that is counted", () => {
  it("is one whatever its letter case and the blanks around it", () => {
    assert.deepStrictEqual(emailDigestOf(" Host@Example.COM "), emailDigestOf("host@example.com"))
    assert.notDeepEqual(emailDigestOf("host@example.com"), emailDigestOf("guest@example.com"))
    assert.lengthOf(emailDigestOf(""), 32)
  })
})
