import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { clockText } from "../../../src/resources/stays/rules.ts"

describe("a time of day", () => {
  it("is written with two digits each, whatever the hour and the minute", () => {
    fc.assert(
      fc.property(fc.nat(23), fc.nat(59), (hour, minute) => {
        const text = clockText({ hour, minute }) ?? ""
        assert.match(text, /^\d\d:\d\d$/)
        assert.deepStrictEqual(text.split(":").map(Number), [hour, minute])
      })
    )
  })

  it("that removes one, or was not sent, stays what it is", () => {
    assert.isNull(clockText(null))
    assert.isUndefined(clockText(undefined))
  })
})
