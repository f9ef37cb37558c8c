import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { MOBILE_DIGITS_MAX, MOBILE_DIGITS_MIN } from "../../../src/limits.ts"
import { isMobile } from "../../../src/resources/staffs/rules.ts"

const digits = (least: number, most: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: least, maxLength: most }).map((all) => all.join(""))

describe("a mobile number", () => {
  it("is a country code and a number on the international deployment", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999 }), digits(MOBILE_DIGITS_MIN, 12), (country, number) => {
        assert.isTrue(isMobile("international", `+${country} ${number}`))
        assert.isTrue(isMobile("regional", `+${country} ${number}`))
        assert.isFalse(isMobile("international", `+${country}${number}`))
        assert.isFalse(isMobile("international", `${country} ${number}`))
        assert.isFalse(isMobile("international", `+${country}  ${number}`))
      })
    )
  })

  it("goes without a country code on the regional deployment alone", () => {
    fc.assert(
      fc.property(digits(MOBILE_DIGITS_MIN, MOBILE_DIGITS_MAX), (number) => {
        assert.isTrue(isMobile("regional", number))
        assert.isFalse(isMobile("international", number))
      })
    )
  })

  it("may part its digits by single spaces and hyphens", () => {
    assert.isTrue(isMobile("international", "+49 151 123-456 78"))
    assert.isTrue(isMobile("regional", "138 0013 8000"))
    for (const odd of [
      "+49 151--12345",
      "+49 151 12345 ",
      "+49 -15112345",
      "+49 151.12345",
      " +49 15112345",
      "+49 1511a345"
    ]) {
      assert.isFalse(isMobile("international", odd), odd)
      assert.isFalse(isMobile("regional", odd), odd)
    }
  })

  it("has neither too few digits nor too many", () => {
    const number = (length: number) => "1".repeat(length)
    assert.isTrue(isMobile("international", `+49 ${number(MOBILE_DIGITS_MIN)}`))
    assert.isFalse(isMobile("international", `+49 ${number(MOBILE_DIGITS_MIN - 1)}`))
    assert.isTrue(isMobile("international", `+49 ${number(MOBILE_DIGITS_MAX - 2)}`))
    assert.isFalse(isMobile("international", `+49 ${number(MOBILE_DIGITS_MAX - 1)}`))
    assert.isTrue(isMobile("regional", number(MOBILE_DIGITS_MAX)))
    assert.isFalse(isMobile("regional", number(MOBILE_DIGITS_MAX + 1)))
    assert.isTrue(isMobile("regional", number(MOBILE_DIGITS_MIN)))
    assert.isFalse(isMobile("regional", number(MOBILE_DIGITS_MIN - 1)))
  })

  it("has no country code that begins with zero or has four digits", () => {
    for (const odd of ["+0 15112345", "+049 15112345", "+4915 112345", "+ 15112345", ""]) {
      assert.isFalse(isMobile("international", odd), odd)
    }
  })
})
