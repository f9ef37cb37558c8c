import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { addDays, dateOfNumber, dayNumber } from "../../../src/contract/time.ts"
import { CALENDAR_FEED_EVENTS, CALENDAR_UNREADABLE_REASONS } from "../../../src/limits.ts"
import { readFeed } from "../../../src/resources/imported-calendars/reading/feed.ts"
import { calendar } from "./scene.ts"

// Feeds that calendars in the wild publish against the standard, and more of each kind: which days they make busy, and what is
// reported. A day is never open because of something that could not be read.

const TODAY = "2026-11-26"
const BERLIN = "Europe/Berlin"
const NEW_YORK = "America/New_York"

const read = (feed: string | Buffer, zone = BERLIN) =>
  readFeed(Buffer.from(feed), { zone, first: dayNumber(TODAY), last: dayNumber(addDays(TODAY, 1_096)) })

/** Busy days as `2026-12-10 2026-12-11`, then `; ` and what was reported; or why the feed is broken. */
const outcome = (feed: string | Buffer, zone?: string): string => {
  const reading = read(feed, zone)
  if (reading.outcome === "broken") return `broken: ${reading.why}`
  return [reading.days.map(dateOfNumber).join(" "), ...reading.unreadable].join("; ")
}

const days = (from: string, count: number): string =>
  Array.from({ length: count }, (_, n) => addDays(from, n)).join(" ")

const FEEDS = join(import.meta.dirname, "feeds/cases")

const FILES: ReadonlyArray<readonly [file: string, expected: string, zone?: string]> = [
  ["F1-date-dashes", days("2026-12-22", 4)],
  ["F1-datetime-dashes-tzid", days("2026-12-22", 4)],
  ["F1-one-of-two-dashes", `${days("2026-12-22", 4)} ${days("2027-03-01", 2)}`],
  ["F1-rdate-dashes", `${days("2026-12-22", 4)} ${days("2027-01-05", 4)} ${days("2027-03-01", 2)}`],
  ["F2-trailing-space-begin-vevent", days("2026-12-10", 2)],
  ["F2-trailing-space-every-line", days("2026-12-10", 2)],
  ["F3-raw-newline-BEGIN-in-text", `${days("2026-12-10", 2)}; line 11 is not a content line`],
  [
    "F3-raw-newline-in-text",
    `${days("2026-12-10", 2)} ${days("2026-12-20", 2)}; line 10 is not a content line; line 11 is not a content line`
  ],
  ["F3-unclosed-quote-in-parameter", `${days("2026-12-22", 2)}; line 9 is not a content line`],
  ["F4-bad-rdate", `${days("2026-12-22", 4)} ${days("2027-03-01", 2)}; RDATE in line 8 is unreadable`],
  [
    "F4-empty-rrule-every-event",
    `${days("2026-12-10", 3)}; RRULE in line 8 is unreadable; RRULE in line 14 is unreadable; RRULE in line 20 is unreadable`
  ],
  ["F4-empty-rrule", `${days("2026-12-10", 2)} ${days("2026-12-22", 2)}; RRULE in line 9 is unreadable`],
  ["F5-allday-exdate-tzid", "2026-12-03 2026-12-10 2026-12-31"],
  ["F5-allday-exdate-utc", "2026-12-03 2026-12-10 2026-12-24 2026-12-31"],
  ["F6-xcomment-after-end", `${days("2026-12-10", 2)} ${days("2026-12-13", 2)}`],
  ["F8-empty-vtimezone", days("2026-12-10", 2), NEW_YORK],
  ["F8-empty-vtimezone", "2026-12-11"],
  ["F8-windows-tzid-undescribed", days("2026-12-10", 2), NEW_YORK],
  ["F8-windows-tzid-undescribed", "2026-12-11"],
  ["F9-midnight-utc-new-york", days("2026-12-10", 3), NEW_YORK],
  ["F9-midnight-utc-new-york", days("2026-12-10", 3)],
  ["N1-airbnb-not-available-window", `${days("2026-11-26", 2)} ${days("2027-01-05", 5)} ${days("2027-08-26", 92)}`],
  ["N2-smoobu-three-events", days("2026-12-10", 3)],
  ["N3-checkout-14h", days("2026-12-10", 3)],
  ["N4-two-revisions-one-uid", ""],
  ["N5-vfreebusy-only", `${days("2026-12-10", 3)} ${days("2026-12-20", 2)}`]
]

describe("a feed of the kind", () => {
  for (const [file, expected, zone] of FILES)
    it(`${file} is read${zone === undefined ? "" : ` in ${zone}`}`, () =>
      assert.strictEqual(outcome(readFileSync(join(FEEDS, `${file}.ics`)), zone), expected))

  it("is each file that is here", () =>
    assert.sameMembers(
      readdirSync(FEEDS).map((file) => file.replace(".ics", "")),
      Array.from(new Set(FILES.map(([file]) => file)))
    ))
})

