import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { addDays, fromDayNumber, toDayNumber, toInstant } from "../../../../src/contract/time.ts"
import {
  DAY_SECONDS,
  daysInSpans,
  nightsBetween,
  timeOfDay
} from "../../../../src/domain/calendars/imported-calendars/reading/event-nights.ts"
import { readFeed } from "../../../../src/domain/calendars/imported-calendars/reading/feed.ts"
import {
  CALENDAR_FEED_DEPTH_MAX,
  CALENDAR_FEED_EVENTS_MAX,
  CALENDAR_FEED_OCCURRENCES_MAX,
  CALENDAR_FEED_ZONES_MAX
} from "../../../../src/platform/limits.ts"
import { toCalendarText } from "../../../support/domain/calendars/imported-calendars/import-service.ts"

const TODAY = "2027-04-20"
const LAST = addDays(TODAY, 1_096)

const read = (feed: string | Buffer, zone = "Europe/Berlin") =>
  readFeed(Buffer.from(feed), { zone, first: toDayNumber(TODAY), last: toDayNumber(LAST) })

/** The busy days, or why it is broken. */
const days = (feed: string | Buffer, zone?: string): string => {
  const reading = read(feed, zone)
  return reading.outcome === "read" ? reading.days.map(fromDayNumber).join(" ") : reading.reason
}

const event = (...lines: ReadonlyArray<string>) => ["BEGIN:VEVENT", "UID:1@test", ...lines, "END:VEVENT"]
const one = (...lines: ReadonlyArray<string>) => toCalendarText(...event(...lines))
const on = (start: string, rule: string) => [`DTSTART;VALUE=DATE:${start}`, `RRULE:FREQ=${rule}`]
const published = (name: string) => readFileSync(join(import.meta.dirname, "feeds", `${name}.ics`))

describe("what marketplaces publish", () => {
  it("closes the nights of it", () => {
    assert.strictEqual(days(published("airbnb")), "2027-05-01 2027-05-02 2027-05-03 2027-05-10")
    assert.strictEqual(days(published("booking")), "2027-05-01 2027-05-02 2027-05-03 2027-05-04")
    assert.strictEqual(days(published("vrbo")), "2027-06-01 2027-06-02 2027-06-03 2027-06-04 2027-07-01")
  })

  it("of Google counts repetitions as they were left out, moved and cancelled, in the property's zone", () => {
    // 20:00 in New York on Monday is 02:00 on Tuesday in Berlin.
    assert.strictEqual(days(published("google")), "2027-05-04 2027-05-20 2027-06-01")
    assert.strictEqual(days(published("google"), "America/New_York"), "2027-05-03 2027-05-19 2027-05-31")
  })
})

