import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import {
  addDays,
  DAY_STARTS,
  dateInZone,
  daysInRange,
  instantOf,
  instantsOfDays,
  instantText,
  startOfDay
} from "../../src/contract/time.ts"

// Zones whose clocks change at midnight, at other hours, by half an hour, on other days of the year, or never.
const zones = fc.constantFrom(
  "Europe/Berlin",
  "America/New_York",
  "America/Sao_Paulo",
  "Africa/Cairo",
  "Asia/Beirut",
  "America/Havana",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Asia/Shanghai",
  "Pacific/Kiritimati",
  "UTC"
)
const days = fc
  .date({ min: new Date("2000-01-01"), max: new Date("2036-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))

describe("startOfDay", () => {
  it("answers the same for a day it remembers, and still when it remembers as many as it may", () => {
    const day = (index: number) => addDays("1990-01-01", index)
    const asked = (index: number) => startOfDay(day(index), "Etc/GMT+5").toISOString()
    // The last one of these makes it forget all the others.
    for (let index = 0; index <= DAY_STARTS; index++) assert.strictEqual(asked(index), `${day(index)}T05:00:00.000Z`)
    for (const index of [0, 1, DAY_STARTS - 1, DAY_STARTS]) {
      assert.strictEqual(asked(index), `${day(index)}T05:00:00.000Z`)
    }
  })

  it("hands out an instant of its own each time", () => {
    startOfDay("2027-05-07", "UTC").setTime(0)
    assert.strictEqual(startOfDay("2027-05-07", "UTC").getTime(), Date.parse("2027-05-07T00:00:00Z"))
  })
})

describe("instantsOfDays", () => {
  it("holds exactly the instants whose local date is in the range", () => {
    fc.assert(
      fc.property(zones, days, fc.integer({ min: 0, max: 40 }), (zone, start, more) => {
        const end = addDays(start, more)
        const { from, until } = instantsOfDays(start, end, zone)
        assert.strictEqual(dateInZone(from, zone), start)
        assert.strictEqual(dateInZone(until.getTime() - 1, zone), end)
        assert.isTrue(dateInZone(from.getTime() - 1, zone) < start)
        assert.isTrue(dateInZone(until, zone) > end)
      }),
      { numRuns: 500 }
    )
  })

  it("knows days of 23 and of 25 hours", () => {
    const hours = (day: string) => {
      const { from, until } = instantsOfDays(day, day, "Europe/Berlin")
      return (until.getTime() - from.getTime()) / 3_600_000
    }
    assert.deepStrictEqual([hours("2026-03-28"), hours("2026-03-29"), hours("2026-10-25")], [24, 23, 25])
  })

  it("starts a day whose midnight is skipped at its first instant", () => {
    const { from } = instantsOfDays("2018-11-04", "2018-11-04", "America/Sao_Paulo")
    assert.strictEqual(from.toISOString(), "2018-11-04T03:00:00.000Z")
  })
})

describe("daysInRange", () => {
  it("counts both ends", () => {
    assert.strictEqual(daysInRange("2027-01-01", "2027-01-01"), 1)
    assert.strictEqual(daysInRange("2028-01-01", "2028-12-31"), 366)
    assert.isTrue(daysInRange("2027-01-02", "2027-01-01") < 1)
  })

  it("undoes addDays", () => {
    fc.assert(
      fc.property(
        days,
        fc.integer({ min: 0, max: 5000 }),
        (day, more) => daysInRange(day, addDays(day, more)) === more + 1
      )
    )
  })
})

describe("instantOf", () => {
  it("is what instantText said, in any zone", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true }),
        zones,
        (instant, zone) => {
          assert.strictEqual(instantOf(instantText(instant), zone).getTime(), instant.getTime())
        }
      )
    )
  })

  const same = "2027-05-07T08:00:00Z"
  for (const text of [
    "2027-05-07T10:00:00+02:00",
    "2027-05-07T10:00:00+0200",
    "2027-05-07 10:00",
    "2027-05-07T10:00:00",
    "2027-05-07t08:00:00.000z"
  ]) {
    it(`reads ${text} in Berlin as ${same}`, () => {
      assert.strictEqual(instantText(instantOf(text, "Europe/Berlin")), same)
    })
  }
})