const event = (...lines: ReadonlyArray<string>) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"]
const one = (...lines: ReadonlyArray<string>) => calendar(...event(...lines))
/** Another event, in all feeds of a table: it is busy whatever becomes of the first. */
const OTHER = event("DTSTART;VALUE=DATE:20270301")

const table = (cases: ReadonlyArray<readonly [name: string, lines: ReadonlyArray<string>, expected: string]>): void => {
  for (const [name, lines, expected] of cases) it(name, () => assert.strictEqual(outcome(calendar(...lines)), expected))
}

describe("a date", () => {
  const unreadable = [
    "20261301",
    "20260230",
    "20261131",
    "20270229",
    "20261200",
    "20261210T240000",
    "20261210T250000",
    "20261210T126000",
    "20261210T1200",
    "20261210T120000X",
    "20261210t120000",
    "2026-1210",
    "202612-10",
    "2026/12/10",
    "10.12.2026",
    "2026-12-10 12:00:00",
    "2026-12-10T12:0000",
    "2026-12-10T12:00:00.000Z",
    "20261210T120000+0100",
    "261210",
    "120261210",
    "Thu Dec 10 2026",
    "1797033600",
    "20261210;",
    "20261210,20261211",
    ""
  ]
  for (const text of unreadable) {
    it(`is unreadable as ${JSON.stringify(text)}`, () => {
      assert.strictEqual(
        outcome(calendar(...event(`DTSTART:${text}`), ...OTHER)),
        "2027-03-01; DTSTART in line 5 is unreadable"
      )
      // All others than the start open nothing: the event blocks one day at least, and what is left out stays busy.
      const series = ["DTSTART:20261210", "RRULE:FREQ=DAILY;COUNT=2"]
      const busy = days("2026-12-10", 2)
      if (text !== "20261210,20261211") {
        assert.strictEqual(outcome(one(...series, `EXDATE:${text}`)), `${busy}; EXDATE in line 7 is unreadable`)
        assert.strictEqual(outcome(one(...series, `RDATE:${text}`)), `${busy}; RDATE in line 7 is unreadable`)
      }
      assert.strictEqual(outcome(one("DTSTART:20261210", `DTEND:${text}`)), "2026-12-10; DTEND in line 6 is unreadable")
      assert.strictEqual(
        outcome(one("DTSTART:20261210", `RRULE:FREQ=DAILY;UNTIL=${text}`)),
        text === "20261210;" ? "2026-12-10" : "2026-12-10; RRULE in line 6 is unreadable"
      )
      const cancelled = event("UID:a", `RECURRENCE-ID:${text}`, "DTSTART:20261211", "STATUS:CANCELLED")
      assert.strictEqual(
        outcome(calendar(...event("UID:a", ...series), ...cancelled)),
        `${busy}; RECURRENCE-ID in line 11 is unreadable`
      )
    })
  }

  table([
    ["may have dashes", event("DTSTART:2026-12-10", "DTEND:2026-12-12"), days("2026-12-10", 2)],
    [
      "may have dashes and colons",
      event("DTSTART:2026-12-10T15:00:00", "DTEND:2026-12-12T10:00:00"),
      days("2026-12-10", 2)
    ],
    [
      "may have them in UTC",
      event("DTSTART:2026-12-09T23:30:00Z", "DTEND:2026-12-12T10:00:00Z"),
      days("2026-12-10", 2)
    ],
    ["may have an offset", event("DTSTART:2026-12-10T03:00:00+05:00"), "2026-12-09"],
    ["may be behind UTC", event("DTSTART:2026-12-10T20:00:00-05:00"), "2026-12-11"],
    ["counts by its form, not by VALUE=DATE", event("DTSTART;VALUE=DATE:20261210T230000Z"), "2026-12-11"],
    ["counts by its form, not by VALUE=DATE-TIME", event("DTSTART;VALUE=DATE-TIME:20261210"), "2026-12-10"],
    ["may have white space around it", event("DTSTART: 20261210 ", "DTEND:20261212\t"), days("2026-12-10", 2)],
    [
      "may have dashes where a rule ends and where occurrences are left out",
      event("DTSTART:20261210", "RRULE:FREQ=DAILY;UNTIL=2026-12-13", "EXDATE:2026-12-11"),
      "2026-12-10 2026-12-12 2026-12-13"
    ],
    [
      "may have dashes in a period",
      event("DTSTART:20261210", "RDATE;VALUE=PERIOD:2026-12-20T15:00:00/2026-12-22T10:00:00"),
      `2026-12-10 ${days("2026-12-20", 2)}`
    ],
    [
      "with a parameter that nothing knows is unreadable, since it may be a broken zone",
      [...event("DTSTART;TZIX=Europe/Berlin:20261210T150000"), ...OTHER],
      "2027-03-01; DTSTART in line 5 is unreadable"
    ]
  ])
})

