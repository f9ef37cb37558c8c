import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { addDays, daysInRange } from "../../../../src/contract/time.ts"
import { computeNextComparisonAt, findDrift } from "../../../../src/domain/calendars/listing-calendars/drift.ts"
import {
  clipRanges,
  type ListingInventory,
  listDayOffsets,
  toCalendarInventories,
  toHostInventories
} from "../../../../src/domain/calendars/listing-calendars/listing-inventory.ts"
import { LISTING_INVENTORY_MAX, LISTING_RANGES_MAX } from "../../../../src/platform/limits.ts"

const FIRST = "2027-05-01"
const LENGTH = 20
const LAST = addDays(FIRST, LENGTH - 1)
const dates = Array.from({ length: LENGTH }, (_, at) => addDays(FIRST, at))

const at = fc.integer({ min: 0, max: LENGTH - 1 })
const range = fc.tuple(at, at).map(([one, other]) => ({
  start_date: addDays(FIRST, Math.min(one, other)),
  end_date: addDays(FIRST, Math.max(one, other))
}))
const ranges = fc.array(range, { maxLength: 6 })
const stocked = fc
  .array(fc.tuple(range, fc.integer({ min: 0, max: 9 })), { minLength: 1, maxLength: 6 })
  .map((all) => all.map(([days, inventory]) => ({ ...days, inventory })))

const stock = fc
  .record({
    rooms: fc.integer({ min: 0, max: 3 }),
    unsellable: fc.array(fc.tuple(at, fc.integer({ min: 1, max: 3 }))),
    said: ranges,
    untold: ranges
  })
  .map(
    (all): ListingInventory => ({
      ...all,
      start_date: FIRST,
      end_date: LAST,
      linked: true,
      unsellable: new Map(all.unsellable)
    })
  )

const names = (date: string) => (days: { readonly start_date: string; readonly end_date: string }) =>
  days.start_date <= date && date <= days.end_date

const freeOn = ({ rooms, unsellable }: ListingInventory, date: string) =>
  Math.max(rooms - (unsellable.get(daysInRange(FIRST, date) - 1) ?? 0), 0)

describe("what a channel is told", () => {
  it("of the calendar is each of the days once, with how many are free, in as few ranges as there can be", () =>
    fc.assert(
      fc.property(stock, ranges, (known, days) => {
        const told = toCalendarInventories(known, days)
        for (const date of dates) {
          const said = told.filter(names(date)).map(({ inventory }) => inventory)
          assert.deepStrictEqual(said, days.some(names(date)) ? [freeOn(known, date)] : [])
        }
        for (const [nth, each] of told.entries()) {
          const before = told[nth - 1]
          if (before === undefined) continue
          assert.isBelow(before.end_date < each.start_date ? 0 : 1, 1)
          assert.isFalse(addDays(before.end_date, 1) === each.start_date && before.inventory === each.inventory)
        }
      })
    ))

  it("of the host's word never sells a night of which nothing can be sold, nor one that the calendar changed since", () =>
    fc.assert(
      fc.property(stock, stocked, (known, asked) => {
        const told = toHostInventories(known, asked)
        for (const date of dates) {
          const word = asked.findLast(names(date))?.inventory
          const free = freeOn(known, date)
          const expected = free === 0 || !known.said.some(names(date)) ? free : word
          assert.deepStrictEqual(
            told.filter(names(date)).map(({ inventory }) => inventory),
            word === undefined || expected === undefined ? [] : [expected]
          )
        }
        assert.deepStrictEqual(toHostInventories({ ...known, linked: false }, asked), asked)
      })
    ))

  it("of the host's word is reckoned once a day, however many ranges name it", () => {
    let reckoned = 0
    const counted = new (class extends Map<number, number> {
      override get(day: number) {
        reckoned += 1
        return super.get(day)
      }
    })()
    const asked = Array.from({ length: LISTING_RANGES_MAX }, (_, nth) => ({
      start_date: FIRST,
      end_date: LAST,
      inventory: nth
    }))
    const days = { start_date: FIRST, end_date: LAST }
    const known: ListingInventory = { ...days, linked: true, rooms: 1, unsellable: counted, said: [days], untold: [] }
    assert.deepStrictEqual(toHostInventories(known, asked), [{ ...days, inventory: LISTING_RANGES_MAX - 1 }])
    assert.strictEqual(reckoned, LENGTH)
  })

  it(`is never more than ${LISTING_INVENTORY_MAX}`, () => {
    const rooms = (count: number): ListingInventory => ({
      start_date: FIRST,
      end_date: FIRST,
      linked: true,
      rooms: count,
      unsellable: new Map(),
      said: [],
      untold: []
    })
    const day = { start_date: FIRST, end_date: FIRST }
    for (const [count, told] of [
      [LISTING_INVENTORY_MAX, LISTING_INVENTORY_MAX],
      [LISTING_INVENTORY_MAX + 1, LISTING_INVENTORY_MAX]
    ] as const)
      assert.deepStrictEqual(toCalendarInventories(rooms(count), [day]), [{ ...day, inventory: told }])
  })

  it("lies between two days, both included", () =>
    fc.assert(
      fc.property(ranges, range, (all, span) => {
        const inside = clipRanges(all, span)
        for (const date of [addDays(FIRST, -1), ...dates, addDays(LAST, 1)])
          assert.strictEqual(inside.some(names(date)), all.some(names(date)) && names(date)(span))
        assert.strictEqual(
          listDayOffsets(FIRST, inside).size,
          dates.filter((date) => all.some(names(date)) && names(date)(span)).length
        )
      })
    ))
})

