import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { addDays, daysInRange } from "../../../../src/contract/time.ts"
import {
  checkChangeSize,
  checkReadableRange,
  checkResponseSize,
  DEACTIVATED_REMARK,
  listDates,
  makeCalendarBuilder,
  resolveChangedDays
} from "../../../../src/domain/calendars/availability/rules.ts"
import {
  AVAILABILITY_ANSWER_DAYS,
  AVAILABILITY_CHANGE_DAYS,
  AVAILABILITY_END_DAYS,
  AVAILABILITY_START_DAYS
} from "../../../../src/platform/limits.ts"

const TODAY = "2027-05-10"
const at = (distance: number): string => addDays(TODAY, distance)

/** The field an error names; "fits" when there is none. */
const told = (result: Result.Result<unknown, { readonly message: string }>): string =>
  Result.match(result, { onFailure: ({ message }) => message.split(":", 1)[0] ?? "", onSuccess: () => "fits" })

const near = fc.integer({ min: -10, max: AVAILABILITY_END_DAYS + 10 })

describe("ranges of availability", () => {
  it("may be read when they are in order, begin near today and end in reach", () => {
    fc.assert(
      fc.property(fc.integer({ min: -400, max: 400 }), near, (first, last) => {
        const expected =
          last < first
            ? "start_date"
            : Math.abs(first) > AVAILABILITY_START_DAYS
              ? "start_date"
              : last > AVAILABILITY_END_DAYS
                ? "end_date"
                : "fits"
        assert.strictEqual(told(checkReadableRange({ start: at(first), end: at(last) }, TODAY)), expected)
      })
    )
  })

  it("fill one answer and no more", () => {
    const over = (days: number) => ({ start: TODAY, end: at(days - 1) })
    assert.strictEqual(told(checkResponseSize(100, over(AVAILABILITY_ANSWER_DAYS / 100))), "fits")
    assert.strictEqual(told(checkResponseSize(100, over(AVAILABILITY_ANSWER_DAYS / 100 + 1))), "property_ids")
  })

  it("fill one change and no more", () => {
    const days = listDates(TODAY, at(AVAILABILITY_CHANGE_DAYS / 100 - 1))
    assert.strictEqual(told(checkChangeSize(100, days)), "fits")
    assert.strictEqual(told(checkChangeSize(100, [...days, at(days.length)])), "property_ids")
  })
})

describe("the days a change names", () => {
  it("are those of a range from today on, in order", () => {
    fc.assert(
      fc.property(near, near, (first, last) => {
        const named = resolveChangedDays({ start_date: at(first), end_date: at(last), dates: [at(1)] }, TODAY)
        const expected = last < first || first < 0 ? "start_date" : last > AVAILABILITY_END_DAYS ? "end_date" : "fits"
        assert.strictEqual(told(named), expected)
        if (expected !== "fits") return
        const days = Result.getOrElse(named, () => [])
        assert.strictEqual(days.length, last - first + 1)
        days.forEach((day, index) => {
          assert.strictEqual(day, at(first + index))
        })
      })
    )
  })

  it("or single dates, in order and each once", () => {
    fc.assert(
      fc.property(fc.array(near, { minLength: 1, maxLength: 30 }), (distances) => {
        const named = resolveChangedDays({ dates: distances.map(at) }, TODAY)
        const inReach = distances.every((distance) => distance >= 0 && distance <= AVAILABILITY_END_DAYS)
        assert.strictEqual(told(named), inReach ? "fits" : "dates")
        if (!inReach) return
        const expected = Array.from(new Set(distances)).toSorted((one, other) => one - other)
        assert.deepStrictEqual(
          Result.getOrElse(named, () => []),
          expected.map(at)
        )
      })
    )
  })

  it("are needed, and a range has both ends", () => {
    assert.deepStrictEqual(
      [{}, { start_date: TODAY }, { end_date: TODAY }, { dates: [] }].map((payload) =>
        told(resolveChangedDays(payload, TODAY))
      ),
      ["start_date", "end_date", "start_date", "dates"]
    )
  })
})

describe("a calendar", () => {
  it("tells every day of its range, taken where it is, remarked on where it is, not let from a day on, and nothing else", () => {
    const distance = fc.integer({ min: -3, max: 45 })
    const distances = fc.uniqueArray(distance, { maxLength: 20 })
    const length = fc.integer({ min: 0, max: 40 })
    fc.assert(
      fc.property(
        length,
        distances,
        distances,
        distances,
        fc.option(distance),
        (length, taken, remarked, busy, not_let_from) => {
          const range = { start: TODAY, end: at(length) }
          const calendar = makeCalendarBuilder(range)
          const known = {
            taken,
            remarks: Object.fromEntries(remarked.map((distance) => [String(distance), `at ${distance}`])),
            elsewhere: { "a.example": busy, "b.example": taken },
            not_let_from
          }
          const days = calendar(known)
          assert.strictEqual(days.length, daysInRange(range.start, range.end))
          days.forEach((day, distance) => {
            const isLet = not_let_from === null || distance < not_let_from
            const hosts = [
              ...(busy.includes(distance) ? ["a.example"] : []),
              ...(taken.includes(distance) ? ["b.example"] : [])
            ]
            const remarks = [
              ...(remarked.includes(distance) ? [`at ${distance}`] : []),
              ...(hosts.length === 0 ? [] : [`Busy in the calendar of ${hosts.join(", ")}`]),
              ...(isLet ? [] : [DEACTIVATED_REMARK])
            ]
            assert.deepStrictEqual(day, {
              date: at(distance),
              available: isLet && !taken.includes(distance),
              remarks: remarks.join("; ")
            })
          })
          const free = calendar({ taken: [], remarks: {}, elsewhere: {}, not_let_from: null })
          assert.isTrue(free.every((day) => day.available && day.remarks === ""))
        }
      )
    )
  })
})