describe("a component line", () => {
  table([
    ["may have white space before it", ["  BEGIN:VEVENT", "DTSTART:20261210", "\tEND:VEVENT"], "2026-12-10"],
    ["may have it around the colon", ["BEGIN : VEVENT ", "DTSTART:20261210", "END: VEVENT"], "2026-12-10"],
    ["may be in lower case", ["begin:vevent", "dtstart:20261210", "end:vevent"], "2026-12-10"],
    [
      "may be missing at the end of an event",
      ["BEGIN:VEVENT", "DTSTART:20261210", ...OTHER],
      "2026-12-10 2027-03-01; BEGIN:VEVENT in line 4 has no end"
    ],
    [
      "may be missing at the beginning of an event, which is reported",
      ["DTSTART:20261210", "END:VEVENT", ...OTHER],
      "2027-03-01; DTSTART in line 4 is outside of an event; END:VEVENT in line 5 has no beginning"
    ],
    [
      "that is misspelt is reported",
      ["BEGIN:VEVENTS", "DTSTART:20261210", "END:VEVENTX", ...OTHER],
      "2027-03-01; END in line 6 has no beginning; BEGIN in line 4 has no end"
    ],
    [
      "with more on it is reported",
      ["BEGIN:VEVENT now", "DTSTART:20261210", "END:VEVENT now", ...OTHER],
      "2027-03-01; line 4 is not a content line; DTSTART in line 5 is outside of an event; line 6 is not a content line"
    ],
    [
      "of an unknown component in a text is a line of it",
      event("DTSTART:20261210", "BEGIN:tour", "DTEND:20261212"),
      `${days("2026-12-10", 2)}; BEGIN in line 6 has no end`
    ],
    [
      "of an alarm does not hide the rest of its event for ever",
      [...event("DTSTART:20261210", "BEGIN:VALARM", "TRIGGER:-PT1H"), ...OTHER],
      "2026-12-10 2027-03-01; BEGIN:VALARM in line 6 has no end"
    ]
  ])

  it("of an event outside of VCALENDAR is reported, and the event blocks its days", () => {
    const report = "VEVENT in line 8 is outside of VCALENDAR"
    const whole = calendar(...OTHER)
    assert.strictEqual(outcome(`${whole}${event("DTSTART:20261210").join("\r\n")}`), `2026-12-10 2027-03-01; ${report}`)
    assert.strictEqual(
      outcome(`${event("DTSTART:20261210").join("\n")}\n${whole}`),
      "2026-12-10 2027-03-01; VEVENT in line 1 is outside of VCALENDAR"
    )
  })
})

describe("a line that is not a content line", () => {
  table([
    [
      "is skipped with the lines that continue it",
      event("DTSTART:20261210", "DESCRIPTION:Guest", "Jane Doe", " 2 nights", "DTEND:20261212"),
      `${days("2026-12-10", 2)}; line 7 is not a content line`
    ],
    [
      "may be the rest of a quoted-printable text",
      event("DTSTART:20261210", "DESCRIPTION;ENCODING=QUOTED-PRINTABLE:One=0D=0A=", "Two=0D=0A=", "DTEND:20261212"),
      `${days("2026-12-10", 2)}; line 7 is not a content line`
    ],
    [
      "may have a quote that does not end, in any property",
      event("DTSTART:20261210", 'DTEND;TZID="Europe/Berlin:20261212T100000'),
      "2026-12-10; line 6 is not a content line"
    ],
    [
      "may be a rule of an unknown frequency",
      event("DTSTART:20261210", "DTEND:20261212", "RRULE:FREQ=SOMETIMES"),
      `${days("2026-12-10", 2)}; RRULE in line 7 is unreadable`
    ],
    ["may be empty, which is nothing", event("DTSTART:20261210", "", "DTEND:20261212", ""), days("2026-12-10", 2)],
    ["may be in a calendar", ["no line of one", ...OTHER], "2027-03-01; line 4 is not a content line"],
    [
      "may be a name of a property with a typing error, if that could decide days",
      event("DTSTART:20261210", "DTEDN:20261212"),
      "2026-12-10; line 6 has a date under an unknown name"
    ],
    [
      "may be such a name that is cut in two",
      event("DTSTART:20261210", "D;URATION:P2D"),
      "2026-12-10; line 6 has a date under an unknown name"
    ],
    [
      "is not an unknown property without dates",
      event("DTSTART:20261210", "GUESTS:2", "X-CHECKOUT:20261212", "BOOKING:123456789012"),
      "2026-12-10"
    ],
    [
      "is not the rest of a text with an end in it, but white space before an end is reported",
      event("DTSTART:20261210", "SUMMARY:Reserved", " DTEND:20261212"),
      `${days("2026-12-10", 2)}; DTEND in line 7 has white space before it`
    ],
    [
      "never cancels: a text may continue with STATUS",
      event("DTSTART:20261210", "SUMMARY:Reserved", " STATUS:CANCELLED"),
      "2026-12-10"
    ],
    [
      "never cancels: one STATUS of two does not count",
      event("DTSTART:20261210", "STATUS:CONFIRMED", "DESCRIPTION:Old", "STATUS:CANCELLED"),
      "2026-12-10"
    ]
  ])

  it("before a calendar is reported, and after it is nothing", () => {
    const whole = calendar(...OTHER)
    assert.strictEqual(outcome(`Warning: x\r\n${whole}`), "2027-03-01; line 1 is outside of VCALENDAR")
    for (const rest of ["X-COMMENT:Hi", "<!-- 0.2 s -->", "END:VCALENDAR", "DTSTART:20261210", " folded", "\u001a"])
      assert.strictEqual(outcome(`${whole}${rest}`), "2027-03-01")
  })

  it("after a calendar that begins another makes the feed broken, unless that one ends", () => {
    const whole = calendar(...OTHER)
    const another = one("DTSTART:20261210").trimEnd()
    const cut = "broken: it ends in the middle: END:VCALENDAR is missing"
    for (let length = "BEGIN:VCALENDAR".length; length < another.length; length++)
      assert.strictEqual(outcome(whole + another.slice(0, length)), cut)
    assert.strictEqual(outcome(whole + another), "2026-12-10 2027-03-01")
    assert.strictEqual(outcome(another.replace("END:VCALENDAR", whole)), cut)
  })
})

