import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { addDays, toDayNumber } from "../../../../src/contract/time.ts"
import { toCalendarRows } from "../../../../src/transports/console/host/calendar/calendar-rows.ts"

const FIRST = "2027-05-01"
const spanning = fc
  .tuple(fc.integer({ min: -40, max: 70 }), fc.integer({ min: 1, max: 50 }), fc.nat())
  .map(([from, days, what]) => ({ from: addDays(FIRST, from), end: addDays(FIRST, from + days), value: what }))

const days = fc.integer({ min: 1, max: 31 })

describe("the lanes of a month", () => {
  it("are each as long as the month, and show each thing once, as far as it lies in it", () => {
    fc.assert(
      fc.property(fc.array(spanning, { maxLength: 12 }), days, (all, length) => {
        const things = all.map((each, index) => ({ ...each, value: index }))
        const lanes = toCalendarRows(things, FIRST, length)
        for (const lane of lanes) {
          assert.strictEqual(
            lane.reduce((sum, cell) => sum + cell.days, 0),
            length
          )
          lane.reduce((at, cell) => {
            assert.strictEqual(cell.start, at)
            return at + cell.days
          }, 0)
        }
        for (const { from, end: before, value: what } of things) {
          const [start, end] = [toDayNumber(from) - toDayNumber(FIRST), toDayNumber(before) - toDayNumber(FIRST)]
          const [at, until] = [Math.max(start, 0), Math.min(end, length)]
          const shown = lanes.flat().filter((cell) => cell.value === what)
          assert.deepStrictEqual(
            shown.map((cell) => [cell.start, cell.days, cell.startsEarlier, cell.endsLater]),
            at < until ? [[at, until - at, start < 0, end > length]] : []
          )
        }
      })
    )
  })

  it("are one where nothing takes the same day, and as many as take the same day at most", () => {
    fc.assert(
      fc.property(fc.array(spanning, { maxLength: 12 }), days, (all, length) => {
        const crowd = Array.from({ length }, (_, at) => addDays(FIRST, at)).map(
          (day) => all.filter(({ from, end }) => from <= day && day < end).length
        )
        const lanes = toCalendarRows(
          all.toSorted((one, other) => (one.from < other.from ? -1 : 1)),
          FIRST,
          length
        )
        assert.strictEqual(lanes.length, Math.max(1, ...crowd))
      })
    )
  })

  it("have what comes first in the list in the first lane", () => {
    const request = { from: "2027-05-02", end: "2027-05-09", value: "request" }
    const stay = { from: "2027-05-05", end: "2027-05-08", value: "stay" }
    const [one, two] = toCalendarRows([stay, request], FIRST, 31)
    assert.deepStrictEqual(
      [one?.map(({ value: what }) => what).filter(Boolean), two?.map(({ value: what }) => what).filter(Boolean)],
      [["stay"], ["request"]]
    )
  })
})
