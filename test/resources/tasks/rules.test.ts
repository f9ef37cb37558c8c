import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { addDays } from "../../../src/contract/time.ts"
import { feeText, propertyOf, rangeOf } from "../../../src/resources/tasks/rules.ts"

const id = fc.integer({ min: 1, max: 5 })
const idOrNull = fc.option(id)

describe("the property of a task", () => {
  it("is the one asked for, else that of the stay, and never contradicts the stay", () => {
    fc.assert(
      fc.property(idOrNull, fc.option(fc.record({ propertyId: idOrNull })), (asked, stay) => {
        const property = propertyOf(asked, stay)
        const ofStay = stay?.propertyId ?? null
        if (asked !== null && ofStay !== null && asked !== ofStay) {
          assert.isTrue(Result.isFailure(property))
        } else {
          assert.deepStrictEqual(property, Result.succeed(asked ?? ofStay))
        }
      })
    )
  })
})

describe("the days of a search", () => {
  const day = fc.integer({ min: 0, max: 800 }).map((days) => addDays("2027-01-01", days))

  it("run from start_date to end_date, which may be the same", () => {
    fc.assert(
      fc.property(day, day, (start_date, end_date) => {
        const range = rangeOf({ start_date, end_date })
        assert.strictEqual(Result.isSuccess(range), start_date <= end_date)
      })
    )
    assert.deepStrictEqual(rangeOf({}), Result.succeed(undefined))
  })
})

describe("a fee", () => {
  it("is not finer than its currency", () => {
    assert.deepStrictEqual(feeText(30.5, "EUR"), Result.succeed("30.50"))
    assert.deepStrictEqual(feeText(0, "EUR"), Result.succeed("0.00"))
    assert.deepStrictEqual(feeText(30, "JPY"), Result.succeed("30"))
    assert.deepStrictEqual(feeText(30.125, "KWD"), Result.succeed("30.125"))
    assert.isTrue(Result.isFailure(feeText(30.125, "EUR")))
    assert.isTrue(Result.isFailure(feeText(30.5, "JPY")))
  })
})