describe("an optional property that is empty or broken", () => {
  const stay = (line: string) => event("DTSTART;VALUE=DATE:20261210", "DTEND;VALUE=DATE:20261212", line)
  const busy = days("2026-12-10", 2)
  for (const line of [
    "RRULE:",
    "RRULE:WEEKLY",
    "RRULE:FREQ=WEEKLY;COUNT=0",
    "RRULE:FREQ=WEEKLY;COUNT=x",
    "RRULE:FREQ=WEEKLY;INTERVAL=-1",
    "RRULE:FREQ=WEEKLY;BYDAY=XX",
    "RRULE:FREQ=WEEKLY;BYDAY=MO,",
    "RRULE:FREQ=WEEKLY;UNTIL=never",
    "RRULE:FREQ=WEEKLY;FREQ=DAILY",
    "RRULE:FREQ=WEEKLY;RSCALE=CHINESE",
    "RRULE:W1 20270101T000000Z",
    "EXDATE:",
    "EXDATE;TZID:20261210",
    "RDATE:",
    "RDATE;VALUE=PERIOD:/P1D",
    "DURATION:",
    "DURATION:2 days",
    "DURATION:P",
    "DURATION:PT",
    "DURATION:-P1D",
    "SEQUENCE:new",
    "SEQUENCE:"
  ]) {
    it(`keeps its event: ${line}`, () => {
      const name = line.split(/[:;]/)[0]
      assert.strictEqual(outcome(calendar(...stay(line))), `${busy}; ${name} in line 7 is unreadable`)
    })
  }

  table([
    ["an end is one day", event("DTSTART:20261210T230000", "DTEND:"), "2026-12-10; DTEND in line 6 is unreadable"],
    [
      "an end leaves the duration",
      event("DTSTART:20261210", "DTEND:never", "DURATION:P2D"),
      `${busy}; DTEND in line 6 is unreadable`
    ],
    [
      "an end of a period lasts as long as its event",
      event("DTSTART:20261201", "DURATION:P2D", "RDATE;VALUE=PERIOD:20261210/never"),
      `${days("2026-12-01", 2)} ${busy}; RDATE in line 7 is unreadable`
    ],
    [
      "two ends are the later one",
      event("DTSTART:20261210", "DTEND:20261211", "DTEND:20261212"),
      `${busy}; DTEND in line 7 is there twice`
    ],
    [
      "two starts are the earlier one",
      event("DTSTART:20261211", "DTSTART:20261210", "DTEND:20261212"),
      `${busy}; DTSTART in line 6 is there twice`
    ],
    ["twice the same is once", event("DTSTART:20261210", "DTSTART:20261210 "), "2026-12-10"],
    [
      "of several dates leaves the others",
      event("DTSTART:20261210", "RRULE:FREQ=DAILY;COUNT=3", "EXDATE:20261211,never"),
      "2026-12-10 2026-12-12; EXDATE in line 7 is unreadable"
    ],
    ["a rule may end with a semicolon", event("DTSTART:20261210", "RRULE:FREQ=DAILY;COUNT=2;"), busy],
    [
      "a rule that cannot be expanded is its first occurrence",
      event("DTSTART:20261210", "RRULE:FREQ=WEEKLY;BYYEARDAY=1"),
      "2026-12-10; RRULE of VEVENT in line 4 cannot be expanded"
    ]
  ])

  it("is named in five clauses at most, and the rest is counted", () => {
    const broken = (count: number) => Array.from({ length: count }, () => stay("RRULE:")).flat()
    const reasons = (count: number) => {
      const reading = read(calendar(...broken(count)))
      return reading.outcome === "read" ? reading.unreadable : []
    }
    assert.lengthOf(reasons(CALENDAR_UNREADABLE_REASONS), CALENDAR_UNREADABLE_REASONS)
    assert.strictEqual(reasons(CALENDAR_UNREADABLE_REASONS)[4], "RRULE in line 27 is unreadable")
    assert.strictEqual(
      reasons(CALENDAR_UNREADABLE_REASONS + 2)
        .join("; ")
        .slice(-12),
      "; and 2 more"
    )
  })
})