describe("an event", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>, string]> = [
    ["without an end is one day", ["DTSTART;VALUE=DATE:20270501"], "2027-05-01"],
    ["may be a date without saying so", ["DTSTART:20270501", "DTEND:20270503"], "2027-05-01 2027-05-02"],
    ["may last a while", ["DTSTART;VALUE=DATE:20270501", "DURATION:P2D"], "2027-05-01 2027-05-02"],
    [
      "that ends before it begins is one day",
      ["DTSTART;VALUE=DATE:20270501", "DTEND;VALUE=DATE:20260101"],
      "2027-05-01"
    ],
    ["over a leap day has it", ["DTSTART;VALUE=DATE:20280228", "DTEND;VALUE=DATE:20280301"], "2028-02-28 2028-02-29"],
    [
      "ends at midnight without the night",
      ["DTSTART:20270501T150000", "DTEND:20270503T000000"],
      "2027-05-01 2027-05-02"
    ],
    ["ends at noon without the night", ["DTSTART:20270501T150000", "DTEND:20270503T120000"], "2027-05-01 2027-05-02"],
    [
      "ends after noon with the night, if that is later in the day than it began",
      ["DTSTART:20270501T110000", "DTEND:20270502T120001"],
      "2027-05-01 2027-05-02"
    ],
    ["ends at the hour it began without the night", ["DTSTART:20270501T140000", "DTEND:20270502T140000"], "2027-05-01"],
    [
      "ends a second after the hour it began with the night",
      ["DTSTART:20270501T140000", "DTEND:20270502T140001"],
      "2027-05-01 2027-05-02"
    ],
    ["by day is the day", ["DTSTART:20270501T100000", "DTEND:20270501T120001"], "2027-05-01"],
    ["within a morning has no night", ["DTSTART:20270501T060000", "DTEND:20270501T120000"], ""],
    ["before a morning is the day", ["DTSTART:20270501T055959", "DTEND:20270501T070000"], "2027-05-01"],
    ["in a morning without a length is the day", ["DTSTART:20270501T100000", "DTEND:20270501T100000"], "2027-05-01"],
    ["in a morning without an end is the day", ["DTSTART:20270501T100000"], "2027-05-01"],
    [
      "by days of the month of each year is on them in every month",
      on("20270531", "YEARLY;BYMONTHDAY=-1;UNTIL=20270831"),
      "2027-05-31 2027-06-30 2027-07-31 2027-08-31"
    ],
    [
      "by days of the month in months of each year is on them in those",
      on("20270528", "YEARLY;BYMONTH=5,8;BYMONTHDAY=28,-1;COUNT=5"),
      "2027-05-28 2027-05-31 2027-08-28 2027-08-31 2028-05-28"
    ],
    ["in UTC is where the property is", ["DTSTART:20270501T230000Z", "DTEND:20270503T080000Z"], "2027-05-02"],
    [
      "in a zone that nobody describes is by its name",
      ["DTSTART;TZID=Asia/Tokyo:20270502T060000", "DTEND;TZID=Asia/Tokyo:20270503T150000"],
      "2027-05-01 2027-05-02"
    ],
    [
      "in a zone that nobody knows is as it is written",
      ["DTSTART;TZID=Nowhere/At All:20270502T230000", "DTEND;TZID=Nowhere/At All:20270503T100000"],
      "2027-05-02"
    ],
    [
      "repeats on the wall's clock when the clocks change",
      ["DTSTART;TZID=Europe/Berlin:20271030T003000", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=3"],
      "2027-10-30 2027-10-31 2027-11-01"
    ],
    [
      "is left out on each of several days",
      [
        "DTSTART;VALUE=DATE:20270501",
        "RRULE:FREQ=DAILY;COUNT=6",
        "EXDATE;VALUE=DATE:20270418,20270502,20270503",
        "EXDATE;VALUE=DATE:20270504"
      ],
      "2027-05-01 2027-05-05 2027-05-06"
    ],
    [
      "is also on days of its own, with ends of their own",
      [
        "DTSTART:20270501T150000",
        "DURATION:PT2H",
        "RDATE;VALUE=PERIOD:20270510T150000/20270512T100000",
        "RDATE:20270520T150000"
      ],
      "2027-05-01 2027-05-10 2027-05-11 2027-05-20"
    ],
    ["on a day that its month never has is the first alone", on("20000101", "YEARLY;BYMONTH=2;BYMONTHDAY=30"), ""],
    [
      "begins with its first, also where its rule does not mean it",
      on("20270501", "YEARLY;BYMONTH=2;BYMONTHDAY=30"),
      "2027-05-01"
    ],
    ["on a leap day is in no other year", on("20240229", "YEARLY"), "2028-02-29"],
    ["on a leap day is counted in leap years", on("20240229", "YEARLY;COUNT=2"), "2028-02-29"],
    [
      "on the last of a month is in months that have it",
      on("20270531", "MONTHLY;COUNT=3"),
      "2027-05-31 2027-07-31 2027-08-31"
    ],
    [
      "on the 31st of several months is in those that have it",
      on("20270531", "YEARLY;BYMONTH=5,6,7;COUNT=3"),
      "2027-05-31 2027-07-31 2028-05-31"
    ],
    [
      "on days from the end is in months so long",
      on("20270430", "YEARLY;BYMONTH=4;BYMONTHDAY=-31,-1;COUNT=2"),
      "2027-04-30 2028-04-30"
    ],
    [
      "on days beside one that is none has them once",
      on("20280101", "YEARLY;BYMONTH=2,3;BYMONTHDAY=1,30;COUNT=4"),
      "2028-01-01 2028-02-01 2028-03-01 2028-03-30 2029-02-01"
    ],
    [
      "that began long ago goes on",
      ["DTSTART;VALUE=DATE:19700101", "DTEND;VALUE=DATE:20270422"],
      "2027-04-20 2027-04-21"
    ],
    ["beyond the horizon is not yet looked at", ["DTSTART;VALUE=DATE:20310101"], ""],
    ["on a day that is none closes nothing", ["DTSTART:2027XX01"], "none of its 1 events can be read"],
    ["without a beginning closes nothing", ["SUMMARY:x"], "none of its 1 events can be read"]
  ]
  for (const [what, lines, expected] of cases) it(what, () => assert.strictEqual(days(one(...lines)), expected))

  it("is moved with all later ones", () => {
    const moved = ["RECURRENCE-ID;RANGE=THISANDFUTURE;VALUE=DATE:20270515", "DTSTART;VALUE=DATE:20270516"]
    const weekly = event("DTSTART;VALUE=DATE:20270501", "RRULE:FREQ=WEEKLY;COUNT=4")
    assert.strictEqual(
      days(toCalendarText(...weekly, ...event(...moved))),
      "2027-05-01 2027-05-08 2027-05-16 2027-05-23"
    )
  })

  it("that cannot be read keeps no other from being read, and is reported", () => {
    const reading = read(toCalendarText(...event("DTSTART:20270501"), ...event("DTSTART:never")))
    assert.deepInclude(reading, { outcome: "read", events: 2, unreadable: ["DTSTART in line 10 is unreadable"] })
  })

  it("over ten thousand years, ten thousand times, is read", () => {
    const events = Array.from({ length: CALENDAR_FEED_EVENTS_MAX }, () =>
      event("DTSTART:00010101", "DTEND:99991231")
    ).flat()
    const reading = read(toCalendarText(...events))
    assert.strictEqual(reading.outcome === "read" ? reading.days.length : reading.reason, 1_097)
  })
})

