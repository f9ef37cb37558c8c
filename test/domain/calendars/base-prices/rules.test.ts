import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { addDays } from "../../../../src/contract/time.ts"
import type { BasePriceRange } from "../../../../src/domain/calendars/base-prices/contract.ts"
import {
  describeStayConflict,
  toDayChanges,
  toWeekday,
  validateBasePriceRanges
} from "../../../../src/domain/calendars/base-prices/rules.ts"

const TODAY = "2027-04-20"
const VALUES = ["price", "minimum_stay", "maximum_stay"] as const

const valueArbitrary = fc.option(fc.integer({ min: 1, max: 9 }), { nil: null })

const rangeArbitrary: fc.Arbitrary<BasePriceRange> = fc
  .tuple(
    fc.integer({ min: 0, max: 30 }),
    fc.integer({ min: 0, max: 20 }),
    fc.record(
      {
        weekdays: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 7 }),
        price: valueArbitrary,
        minimum_stay: valueArbitrary,
        maximum_stay: valueArbitrary
      },
      { requiredKeys: [] }
    )
  )
  .map(([start, length, rest]) => ({
    start_date: addDays(TODAY, start),
    end_date: addDays(TODAY, start + length),
    ...rest
  }))

/** The weekday as the platform computes it. */
const platformWeekday = (date: string) => new Date(`${date}T00:00:00Z`).getUTCDay() || 7

const covers = ({ start_date, end_date, weekdays }: BasePriceRange, date: string) =>
  start_date <= date && date <= end_date && (weekdays === undefined || weekdays.includes(platformWeekday(date)))

const faultOf = (range: object) => {
  const valid = { start_date: TODAY, end_date: TODAY, price: 1 }
  const result = validateBasePriceRanges([valid, { ...valid, ...range }], TODAY)
  return Result.isFailure(result) ? result.failure.message : undefined
}

describe("base prices", () => {
  it("know the weekday of every date", () => {
    fc.assert(
      fc.property(fc.integer({ min: -30_000, max: 60_000 }), (distance) => {
        const date = addDays("1970-01-01", distance)
        assert.strictEqual(toWeekday(date), platformWeekday(date))
      }),
      { numRuns: 200 }
    )
  })

  it("take each value of a day from the last range that gives it", () => {
    fc.assert(
      fc.property(fc.array(rangeArbitrary, { minLength: 1, maxLength: 6 }), (ranges) => {
        const changes = new Map(toDayChanges(ranges).map((change) => [change.date, change]))
        for (let distance = 0; distance <= 51; distance++) {
          const date = addDays(TODAY, distance)
          const covering = ranges.filter((range) => covers(range, date))
          assert.strictEqual(changes.has(date), covering.length > 0)
          for (const name of VALUES) {
            const last = covering.findLast((range) => range[name] !== undefined)
            assert.strictEqual(changes.get(date)?.[name], last?.[name])
          }
        }
        const dates = Array.from(changes.keys())
        assert.deepStrictEqual(dates, dates.toSorted())
      }),
      { numRuns: 200 }
    )
  })

  it("reject a range by its index and field", () => {
    assert.strictEqual(faultOf({}), undefined)
    assert.match(faultOf({ end_date: addDays(TODAY, -1) }) ?? "", /^ranges\[1\]\.end_date: .*start_date/)
    assert.match(faultOf({ start_date: addDays(TODAY, -1) }) ?? "", /^ranges\[1\]\.start_date: .*today/)
    assert.match(faultOf({ price: undefined }) ?? "", /^ranges\[1\]\.price: is required, unless/)
    assert.match(
      faultOf({ minimum_stay: 4, maximum_stay: 3 }) ?? "",
      /^ranges\[1\]\.minimum_stay: must not be above maximum_stay\.$/
    )
    assert.strictEqual(faultOf({ minimum_stay: 3, maximum_stay: 3 }), undefined)
    assert.strictEqual(faultOf({ minimum_stay: 3, maximum_stay: null }), undefined)
  })

  it("name the last range that sets a stay length of a contradictory day", () => {
    const day = { start_date: TODAY, end_date: TODAY }
    const ranges = [
      { ...day, minimum_stay: 5 },
      { ...day, maximum_stay: 2 },
      { ...day, price: 1 }
    ]
    assert.strictEqual(
      describeStayConflict(ranges, TODAY),
      `ranges[1].maximum_stay: must not be below minimum_stay on ${TODAY}.`
    )
    assert.strictEqual(
      describeStayConflict(ranges.slice(0, 1), TODAY),
      `ranges[0].minimum_stay: must not be above maximum_stay on ${TODAY}.`
    )
  })
})