describe("an all-day series", () => {
  const series = (...lines: ReadonlyArray<string>) =>
    event("UID:a", "DTSTART;VALUE=DATE:20261203", "RRULE:FREQ=WEEKLY;COUNT=3", ...lines)
  const moved = (id: string) => event("UID:a", `RECURRENCE-ID${id}`, "DTSTART;VALUE=DATE:20261212")
  table([
    [
      "leaves out a midnight of a named zone",
      series("EXDATE;TZID=Asia/Tokyo:20261210T000000"),
      "2026-12-03 2026-12-17"
    ],
    [
      "leaves out a midnight of a zone that nobody knows, by its day",
      series("EXDATE;TZID=Nowhere:20261210T000000"),
      "2026-12-03 2026-12-17; the time zone Nowhere is unknown"
    ],
    ["leaves out a midnight without a zone", series("EXDATE:20261210T000000"), "2026-12-03 2026-12-17"],
    ["does not leave out the day before", series("EXDATE:20261209T230000Z"), "2026-12-03 2026-12-10 2026-12-17"],
    ["moves a midnight in UTC", [...series(), ...moved(":20261210T000000Z")], "2026-12-03 2026-12-12 2026-12-17"],
    [
      "moves a midnight of a Windows zone",
      [...series(), ...moved(";TZID=Tokyo Standard Time:20261210T000000")],
      "2026-12-03 2026-12-12 2026-12-17"
    ],
    [
      "moves a midnight with all later ones",
      [...series(), ...moved(";RANGE=THISANDFUTURE:20261210T000000Z")],
      "2026-12-03 2026-12-12 2026-12-19"
    ],
    [
      "ends with a time in UTC on its day there, or on that of the property, whichever is later",
      event("DTSTART;VALUE=DATE:20261203", "RRULE:FREQ=DAILY;UNTIL=20261204T230000Z"),
      days("2026-12-03", 3)
    ],
    [
      "written from midnight to midnight in UTC is one too",
      event(
        "DTSTART:20261203T000000Z",
        "DTEND:20261204T000000Z",
        "RRULE:FREQ=WEEKLY;COUNT=3",
        "EXDATE:20261210T000000Z",
        "RDATE:20261220T000000Z"
      ),
      "2026-12-03 2026-12-17 2026-12-20"
    ]
  ])
})

describe("an occurrence that is left out", () => {
  const series = (zone: string, left: string) =>
    event(`DTSTART;TZID=${zone}:20261203T200000`, "RRULE:FREQ=DAILY;COUNT=2", `EXDATE${left}`)
  table([
    ["may be named in UTC", series(BERLIN, ":20261204T190000Z"), "2026-12-03"],
    ["may be named without a zone", series(BERLIN, ":20261204T200000"), "2026-12-03"],
    ["may be named by its day", series(BERLIN, ";VALUE=DATE:20261204"), "2026-12-03"],
    [
      "is busy if its zone is unknown",
      series(BERLIN, ";TZID=Nowhere:20261204T200000"),
      `${days("2026-12-03", 2)}; the time zone Nowhere is unknown`
    ],
    [
      "is left out if it has the same unknown zone as its series",
      series("Nowhere", ";TZID=Nowhere:20261204T200000"),
      "2026-12-03; the time zone Nowhere is unknown"
    ]
  ])
})

