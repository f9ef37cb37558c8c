import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import {
  addDays,
  DAY_NUMBER_CACHE_SIZE,
  DAY_START_CACHE_SIZE,
  dateInZone,
  daysInRange,
  firstInstantAt,
  formatUtcInstant,
  formatWallClock,
  fromDayNumber,
  shortenFraction,
  startOfDay,
  toDayNumber,
  toInstant,
  toInstantRange,
  toUtcInstantText,
  truncateToSecond
} from "../../src/contract/time.ts"
import { PROPERTY_RUNS } from "../support/property-runs.ts"

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
    for (let index = 0; index <= DAY_START_CACHE_SIZE; index++)
      assert.strictEqual(asked(index), `${day(index)}T05:00:00.000Z`)
    for (const index of [0, 1, DAY_START_CACHE_SIZE - 1, DAY_START_CACHE_SIZE]) {
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
        const { from, until } = toInstantRange(start, end, zone)
        assert.strictEqual(dateInZone(from, zone), start)
        assert.strictEqual(dateInZone(until.getTime() - 1, zone), end)
        assert.isTrue(dateInZone(from.getTime() - 1, zone) < start)
        assert.isTrue(dateInZone(until, zone) > end)
      }),
      { numRuns: PROPERTY_RUNS }
    )
  })

  it("knows days of 23 and of 25 hours", () => {
    const hours = (day: string) => {
      const { from, until } = toInstantRange(day, day, "Europe/Berlin")
      return (until.getTime() - from.getTime()) / 3_600_000
    }
    assert.deepStrictEqual([hours("2026-03-28"), hours("2026-03-29"), hours("2026-10-25")], [24, 23, 25])
  })

  it("starts a day whose midnight is skipped at its first instant", () => {
    const { from } = toInstantRange("2018-11-04", "2018-11-04", "America/Sao_Paulo")
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
          assert.strictEqual(toInstant(formatUtcInstant(instant), zone).getTime(), instant.getTime())
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
      assert.strictEqual(formatUtcInstant(toInstant(text, "Europe/Berlin")), same)
    })
  }
})

describe("instantTextOf", () => {
  it("keeps up to six digits of a second of a time in UTC, whatever the zone", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("1900-01-01"), max: new Date("2099-12-31"), noInvalidDate: true }),
        fc.integer({ min: 0, max: 999_999 }),
        zones,
        (instant, microseconds, zone) => {
          const second = truncateToSecond(instant.getTime()).toISOString().slice(0, -5)
          const text = `${second}.${String(microseconds).padStart(6, "0")}Z`
          const read = toUtcInstantText(text, zone)
          assert.strictEqual(shortenFraction(text), read)
          assert.strictEqual(toUtcInstantText(read, zone), read)
          const [, fraction = ""] = /\.(\d+)Z$/.exec(read) ?? []
          assert.strictEqual(Number(fraction.padEnd(6, "0")), microseconds)
          assert.include([0, 3, 6], fraction.length)
        }
      )
    )
  })

  it.each([
    ["2027-05-07T10:00:00.1+02:00", "2027-05-07T08:00:00.100Z"],
    ["2027-05-07 10:00:00.000001", "2027-05-07T08:00:00.000001Z"],
    ["2027-05-07T10:00", "2027-05-07T08:00:00Z"],
    ["2027-05-07t08:00:00.123450z", "2027-05-07T08:00:00.123450Z"]
  ])("reads %s in Berlin as %s", (text, read) => assert.strictEqual(toUtcInstantText(text, "Europe/Berlin"), read))
})