describe("what drifted", () => {
  it("is each day that the channel sells otherwise, of which nothing is on its way and the host said nothing", () =>
    fc.assert(
      fc.property(
        stock,
        ranges,
        fc.array(fc.integer({ min: 0, max: 4 }), { minLength: LENGTH, maxLength: LENGTH }),
        (known, suspected, sold) => {
          const there = dates.map((date, nth) => ({ date, inventory: sold[nth] ?? 0 }))
          const drift = findDrift(known, [...there, { date: addDays(LAST, 1), inventory: 9 }], suspected)
          for (const { date, inventory } of there) {
            const free = freeOn(known, date)
            const isOurs = !known.untold.some(names(date)) && !(known.said.some(names(date)) && free > 0)
            const fewer = isOurs && inventory < free
            assert.strictEqual(drift.more.includes(date), isOurs && inventory > free)
            assert.strictEqual(drift.fewer.includes(date), fewer && suspected.some(names(date)))
            assert.strictEqual(drift.suspected.includes(date), fewer && !suspected.some(names(date)))
          }
          assert.notInclude(drift.more, addDays(LAST, 1))
        }
      )
    ))

  it("is looked for from three to five at night, each night once", () => {
    const minutes = (text: string) => new Date(`${text}:00Z`)
    const at = (now: string, zone: string, random: number) =>
      computeNextComparisonAt(minutes(now), zone, random).toISOString().slice(0, 16)
    // Berlin is two hours ahead in May.
    assert.strictEqual(at("2027-05-10T10:00", "Europe/Berlin", 0), "2027-05-11T01:00")
    assert.strictEqual(at("2027-05-10T00:59", "Europe/Berlin", 0.5), "2027-05-10T02:00")
    assert.strictEqual(at("2027-05-10T01:00", "Europe/Berlin", 1), "2027-05-11T03:00")
    assert.strictEqual(at("2027-05-10T02:59", "Europe/Berlin", 0), "2027-05-11T01:00")
    assert.strictEqual(at("2027-05-10T22:30", "Europe/Berlin", 0), "2027-05-11T01:00")
    fc.assert(
      fc.property(
        fc.integer({ min: Date.parse("2026-01-01"), max: Date.parse("2029-01-01") }),
        fc.constantFrom("Europe/Berlin", "America/New_York", "Pacific/Apia", "Asia/Kathmandu", "America/Sao_Paulo"),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (now, zone, random) => {
          const next = computeNextComparisonAt(new Date(now), zone, random).getTime()
          assert.isTrue(next > now && next - now <= 32 * 60 * 60 * 1000)
        }
      )
    )
  })
})