describe("a time zone", () => {
  // 23:30 in New York on 10 December is 05:30 on 11 December in Berlin.
  const late = (zone: string) => event(`DTSTART;TZID=${zone}:20261210T233000`)
  const zone = (name: string, ...lines: ReadonlyArray<string>) => [
    "BEGIN:VTIMEZONE",
    `TZID:${name}`,
    ...lines,
    "END:VTIMEZONE"
  ]
  const standard = (offset: string, ...lines: ReadonlyArray<string>) => [
    "BEGIN:STANDARD",
    "DTSTART:19700101T000000",
    `TZOFFSETFROM:${offset}`,
    `TZOFFSETTO:${offset}`,
    ...lines,
    "END:STANDARD"
  ]
  const unknown = (name: string) => `2026-12-10; the time zone ${name} is unknown`
  table([
    ["may have a Windows name", late("Eastern Standard Time"), "2026-12-11"],
    ["may have a Windows name in quotes and another case", late('"eastern standard time"'), "2026-12-11"],
    ["may have the name of a program before its own", late("/example.com/20270101/America/New_York"), "2026-12-11"],
    ["may have three parts", late("/x/America/Argentina/Buenos_Aires"), "2026-12-11"],
    ["is what the calendar describes", [...zone("Ours", ...standard("-0500")), ...late("Ours")], "2026-12-11"],
    [
      "is what its name means, whatever the calendar describes",
      [...zone(NEW_YORK, ...standard("+0900")), ...late(NEW_YORK)],
      "2026-12-11"
    ],
    [
      "may be empty, and say which one it is",
      [...zone("Ours", `X-LIC-LOCATION:${NEW_YORK}`), ...late("Ours")],
      "2026-12-11"
    ],
    ["that nobody knows is reported", late("Ours"), unknown("Ours")],
    ["that is empty is reported", [...zone("Ours"), ...late("Ours")], unknown("Ours")],
    ["with a broken offset is reported", [...zone("Ours", ...standard("-5")), ...late("Ours")], unknown("Ours")],
    [
      "with a broken rule is reported",
      [...zone("Ours", ...standard("-0500", "RRULE:FREQ=SOMETIMES")), ...late("Ours")],
      unknown("Ours")
    ],
    [
      "with an unreadable line is reported",
      [...zone("Ours", ...standard("-0500", "RRULEX:FREQ=YEARLY")), ...late("Ours")],
      "2026-12-10; line 10 has a date under an unknown name; the time zone Ours is unknown"
    ],
    ["that is broken and not used is nothing", [...zone("Ours"), ...event("DTSTART:20261210")], "2026-12-10"],
    ["of a date is nothing", event("DTSTART;TZID=Nowhere;VALUE=DATE:20261210"), "2026-12-10"],
    [
      "is reported once, cut and without signs that are not ASCII",
      [...late(`\u00e9${"x".repeat(60)}`), ...late(`\u00e9${"x".repeat(60)}`)],
      unknown(`??${"x".repeat(38)}`)
    ]
  ])
})

describe("whole days in UTC", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>, string]> = [
    ["are their days in UTC", ["DTSTART:20261210T000000Z", "DTEND:20261211T000000Z"], "2026-12-10"],
    ["may have a duration", ["DTSTART:20261210T000000Z", "DURATION:P2D"], days("2026-12-10", 2)],
    ["may have dashes", ["DTSTART:2026-12-10T00:00:00Z", "DTEND:2026-12-12T00:00:00Z"], days("2026-12-10", 2)],
    ["may end with a date", ["DTSTART:20261210T000000Z", "DTEND;VALUE=DATE:20261212"], days("2026-12-10", 2)],
    ["are not times that end at another hour", ["DTSTART:20261210T000000Z", "DTEND:20261210T100000Z"], "2026-12-09"]
  ]
  for (const [name, lines, expected] of cases)
    it(name, () => assert.strictEqual(outcome(one(...lines), NEW_YORK), expected))

  it("of another zone keep the night they end in", () => {
    // In Los Angeles they begin and end at 15:00.
    const lines = ["DTSTART;TZID=Europe/Berlin:20261210T000000", "DTEND;TZID=Europe/Berlin:20261212T000000"]
    assert.strictEqual(outcome(one(...lines), "America/Los_Angeles"), days("2026-12-09", 3))
  })
})

describe("a night", () => {
  table([
    [
      "is not taken by a cleaning in the morning, nor by a check-out",
      [
        ...event("DTSTART:20261210T090000", "DTEND:20261210T120000"),
        ...event("DTSTART:20261211T060000", "DTEND:20261211T080000"),
        ...OTHER
      ],
      "2027-03-01"
    ],
    [
      "is taken by what begins after noon, ends after noon, or is still night",
      [
        ...event("DTSTART:20261210T150000", "DTEND:20261210T160000"),
        ...event("DTSTART:20261212T100000", "DTEND:20261212T130000"),
        ...event("DTSTART:20261214T010000", "DTEND:20261214T040000")
      ],
      "2026-12-10 2026-12-12 2026-12-14"
    ],
    [
      "of a late check-out is free up to the hour of the check-in",
      event("DTSTART:20261210T160000", "DTEND:20261212T153000"),
      days("2026-12-10", 2)
    ],
    [
      "is taken by a check-out later in the day than the check-in",
      event("DTSTART:20261210T140000", "DTEND:20261212T180000"),
      days("2026-12-10", 3)
    ],
    [
      "is taken by what ends in the evening, however late it began",
      [
        ...event("DTSTART:20261210T200000", "DTEND:20261212T180000"),
        ...event("DTSTART:20261220T200000", "DTEND:20261222T180001")
      ],
      `${days("2026-12-10", 2)} ${days("2026-12-20", 3)}`
    ],
    [
      "is taken by days that are written from midnight to the last minute",
      event("DTSTART:20261210T000000", "DTEND:20261211T235900"),
      days("2026-12-10", 2)
    ],
    [
      "keeps its hours when the clocks change",
      event(`DTSTART;TZID=${BERLIN}:20270327T140000`, `DTEND;TZID=${BERLIN}:20270329T140000`),
      days("2027-03-27", 2)
    ]
  ])
})

