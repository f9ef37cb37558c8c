import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { addDays } from "../../../../src/contract/time.ts"
import { CALENDAR_DAYS, CALENDAR_DAYS_MAX } from "../../../../src/platform/limits.ts"
import { findChangedDays } from "../../../../src/transports/console/host/calendar/block-actions.ts"
import { formatShortPrice } from "../../../../src/transports/console/host/calendar/calendar-grid.ts"
import {
  groupByMonth,
  makeWindow,
  parseDayCount
} from "../../../../src/transports/console/host/calendar/calendar-window.ts"
import { toStoredRanges } from "../../../../src/transports/console/host/calendar/price-actions.ts"
import { countLanes, placeBars } from "../../../../src/transports/console/host/calendar/stay-bars.ts"

const FIRST = "2027-05-01"
const nights = fc
  .tuple(fc.integer({ min: -40, max: 70 }), fc.integer({ min: 1, max: 50 }))
  .map(([start, count]) => ({ checkIn: addDays(FIRST, start), checkOut: addDays(FIRST, start + count), value: start }))

describe("the bars of stays", () => {
  it("begin at noon of the check-in day and end at noon of the check-out day", () => {
    const [bar] = placeBars([{ checkIn: "2027-05-02", checkOut: "2027-05-05", value: "Ada" }], FIRST, 30)
    assert.deepInclude(bar, { start: 3, length: 6, lane: 0, startsEarlier: false, endsLater: false })
  })

  it("are cut at the edges of the calendar", () => {
    const spans = [
      { checkIn: "2027-04-20", checkOut: FIRST, value: "leaves today" },
      { checkIn: "2027-05-03", checkOut: "2027-05-09", value: "stays on" },
      { checkIn: "2027-04-20", checkOut: "2027-04-30", value: "has left" }
    ]
    assert.deepStrictEqual(
      placeBars(spans, FIRST, 3).map(({ value, start, length, startsEarlier, endsLater }) => [
        ...[value, start, length],
        ...[startsEarlier, endsLater]
      ]),
      [
        ["leaves today", 0, 1, true, false],
        ["stays on", 5, 1, false, true]
      ]
    )
  })

  it("share a lane only if they do not overlap, and stay within the calendar", () => {
    fc.assert(
      fc.property(fc.array(nights, { maxLength: 12 }), fc.integer({ min: 1, max: 31 }), (spans, dayCount) => {
        const bars = placeBars(spans, FIRST, dayCount)
        for (const [index, bar] of bars.entries()) {
          assert.isAtLeast(bar.start, 0)
          assert.isAtMost(bar.start + bar.length, 2 * dayCount)
          const others = bars.slice(index + 1).filter(({ lane }) => lane === bar.lane)
          assert.isTrue(
            others.every((other) => other.start >= bar.start + bar.length || bar.start >= other.start + other.length)
          )
          assert.isBelow(bar.lane, countLanes(bars))
        }
      })
    )
  })

  it("of guests who change on the same day are in one lane", () => {
    const spans = [
      { checkIn: "2027-05-02", checkOut: "2027-05-05", value: "Ada" },
      { checkIn: "2027-05-05", checkOut: "2027-05-06", value: "Bea" }
    ]
    assert.strictEqual(countLanes(placeBars(spans, FIRST, 30)), 1)
  })
})

describe("the days of the calendar", () => {
  it("are limited", () => {
    assert.deepStrictEqual(
      [null, "x", "0", "7", String(CALENDAR_DAYS_MAX), String(CALENDAR_DAYS_MAX + 1)].map(parseDayCount),
      [CALENDAR_DAYS, CALENDAR_DAYS, CALENDAR_DAYS, 7, CALENDAR_DAYS_MAX, CALENDAR_DAYS_MAX]
    )
  })

  it("are grouped by month", () => {
    assert.deepStrictEqual(groupByMonth(makeWindow("2027-05-30", 4).days), [
      { month: "2027-05", dayCount: 2 },
      { month: "2027-06", dayCount: 2 }
    ])
  })
})

describe("an undo", () => {
  const stored = (day: string, closed: boolean, price: number | null) => ({
    ...{ day, closed, price },
    ...{ minimum_stay: null, maximum_stay: null }
  })
  const property = (id: number, days: ReadonlyArray<ReturnType<typeof stored>>) => ({ id, title: `Room ${id}`, days })
  const span = { first: "2027-05-01", last: "2027-05-04" }

  it("of a block unblocks only the days that were not blocked before", () => {
    const before = [property(1, [stored("2027-05-02", true, null)]), property(2, []), property(3, [])]
    assert.deepStrictEqual(findChangedDays(before, span, false), [
      {
        ids: [1],
        ranges: [
          ["2027-05-01", "2027-05-01"],
          ["2027-05-03", "2027-05-04"]
        ]
      },
      { ids: [2, 3], ranges: [["2027-05-01", "2027-05-04"]] }
    ])
    assert.deepStrictEqual(findChangedDays(before, span, true), [{ ids: [1], ranges: [["2027-05-02", "2027-05-02"]] }])
  })

  it("of prices has the stored values of the changed fields, and null where none was stored", () => {
    const before = property(1, [stored("2027-05-02", false, 90), stored("2027-05-03", false, 90)])
    assert.deepStrictEqual(toStoredRanges(before, span, ["price"]), [
      { start_date: "2027-05-01", end_date: "2027-05-01", price: null },
      { start_date: "2027-05-02", end_date: "2027-05-03", price: 90 },
      { start_date: "2027-05-04", end_date: "2027-05-04", price: null }
    ])
  })
})

describe("a price in a cell", () => {
  it("is short", () => {
    assert.deepStrictEqual(["120", "9999", "12500"].map(formatShortPrice), ["120", "9999", "12.5K"])
  })
})
