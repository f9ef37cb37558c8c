import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { addDays, dayNumber } from "../../../../src/contract/time.ts"
import { lanesOf } from "../../../../src/transports/console/host/calendar/lanes.ts"

const FIRST = "2027-05-01"
const spanning = fc
  .tuple(fc.integer({ min: -40, max: 70 }), fc.integer({ min: 1, max: 50 }), fc.nat())
  .map(([from, days, what]) => ({ from: addDays(FIRST, from), before: addDays(FIRST, from + days), what }))

const days = fc.integer({ min: 1, max: 31 })

describe("the lanes of a month", () => {
  it("are each as long as the month, and show each thing once, as far as it lies in it", () => {
    fc.assert(
      fc.property(fc.array(spanning, { maxLength: 12 }), days, (all, length) => {
        const things = all.map((each, index) => ({ ...each, what: index }))
        const lanes = lanesOf(things, FIRST, length)
        for (const lane of lanes) {
          assert.strictEqual(
            lane.reduce((sum, cell) => sum + cell.days, 0),
            length
          )
          lane.reduce((at, cell) => {
            assert.strictEqual(cell.at, at)
            return at + cell.days
          }, 0)
        }
        for (const { from, before, what } of things) {
          const [start, end] = [dayNumber(from) - dayNumber(FIRST), dayNumber(before) - dayNumber(FIRST)]
          const [at, until] = [Math.max(start, 0), Math.min(end, length)]
          const shown = lanes.flat().filter((cell) => cell.what === what)
          assert.deepStrictEqual(
            shown.map((cell) => [cell.at, cell.days, cell.before, cell.after]),
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
          (day) => all.filter(({ from, before }) => from <= day && day < before).length
        )
        const lanes = lanesOf(
          all.toSorted((one, other) => (one.from < other.from ? -1 : 1)),
          FIRST,
          length
        )
        assert.strictEqual(lanes.length, Math.max(1, ...crowd))
      })
    )
  })

  it("have what comes first in the list in the first lane", () => {
    const request = { from: "2027-05-02", before: "2027-05-09", what: "request" }
    const stay = { from: "2027-05-05", before: "2027-05-08", what: "stay" }
    const [one, two] = lanesOf([stay, request], FIRST, 31)
    assert.deepStrictEqual(
      [one?.map(({ what }) => what).filter(Boolean), two?.map(({ what }) => what).filter(Boolean)],
      [["stay"], ["request"]]
    )
  })
})