describe("revisions under one UID", () => {
  const revision = (date: string, ...lines: ReadonlyArray<string>) => event("UID:a", `DTSTART:${date}`, ...lines)
  const CANCELLED = "STATUS:CANCELLED"
  table([
    [
      "count by SEQUENCE",
      [...revision("20261210", "SEQUENCE:10"), ...revision("20261212", "SEQUENCE:9")],
      "2026-12-10"
    ],
    ["without SEQUENCE have 0", [...revision("20261210"), ...revision("20261210", "SEQUENCE:1", CANCELLED)], ""],
    [
      "with the same SEQUENCE all count",
      [
        ...revision("20261210", "SEQUENCE:1"),
        ...revision("20261212", "SEQUENCE:1"),
        ...revision("20261210", "SEQUENCE:1", CANCELLED)
      ],
      "2026-12-10 2026-12-12"
    ],
    [
      "that are unreadable in part take no other's place",
      [...revision("20261210"), ...revision("20261210", "SEQUENCE:1", CANCELLED, "RDATE:never")],
      "2026-12-10; RDATE in line 13 is unreadable"
    ],
    [
      "without a readable start take no other's place",
      [...revision("20261210"), ...revision("never", "SEQUENCE:1")],
      "2026-12-10; DTSTART in line 10 is unreadable"
    ],
    [
      "of one occurrence count among themselves",
      [
        ...revision("20261210", "RRULE:FREQ=DAILY;COUNT=2", "SEQUENCE:5"),
        ...revision("20261220", "RECURRENCE-ID:20261211", "SEQUENCE:1"),
        ...revision("20261222", "RECURRENCE-ID:20261211", "SEQUENCE:2")
      ],
      "2026-12-10 2026-12-22"
    ],
    [
      "of an occurrence with an unreadable part leave it busy",
      [
        ...revision("20261210", "RRULE:FREQ=DAILY;COUNT=2"),
        ...revision("20261220", "RECURRENCE-ID:20261211", "DTEND:never")
      ],
      `${days("2026-12-10", 2)} 2026-12-20; DTEND in line 13 is unreadable`
    ],
    [
      "with an unreadable occurrence belong to no series, and block their own days",
      [
        ...revision("20261210", "RRULE:FREQ=DAILY;COUNT=2"),
        ...revision("20261211", "RECURRENCE-ID:never"),
        ...revision("20261220", "RECURRENCE-ID:20261211")
      ],
      `${days("2026-12-10", 2)} 2026-12-20; RECURRENCE-ID in line 12 is unreadable`
    ],
    [
      "are none without a UID",
      [...event("UID:", "DTSTART:20261210"), ...event("UID:", "DTSTART:20261210", CANCELLED, "SEQUENCE:1")],
      "2026-12-10"
    ]
  ])
})

it("all later occurrences of an unknown event or revision are reported", () => {
  const moved = event("UID:a", "RECURRENCE-ID;RANGE=THISANDFUTURE:20261210", "DTSTART:20261212")
  const report = "VEVENT in line 4 moves an event that is not there"
  const series = (uid: string) => event(`UID:${uid}`, "DTSTART:20261210", "RRULE:FREQ=DAILY;COUNT=2")
  assert.strictEqual(outcome(calendar(...moved, ...series("b"))), `${days("2026-12-10", 3)}; ${report}`)
  assert.strictEqual(outcome(calendar(...moved, ...series("a"))), days("2026-12-12", 2))
  const unknown = moved.with(1, "UID:a").toSpliced(2, 0, "SEQ:UENCE:1")
  assert.strictEqual(
    outcome(calendar(...unknown, ...series("a"))),
    `${days("2026-12-12", 2)}; VEVENT in line 4 has an unknown SEQUENCE`
  )
})

