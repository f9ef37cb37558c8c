import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { CALLING_CODES, findCallingCode } from "../../../../src/domain/work/staffs/calling-codes.ts"
import { invalidMobileError, parseMobile } from "../../../../src/domain/work/staffs/rules.ts"
import { MOBILE_DIGITS_MAX, MOBILE_DIGITS_MIN } from "../../../../src/platform/limits.ts"

const digits = (least: number, most: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: least, maxLength: most }).map((all) => all.join(""))

const DEPLOYMENTS = ["international", "regional"] as const

describe("a mobile number", () => {
  it("is stored as +<country code> <number>, with any punctuation", () => {
    const codes = fc.constantFrom(...CALLING_CODES)
    const separator = fc.constantFrom("", " ", "-", ".", "/", " (", ") ", "\u00a0", "\u2011", "\u202f", "\u200e")
    fc.assert(
      fc.property(codes, digits(MOBILE_DIGITS_MIN, 12), separator, (code, number, between) => {
        for (const deployment of DEPLOYMENTS) {
          assert.strictEqual(parseMobile(deployment, `+${code}${between}${number}`), `+${code} ${number}`)
        }
        assert.strictEqual(parseMobile("international", `${code}${between}${number}`), undefined)
      })
    )
    for (const [text, stored] of [
      ["+491511234567", "+49 1511234567"],
      ["+1 (415) 555-2671", "+1 4155552671"],
      ["+1.415.555.2671", "+1 4155552671"],
      ["\u202a+1 415 555 2671\u202c", "+1 4155552671"],
      ["+49\u00a0151\u00a01234567", "+49 1511234567"],
      ["\uff0b\uff14\uff19 151 1234567", "+49 1511234567"],
      ["+49 (0)151 1234567", "+49 1511234567"]
    ] as const) {
      assert.strictEqual(parseMobile("international", text), stored)
    }
  })

  it("keeps the form in which it was stored", () => {
    fc.assert(
      fc.property(fc.constantFrom(...DEPLOYMENTS), fc.string({ unit: "binary" }), (deployment, text) => {
        const stored = parseMobile(deployment, text)
        if (stored !== undefined) assert.strictEqual(parseMobile(deployment, stored), stored)
      })
    )
  })

  it("goes without a country code on the regional deployment alone", () => {
    fc.assert(
      fc.property(digits(MOBILE_DIGITS_MIN, MOBILE_DIGITS_MAX), (number) => {
        assert.strictEqual(parseMobile("regional", number), number)
        assert.strictEqual(parseMobile("international", number), undefined)
      })
    )
    assert.strictEqual(parseMobile("regional", "138-0013 8000"), "13800138000")
  })

  it("must have an existing country code", () => {
    for (const odd of ["+0 15112345", "+049 15112345", "+999 15112345", "+210 15112345", "+21", "+ ", ""]) {
      for (const deployment of DEPLOYMENTS) assert.strictEqual(parseMobile(deployment, odd), undefined, odd)
    }
    for (const code of CALLING_CODES) {
      assert.strictEqual(findCallingCode(`${code}0000`), code)
    }
  })

  it("may contain only digits and punctuation", () => {
    for (const odd of ["+49 1511a345", "+49 151 1234567 ext. 5", "49+15112345", "++4915112345", "+49 151,12345"]) {
      for (const deployment of DEPLOYMENTS) assert.strictEqual(parseMobile(deployment, odd), undefined, odd)
    }
  })

  it("has neither too few digits nor too many", () => {
    const number = (length: number) => "1".repeat(length)
    const isOne = (deployment: (typeof DEPLOYMENTS)[number], text: string) =>
      parseMobile(deployment, text) !== undefined
    assert.isTrue(isOne("international", `+49 ${number(MOBILE_DIGITS_MIN)}`))
    assert.isFalse(isOne("international", `+49 ${number(MOBILE_DIGITS_MIN - 1)}`))
    assert.isTrue(isOne("international", `+49 ${number(MOBILE_DIGITS_MAX - 2)}`))
    assert.isFalse(isOne("international", `+49 ${number(MOBILE_DIGITS_MAX - 1)}`))
    assert.isTrue(isOne("regional", number(MOBILE_DIGITS_MAX)))
    assert.isFalse(isOne("regional", number(MOBILE_DIGITS_MAX + 1)))
    assert.isTrue(isOne("regional", number(MOBILE_DIGITS_MIN)))
    assert.isFalse(isOne("regional", number(MOBILE_DIGITS_MIN - 1)))
  })

  it("gets an error message with the form of its deployment", () => {
    assert.match(invalidMobileError("international").message, /^mobile: must be \+.* \+49 15112345678/)
    assert.match(invalidMobileError("regional").message, /^mobile: .*4 to 15 .*13800138000.*\+49 15112345678/)
  })
})