describe("a feed", () => {
  const stay = event("DTSTART;VALUE=DATE:20270501", "DTEND;VALUE=DATE:20270502")

  it("without events is valid, and says nothing is busy", () => assert.strictEqual(days(toCalendarText()), ""))

  it("may have any kind of line ends, a mark of its encoding, NUL bytes, and lines folded in a character", () => {
    const lines = toCalendarText(...stay, ...event("DTSTART;VALUE=DATE:20270510"))
    assert.strictEqual(days(lines.replaceAll("\r\n", "\r")), "2027-05-01 2027-05-10")
    assert.strictEqual(days(`\uFEFF${lines.replace("\r\n", "\n")}`), "2027-05-01 2027-05-10")
    assert.strictEqual(days(lines.replace("UID:1", "UID:\x001")), "2027-05-01 2027-05-10")
    const [before, after] = [toCalendarText(...event("SUMMARY:caf\u00e9", "DTSTART:20270501")), Buffer.from("\r\n ")]
    const bytes = Buffer.from(before)
    const cut = bytes.indexOf(0xa9)
    assert.strictEqual(days(Buffer.concat([bytes.subarray(0, cut), after, bytes.subarray(cut)])), "2027-05-01")
  })

  it("may be several calendars, one after the other", () =>
    assert.strictEqual(
      days(toCalendarText(...stay) + toCalendarText(...event("DTSTART:20270510"))),
      "2027-05-01 2027-05-10"
    ))

  it("that is none, or not whole, is broken and never empty", () => {
    assert.strictEqual(days(""), "it is empty")
    assert.strictEqual(days(" \r\n"), "it is empty")
    assert.strictEqual(days("<!doctype html><title>Sign in</title>"), "it is not iCalendar data")
    assert.strictEqual(days("BEGIN:VCARD\r\nEND:VCARD\r\n"), "it is not iCalendar data")
    assert.strictEqual(days("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nEND:VCALENDAR\r\n"), "none of its 1 events can be read")
    const whole = toCalendarText(...stay)
    for (let length = 0; length < whole.trimEnd().length; length++)
      assert.strictEqual(read(whole.slice(0, length)).outcome, "broken")
  })

  const nested = (depth: number) => [
    ...Array.from({ length: depth }, () => "BEGIN:X-THING"),
    ...Array.from({ length: depth }, () => "END:X-THING")
  ]
  const zones = (count: number) =>
    Array.from({ length: count }, (_, n) => ["BEGIN:VTIMEZONE", `TZID:${n}`, "END:VTIMEZONE"]).flat()
  const events = (count: number) =>
    Array.from({ length: count }, () => ["BEGIN:VEVENT", "DTSTART:20270501", "END:VEVENT"]).flat()
  const minutely = (count: number) => event("DTSTART:20270501T000000", `RRULE:FREQ=SECONDLY;COUNT=${count}`)

  it("has its bounds, and is refused beyond each", () => {
    assert.strictEqual(days(toCalendarText(...nested(CALENDAR_FEED_DEPTH_MAX - 1))), "")
    assert.match(days(toCalendarText(...nested(CALENDAR_FEED_DEPTH_MAX))), /nested more than/)
    assert.strictEqual(days(toCalendarText(...zones(CALENDAR_FEED_ZONES_MAX))), "")
    assert.match(days(toCalendarText(...zones(CALENDAR_FEED_ZONES_MAX + 1))), /more than 100 time zones/)
    assert.strictEqual(days(toCalendarText(...events(CALENDAR_FEED_EVENTS_MAX))), "2027-05-01")
    assert.match(days(toCalendarText(...events(CALENDAR_FEED_EVENTS_MAX + 1))), /more than 10000 events/)
    assert.strictEqual(
      days(toCalendarText(...minutely(CALENDAR_FEED_OCCURRENCES_MAX))),
      "2027-05-01 2027-05-02 2027-05-03"
    )
    assert.match(days(toCalendarText(...minutely(CALENDAR_FEED_OCCURRENCES_MAX + 1))), /repeats too often/)
    assert.match(days(one("DTSTART:19700101T000000Z", "RRULE:FREQ=SECONDLY")), /repeats too often/)
  })
})