describe("busy times without events", () => {
  const times = (...lines: ReadonlyArray<string>) => ["BEGIN:VFREEBUSY", ...lines, "END:VFREEBUSY"]
  const period = (name: string) => times(`FREEBUSY${name}:20261210T140000Z/20261212T100000Z`)
  table([
    ["are busy without a type", period(""), days("2026-12-10", 2)],
    ["may be unavailable", period(";FBTYPE=BUSY-UNAVAILABLE"), days("2026-12-10", 2)],
    ["may be tentative", period(";FBTYPE=busy-tentative"), days("2026-12-10", 2)],
    ["may have a type that nobody knows", period(";FBTYPE=OTHER"), days("2026-12-10", 2)],
    ["may be free", period(";FBTYPE=FREE"), ""],
    ["may be none", times("DTSTART:20261201T000000Z", "DTEND:20270101T000000Z"), ""],
    [
      "may be several in one line, and whole days in UTC",
      times("FREEBUSY:20261210T140000Z/P1D,20261220T000000Z/20261222T000000Z"),
      `2026-12-10 ${days("2026-12-20", 2)}`
    ],
    [
      "without a readable end are one day",
      times("FREEBUSY:20261210T140000Z/never"),
      "2026-12-10; FREEBUSY in line 5 is unreadable"
    ],
    [
      "without a readable start are reported",
      times("FREEBUSY:never/P1D,20261210T140000Z/P1D"),
      "2026-12-10; FREEBUSY in line 5 is unreadable"
    ],
    ["of which none is readable are broken", times("FREEBUSY:never"), "broken: none of its 1 events can be read"],
    ["beside events are those events", [...period(""), ...OTHER], "2027-03-01"]
  ])

  it("have a bound", () => {
    const many = (count: number) =>
      calendar(...times(...Array.from({ length: count }, () => "FREEBUSY:20261210T140000Z/P1D")))
    assert.strictEqual(outcome(many(CALENDAR_FEED_EVENTS)), "2026-12-10")
    assert.strictEqual(outcome(many(CALENDAR_FEED_EVENTS + 1)), "broken: it has more than 10000 busy times")
  })
})

describe("the block Not available that reaches the end of a feed", () => {
  const block = (summary: string, from: string, before: string, ...lines: ReadonlyArray<string>) =>
    event(`SUMMARY:${summary}`, `DTSTART;VALUE=DATE:${from}`, `DTEND;VALUE=DATE:${before}`, ...lines)
  const AIRBNB = "Airbnb (Not available)"
  /** The block as `2027-01-01/2027-01-03`, and the days that are busy without it. */
  const last = (...lines: ReadonlyArray<string>): string => {
    const reading = read(calendar(...lines))
    if (reading.outcome === "broken") return reading.why
    const { lastUnavailable: found, daysWithoutLastUnavailable: others, days } = reading
    if (found === undefined) assert.deepStrictEqual(others, days)
    const name = found === undefined ? "none" : `${dateOfNumber(found.from)}/${dateOfNumber(found.before)}`
    return [name, ...others.map(dateOfNumber)].join(" ")
  }

  it("is told apart from all others", () => {
    const file = readFileSync(join(FEEDS, "N1-airbnb-not-available-window.ics"), "utf8")
    const lines = file.split("\n").slice(4, -2)
    assert.strictEqual(last(...lines), `2027-08-26/2027-11-26 ${days("2026-11-26", 2)} ${days("2027-01-05", 5)}`)
  })

  const found = "2027-01-01/2027-01-03"
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>, string]> = [
    ["has the name that Airbnb writes", block(AIRBNB, "20270101", "20270103"), found],
    ["may have that name alone", block("Not available", "20270101", "20270103"), found],
    [
      "is not what Booking.com writes of bookings",
      block("CLOSED - Not available", "20270101", "20270103"),
      `none ${days("2027-01-01", 2)}`
    ],
    ["is no reservation", block("Reserved", "20270101", "20270103"), `none ${days("2027-01-01", 2)}`],
    [
      "is not of hours",
      event(`SUMMARY:${AIRBNB}`, "DTSTART:20270101T120000", "DTEND:20270102T110000"),
      "none 2027-01-01"
    ],
    [
      "does not repeat",
      block(AIRBNB, "20270101", "20270102", "RRULE:FREQ=DAILY;COUNT=2"),
      `none ${days("2027-01-01", 2)}`
    ],
    ["has no unreadable part", block(AIRBNB, "20270101", "20270103", "EXDATE:never"), `none ${days("2027-01-01", 2)}`],
    ["is busy", block(AIRBNB, "20270101", "20270103", "TRANSP:TRANSPARENT"), "none"],
    [
      "is none if a booking follows",
      [...block(AIRBNB, "20270101", "20270103"), ...block("Reserved", "20270103", "20270104")],
      `none ${days("2027-01-01", 3)}`
    ],
    [
      "is none if a booking ends with it",
      [...block(AIRBNB, "20270101", "20270103"), ...block("Reserved", "20270102", "20270103")],
      `none ${days("2027-01-01", 2)}`
    ],
    [
      "is the last of several, however near the others are",
      [...block(AIRBNB, "20270101", "20270103"), ...block(AIRBNB, "20270103", "20270105")],
      `2027-01-03/2027-01-05 ${days("2027-01-01", 2)}`
    ],
    [
      "leaves days busy that a booking in it takes",
      [...block(AIRBNB, "20270101", "20270105"), ...block("Reserved", "20270102", "20270103")],
      "2027-01-01/2027-01-05 2027-01-02"
    ]
  ]
  for (const [name, lines, expected] of cases) it(name, () => assert.strictEqual(last(...lines), expected))
})
