import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { addDays, daysInRange } from "../../../../src/contract/time.ts"
import {
  firstOfMonthAfter,
  listUnavailablePeriods,
  parseLinkPropertyIds
} from "../../../../src/domain/calendars/calendar-share-links/rules.ts"
import {
  isShareLinkToken,
  newShareLinkToken
} from "../../../../src/domain/calendars/calendar-share-links/share-link-url.ts"

const FIRST = "2027-02-20"
const calendar = fc
  .array(fc.boolean(), { maxLength: 60 })
  .map((days) => days.map((available, index) => ({ date: addDays(FIRST, index), available })))

describe("taken stretches", () => {
  it("hold exactly the days that are not free", () => {
    fc.assert(
      fc.property(calendar, (days) => {
        const taken = listUnavailablePeriods(days).flatMap(({ start, end }) =>
          Array.from({ length: daysInRange(start, end) - 1 }, (_, index) => addDays(start, index))
        )
        assert.deepStrictEqual(
          taken,
          days.filter(({ available }) => !available).map(({ date }) => date)
        )
      })
    )
  })

  it("are in order and never touch", () => {
    fc.assert(
      fc.property(calendar, (days) => {
        const stretches = listUnavailablePeriods(days)
        stretches.forEach(({ start, end }, index) => {
          assert.isBelow(Date.parse(start), Date.parse(end))
          const next = stretches[index + 1]
          if (next !== undefined) assert.isBelow(Date.parse(end), Date.parse(next.start))
        })
      })
    )
  })
})

describe("the first day of a month", () => {
  it("is as many months away as asked", () => {
    assert.strictEqual(firstOfMonthAfter("2027-11-30", 0), "2027-11-01")
    assert.strictEqual(firstOfMonthAfter("2027-11-30", 1), "2027-12-01")
    assert.strictEqual(firstOfMonthAfter("2027-11-30", 2), "2028-01-01")
    assert.strictEqual(firstOfMonthAfter("2027-01-31", -1), "2026-12-01")
    assert.strictEqual(firstOfMonthAfter("2027-01-31", 24), "2029-01-01")
  })

  it("is reached step by step as at once", () => {
    const day = fc.integer({ min: 0, max: 5000 }).map((days) => addDays("2020-01-01", days))
    const months = fc.integer({ min: -60, max: 60 })
    fc.assert(
      fc.property(day, months, months, (from, one, two) => {
        assert.strictEqual(firstOfMonthAfter(firstOfMonthAfter(from, one), two), firstOfMonthAfter(from, one + two))
        assert.strictEqual(firstOfMonthAfter(from, 0).slice(0, 7), from.slice(0, 7))
      })
    )
  })
})

describe("a token", () => {
  it("is long, new every time, and recognised", () => {
    const tokens = Array.from({ length: 1000 }, newShareLinkToken)
    assert.strictEqual(new Set(tokens).size, tokens.length)
    assert.isTrue(tokens.every((token) => isShareLinkToken(token) && token.length >= 16))
    for (const odd of ["", "lkcal_", `${tokens[0]}x`, ` ${tokens[0]}`, tokens[0]?.toUpperCase() ?? ""]) {
      assert.isFalse(isShareLinkToken(odd), odd)
    }
  })
})

describe("the properties of a link", () => {
  it("are none for the entire calendar and at least one for a part of it", () => {
    assert.deepStrictEqual(parseLinkPropertyIds({ scope: "entire" }), Result.succeed([]))
    assert.deepStrictEqual(parseLinkPropertyIds({ scope: "entire", property_ids: [] }), Result.succeed([]))
    assert.deepStrictEqual(parseLinkPropertyIds({ scope: "partial", property_ids: [3, 1, 3] }), Result.succeed([1, 3]))
    for (const [payload, error] of [
      [{ scope: "entire", property_ids: [1] }, "BadRequest"],
      [{ scope: "partial" }, "BadRequest"],
      [{ scope: "partial", property_ids: [] }, "ValidationFailed"]
    ] as const) {
      const refused = parseLinkPropertyIds(payload)
      assert.isTrue(Result.isFailure(refused) && refused.failure._tag === error, JSON.stringify(payload))
    }
  })
})