describe("the rule of nights", () => {
  const moment = fc.integer({ min: 0, max: 40 * DAY_SECONDS })

  it("takes each night that is slept in part of, by the hour", () => {
    fc.assert(
      fc.property(moment, moment, (start, end) => {
        const { from, before } = nightsBetween(start, end)
        const day = (at: number) => Math.floor(at / DAY_SECONDS)
        for (let night = -1; night < 42; night++) {
          // A morning has no night. After the day of its start an event has each night up to the day of its end, and that one if
          // it ends past noon, and later in the day than it began or in the evening.
          const [begins, ends] = [timeOfDay(start), timeOfDay(end)]
          const isMorning = day(start) === day(end) && end > start && begins >= 6 * 3600 && ends <= 12 * 3600
          const isLast = night === day(end) && ends > 12 * 3600 && (ends > begins || ends > 18 * 3600)
          const isLater = night > day(start) && (night < day(end) || isLast)
          const expected = !isMorning && (night === day(start) || isLater)
          assert.strictEqual(night >= from && night < before, expected, `${start} ${end} ${night}`)
        }
      })
    )
  })

  it("has each day once that one of the spans has", () => {
    const span = fc.record({ from: fc.integer({ min: -50, max: 150 }), before: fc.integer({ min: -50, max: 150 }) })
    fc.assert(
      fc.property(
        fc.array(span),
        fc.integer({ min: 0, max: 50 }),
        fc.integer({ min: 0, max: 60 }),
        (spans, first, length) => {
          const last = first + length
          const naive = Array.from({ length: length + 1 }, (_, n) => first + n).filter((day) =>
            spans.some(({ from, before }) => day >= from && day < before)
          )
          assert.deepStrictEqual(daysInSpans(spans, first, last), naive)
        }
      )
    )
  })

  it("reads repeated events of a calendar as a naive reckoning does", () => {
    const text = (day: string) => day.replaceAll("-", "")
    const repeated = fc.record({
      start: fc.integer({ min: -400, max: 400 }),
      nights: fc.integer({ min: 1, max: 10 }),
      every: fc.integer({ min: 1, max: 20 }),
      count: fc.integer({ min: 1, max: 60 }),
      left: fc.array(fc.integer({ min: 0, max: 59 }), { maxLength: 8 })
    })
    fc.assert(
      fc.property(fc.array(repeated, { maxLength: 6 }), (events) => {
        const expected = new Set<string>()
        const lines = events.flatMap(({ start, nights, every, count, left }, index) => {
          const on = (nth: number) => addDays(TODAY, start + nth * every)
          for (let nth = 0; nth < count; nth++) {
            if (left.includes(nth)) continue
            for (let night = 0; night < nights; night++) expected.add(addDays(on(nth), night))
          }
          return [
            "BEGIN:VEVENT",
            `UID:${index}`,
            `DTSTART;VALUE=DATE:${text(on(0))}`,
            `DTEND;VALUE=DATE:${text(addDays(on(0), nights))}`,
            `RRULE:FREQ=DAILY;INTERVAL=${every};COUNT=${count}`,
            ...left.map((nth) => `EXDATE;VALUE=DATE:${text(on(nth))}`),
            "END:VEVENT"
          ]
        })
        const inReach = Array.from(expected).filter((day) => day >= TODAY && day <= LAST)
        assert.strictEqual(days(toCalendarText(...lines)), inReach.toSorted().join(" "))
      }),
      { numRuns: 60 }
    )
  })

  it("reads a zoned event as the clocks of both places have it", () => {
    const zone = fc.constantFrom(
      "Europe/Berlin",
      "America/New_York",
      "Asia/Kolkata",
      "Australia/Lord_Howe",
      "Pacific/Kiritimati"
    )
    const wall = fc.record({
      day: fc.integer({ min: 2, max: 700 }),
      hour: fc.integer({ min: 4, max: 23 }),
      minute: fc.integer({ min: 0, max: 59 })
    })
    fc.assert(
      fc.property(zone, zone, wall, (there, here, { day, hour, minute }) => {
        const [date, clock] = [
          addDays(TODAY, day),
          `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}:00`
        ]
        const instant = toInstant(`${date}T${clock}`, there)
        const expected = new Intl.DateTimeFormat("en-CA", { timeZone: here }).format(instant)
        const start = `DTSTART;TZID=${there}:${date.replaceAll("-", "")}T${clock.replaceAll(":", "")}`
        assert.strictEqual(days(one(start), here), expected)
      })
    )
  })
})