describe("firstInstantOf", () => {
  it.each([
    ["Europe/Lisbon", "2027-05-04", "09:00", "2027-05-04T08:00:00.000Z"],
    ["Asia/Kolkata", "2027-05-04", "09:00", "2027-05-04T03:30:00.000Z"],
    // The clock goes from 1:00 to 2:00: the first instant after the gap.
    ["Europe/Lisbon", "2027-03-28", "01:30", "2027-03-28T01:00:00.000Z"],
    // It shows 1:30 twice: the earlier.
    ["Europe/Lisbon", "2027-10-31", "01:30", "2027-10-31T00:30:00.000Z"],
    ["America/New_York", "2027-03-14", "02:15", "2027-03-14T07:00:00.000Z"],
    ["America/New_York", "2027-11-07", "01:15", "2027-11-07T05:15:00.000Z"],
    // By half an hour: from 2:00 to 2:30, and from 2:00 back to 1:30.
    ["Australia/Lord_Howe", "2027-10-03", "02:10", "2027-10-02T15:30:00.000Z"],
    ["Australia/Lord_Howe", "2027-04-04", "01:45", "2027-04-03T14:45:00.000Z"],
    // Midnight is skipped, and midnight comes twice (from 24:00 back to 23:00).
    ["America/Santiago", "2027-09-05", "00:30", "2027-09-05T04:00:00.000Z"],
    ["America/Santiago", "2027-04-03", "23:30", "2027-04-04T02:30:00.000Z"],
    // The island crossed the date line: that day never was.
    ["Pacific/Apia", "2011-12-30", "09:00", "2011-12-30T10:00:00.000Z"]
  ])("in %s on %s at %s is %s", (zone, day, time, instant) => {
    assert.strictEqual(firstInstantAt(day, time, zone).toISOString(), instant)
  })

  it("is the first quarter of an hour that shows the time or a later one, in any zone", () => {
    const QUARTER = 15 * 60_000
    const zonesOfRules = fc.constantFrom(
      "Europe/Lisbon",
      "America/New_York",
      "Asia/Kolkata",
      "Australia/Lord_Howe",
      "Africa/Casablanca",
      "Pacific/Apia",
      "America/Santiago",
      "Asia/Kathmandu"
    )
    fc.assert(
      fc.property(
        zonesOfRules,
        fc.integer({ min: 0, max: 1500 }),
        fc.integer({ min: 0, max: 95 }),
        (zone, day, quarter) => {
          const date = addDays("2025-01-01", day)
          const time = `${String(Math.floor(quarter / 4)).padStart(2, "0")}:${String((quarter % 4) * 15).padStart(2, "0")}`
          let now = Date.parse(`${date}T00:00:00Z`) - 60 * 4 * QUARTER
          while (formatWallClock(new Date(now), zone) < `${date} ${time}:00`) now += QUARTER
          assert.strictEqual(firstInstantAt(date, time, zone).getTime(), now, `${zone} ${date} ${time}`)
        }
      )
    )
  })

  it("remembers so many, each asked again answers the same, and hands out an instant of its own each time", () => {
    const day = (index: number) => addDays("1990-01-01", index)
    const asked = (index: number) => firstInstantAt(day(index), "09:00", "Etc/GMT+5")
    for (let index = 0; index <= DAY_START_CACHE_SIZE; index++) asked(index)
    for (const index of [0, 1, DAY_START_CACHE_SIZE - 1, DAY_START_CACHE_SIZE]) {
      assert.strictEqual(asked(index).toISOString(), `${day(index)}T14:00:00.000Z`)
    }
    asked(1).setTime(0)
    assert.strictEqual(asked(1).toISOString(), `${day(1)}T14:00:00.000Z`)
  })
})

it("days and their numbers agree also when more days are in use than are cached", () => {
  for (const repetition of [1, 2]) {
    for (let day = 0; day <= DAY_NUMBER_CACHE_SIZE; day++) {
      const date = new Date(day * 86_400_000).toISOString().slice(0, 10)
      assert.strictEqual(fromDayNumber(day), date, `${repetition}`)
      assert.strictEqual(toDayNumber(date), day, `${repetition}`)
    }
  }
  assert.isNaN(toDayNumber("2027-13-01"))
  assert.isNaN(toDayNumber("2027-13-01"))
})
