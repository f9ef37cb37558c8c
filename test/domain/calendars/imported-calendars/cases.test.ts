import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { addDays, fromDayNumber, toDayNumber } from "../../../../src/contract/time.ts"
import { readFeed } from "../../../../src/domain/calendars/imported-calendars/reading/feed.ts"
import {
  MAX_COUNTED_PARTS,
  makeUnreadablePartReport
} from "../../../../src/domain/calendars/imported-calendars/reading/unreadable-part-report.ts"
import { CALENDAR_FEED_EVENTS_MAX, CALENDAR_UNREADABLE_REASONS_MAX } from "../../../../src/platform/limits.ts"
import { toCalendarText } from "../../../support/domain/calendars/imported-calendars/import-service.ts"

// Feeds that break the standard as real calendars do, and variants of them: the days that they block, and the parts that the
// reader reports. A day is never open because of something that could not be read.
//
// Names of files: "F" are malformed feeds, one number per kind of fault. "N" are valid feeds that were read wrongly before.

const TODAY = "2026-11-26"
const BERLIN = "Europe/Berlin"
const NEW_YORK = "America/New_York"

const read = (feed: string | Buffer, zone = BERLIN) =>
  readFeed(Buffer.from(feed), { zone, first: toDayNumber(TODAY), last: toDayNumber(addDays(TODAY, 1_096)) })

/** Returns busy days as `2026-12-10 2026-12-11`, then each reported clause after `; `; or why the feed is broken. */
const outcome = (feed: string | Buffer, zone?: string): string => {
  const reading = read(feed, zone)
  if (reading.outcome === "broken") return `broken: ${reading.reason}`
  return [reading.days.map(fromDayNumber).join(" "), ...reading.unreadable].join("; ")
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

describe("the feed", () => {
  for (const [file, expected, zone] of FILES)
    it(`${file} is read${zone === undefined ? "" : ` in ${zone}`}`, () =>
      assert.strictEqual(outcome(readFileSync(join(FEEDS, `${file}.ics`)), zone), expected))

  it("files are all in the table", () =>
    assert.sameMembers(
      readdirSync(FEEDS).map((file) => file.replace(".ics", "")),
      Array.from(new Set(FILES.map(([file]) => file)))
    ))
})

const event = (...lines: ReadonlyArray<string>) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"]
const one = (...lines: ReadonlyArray<string>) => toCalendarText(...event(...lines))
/** A second event, which is busy whether or not the first is readable. */
const OTHER = event("DTSTART;VALUE=DATE:20270301")

const table = (cases: ReadonlyArray<readonly [name: string, lines: ReadonlyArray<string>, expected: string]>): void => {
  for (const [name, lines, expected] of cases)
    it(name, () => assert.strictEqual(outcome(toCalendarText(...lines)), expected))
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
    ""
  ]
  const SERIES = ["DTSTART:20261210", "RRULE:FREQ=DAILY;COUNT=2"]
  const SERIES_DAYS = days("2026-12-10", 2)

  const assertUnreadableStart = (text: string) =>
    assert.strictEqual(
      outcome(toCalendarText(...event(`DTSTART:${text}`), ...OTHER)),
      "2027-03-01; DTSTART in line 5 is unreadable"
    )
  /** An unreadable end leaves one day busy, and an unreadable override leaves its series busy. */
  const assertUnreadableEnd = (text: string) => {
    assert.strictEqual(outcome(one("DTSTART:20261210", `DTEND:${text}`)), "2026-12-10; DTEND in line 6 is unreadable")
    const override = event("UID:a", `RECURRENCE-ID:${text}`, "DTSTART:20261211", "STATUS:CANCELLED")
    assert.strictEqual(
      outcome(toCalendarText(...event("UID:a", ...SERIES), ...override)),
      `${SERIES_DAYS}; RECURRENCE-ID in line 11 is unreadable`
    )
  }
  const assertUnreadableInList = (text: string) => {
    for (const name of ["EXDATE", "RDATE"])
      assert.strictEqual(outcome(one(...SERIES, `${name}:${text}`)), `${SERIES_DAYS}; ${name} in line 7 is unreadable`)
  }
  const assertUnreadableUntil = (text: string) =>
    assert.strictEqual(
      outcome(one("DTSTART:20261210", `RRULE:FREQ=DAILY;UNTIL=${text}`)),
      "2026-12-10; RRULE in line 6 is unreadable"
    )

  for (const text of unreadable) {
    it(`is unreadable as ${JSON.stringify(text)}`, () => {
      assertUnreadableStart(text)
      assertUnreadableEnd(text)
      assertUnreadableInList(text)
      assertUnreadableUntil(text)
    })
  }

  it("is unreadable with a semicolon after it, except at the end of a rule", () => {
    assertUnreadableStart("20261210;")
    assertUnreadableEnd("20261210;")
    assertUnreadableInList("20261210;")
    assert.strictEqual(outcome(one("DTSTART:20261210", "RRULE:FREQ=DAILY;UNTIL=20261210;")), "2026-12-10")
  })

  it("is unreadable as a list, except where a list is allowed", () => {
    assertUnreadableStart("20261210,20261211")
    assertUnreadableEnd("20261210,20261211")
    assertUnreadableUntil("20261210,20261211")
    assert.strictEqual(outcome(one(...SERIES, "RDATE:20261214,20261216")), `${SERIES_DAYS} 2026-12-14 2026-12-16`)
    assert.strictEqual(outcome(one(...SERIES, "EXDATE:20261210,20261211")), "")
  })

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
      "may have dashes in UNTIL and in EXDATE",
      event("DTSTART:20261210", "RRULE:FREQ=DAILY;UNTIL=2026-12-13", "EXDATE:2026-12-11"),
      "2026-12-10 2026-12-12 2026-12-13"
    ],
    [
      "may have dashes in a period",
      event("DTSTART:20261210", "RDATE;VALUE=PERIOD:2026-12-20T15:00:00/2026-12-22T10:00:00"),
      `2026-12-10 ${days("2026-12-20", 2)}`
    ],
    [
      "is unreadable with an unknown parameter, which may be a broken TZID",
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
      "is reported if the END of an event is missing",
      ["BEGIN:VEVENT", "DTSTART:20261210", ...OTHER],
      "2026-12-10 2027-03-01; BEGIN:VEVENT in line 4 has no end"
    ],
    [
      "is reported if the BEGIN of an event is missing",
      ["DTSTART:20261210", "END:VEVENT", ...OTHER],
      "2027-03-01; DTSTART in line 4 is outside of an event; END:VEVENT in line 5 has no matching BEGIN"
    ],
    [
      "is reported if it is misspelt",
      ["BEGIN:VEVENTS", "DTSTART:20261210", "END:VEVENTX", ...OTHER],
      "2027-03-01; END in line 6 has no matching BEGIN; BEGIN in line 4 has no end"
    ],
    [
      "is reported if other text follows on the line",
      ["BEGIN:VEVENT now", "DTSTART:20261210", "END:VEVENT now", ...OTHER],
      "2027-03-01; line 4 is not a content line; DTSTART in line 5 is outside of an event; line 6 is not a content line"
    ],
    [
      "with an unknown name belongs to the event around it",
      event("DTSTART:20261210", "BEGIN:tour", "DTEND:20261212"),
      `${days("2026-12-10", 2)}; BEGIN in line 6 has no end`
    ],
    [
      "of an alarm without an end does not hide the next event",
      [...event("DTSTART:20261210", "BEGIN:VALARM", "TRIGGER:-PT1H"), ...OTHER],
      "2026-12-10 2027-03-01; BEGIN:VALARM in line 6 has no end"
    ]
  ])

  const inner = (name: string, ...lines: ReadonlyArray<string>) => [`BEGIN:${name}`, ...lines, `END:${name}`]
  for (const name of ["VEVNT", "EVENT", "X-VEVENT", "X_EVENT", "VEVENT2", "VFREBUSY"])
    for (const line of ["DTSTART:20261210", "FREEBUSY:20261210T140000Z/P1D"])
      it(`is reported if it begins and ends a ${name} with ${line}`, () =>
        assert.strictEqual(
          outcome(toCalendarText(...inner(name, line), ...OTHER)),
          "2027-03-01; BEGIN in line 4 may begin an event"
        ))
  for (const name of ["VALARM", "STANDARD", "DAYLIGHT", "AVAILABLE"])
    it(`is reported if it begins a ${name} with a start that is in no component which has it`, () =>
      assert.strictEqual(
        outcome(toCalendarText(...inner(name, "DTSTART:20261210"), ...OTHER)),
        `2027-03-01; BEGIN:${name} in line 4 may begin an event`
      ))
  table([
    [
      "is not reported if its component is one that blocks no day",
      [
        ...inner("VTODO", "DTSTART:20261210", "DUE:20261211", ...inner("VALARM", "TRIGGER:-PT1H")),
        ...inner("VJOURNAL", "DTSTART:20261210"),
        ...inner("VAVAILABILITY", "DTSTART:20261210T000000Z", ...inner("AVAILABLE", "DTSTART:20261210T080000Z")),
        ...inner("X-SETTINGS", "X-START:20261210"),
        ...event("DTSTART:20261212", ...inner("VALARM", "TRIGGER:-PT1H", "DURATION:PT5M"), ...inner("X-A", "B:1"))
      ],
      "2026-12-12"
    ]
  ])

  it("may be outside of VCALENDAR: it is reported, and its event blocks its days", () => {
    const report = "VEVENT in line 8 is outside of VCALENDAR"
    const whole = toCalendarText(...OTHER)
    assert.strictEqual(outcome(`${whole}${event("DTSTART:20261210").join("\r\n")}`), `2026-12-10 2027-03-01; ${report}`)
    assert.strictEqual(
      outcome(`${event("DTSTART:20261210").join("\n")}\n${whole}`),
      "2026-12-10 2027-03-01; VEVENT in line 1 is outside of VCALENDAR"
    )
  })
})

describe("a line directly in a calendar", () => {
  for (const line of [
    "Warning: mysqli_connect(): (HY000/2002): Connection refused in /var/www/ical.php on line 12",
    "Notice: Undefined index: end",
    "ERROR:database unavailable",
    "Error;code=5:x",
    "REQUEST-STATUS:5.1;Service unavailable",
    "BEGN:VEVENT"
  ])
    it(`is reported if it is no property of a calendar: ${line.slice(0, 20)}`, () =>
      assert.strictEqual(outcome(toCalendarText(line, ...OTHER)), "2027-03-01; line 4 has an unknown name"))

  for (const line of [
    "DTSTART:20261210",
    "DTEND:20261212",
    "DURATION:P2D",
    "RRULE:FREQ=DAILY",
    "RDATE:20261210",
    "EXDATE:20261210",
    "RECURRENCE-ID:20261210",
    "SEQUENCE:1",
    "STATUS:CONFIRMED",
    "TRANSP:OPAQUE",
    "SUMMARY:Reserved",
    "FREEBUSY:20261210T140000Z/P1D"
  ])
    it(`is reported if it belongs to an event: ${line}`, () =>
      assert.strictEqual(
        outcome(toCalendarText("UID:a", line, ...OTHER)),
        `2027-03-01; ${line.split(/[:;]/)[0]} in line 5 is outside of an event`
      ))

  for (const line of [
    "CALSCALE:GREGORIAN",
    "METHOD:PUBLISH",
    "NAME:Flat",
    "DESCRIPTION:Bookings",
    "UID:5bbc",
    "URL:https://example.com/",
    "LAST-MODIFIED:20261120T100000Z",
    "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
    "SOURCE;VALUE=URI:https://example.com/a.ics",
    "COLOR:red",
    "IMAGE;VALUE=URI:https://example.com/a.png",
    "CATEGORIES:RENTAL",
    "TZID:Europe/Berlin",
    "TIMEZONE-ID:Europe/Berlin",
    "X-WR-CALNAME:Flat",
    "X_WR_CALNAME:Flat"
  ])
    it(`is not reported if it is a property of a calendar: ${line}`, () =>
      assert.strictEqual(outcome(toCalendarText(line, ...OTHER)), "2027-03-01"))
})

describe("an unknown property of an event", () => {
  const UNKNOWN = "line 6 has a date under an unknown name"
  const property = (line: string) => outcome(one("DTSTART:20261210", line))
  const dates = [
    "20261212",
    "2026-12-12",
    "12.12.2026",
    "6/6/2027",
    "2026/12/12",
    "12-6-27",
    "6. 6. 2027",
    "6 Jun 2027"
  ]
  for (const date of dates)
    it(`is reported if its name is like DTEND and its value is ${date}`, () =>
      assert.strictEqual(property(`DTEN:${date}`), `2026-12-10; ${UNKNOWN}`))
  for (const line of [
    "DTSTAR:20261212",
    "DTSART:20261212",
    "START:20261212",
    "DT_END:20261212",
    "DTNED:20261212",
    "DTENDTIME:20261212",
    "D;TEND:20261212",
    "RRUL:FREQ=DAILY",
    "RULE:FREQ=DAILY",
    "RDAT:20261212",
    "DURATIO:P2D",
    "DURTN:P2D",
    "EXDAT:20261212",
    "RECURENCE-ID:20261212",
    "RECUR-ID:20261212",
    "BUSY:20261212T140000Z/P1D"
  ])
    it(`is reported if its name is like one that decides days: ${line}`, () =>
      assert.strictEqual(property(line), `2026-12-10; ${UNKNOWN}`))
  for (const line of [
    "CHECKIN:20270601",
    "CHECKOUT:20270601",
    "RESERVATION-ID:HM20270601",
    "BOOKING-DATE:2026-11-26",
    "GUESTS:2",
    "X_CUSTOM:1",
    "X_DTEND:20270601",
    "X-DTEND:20270601",
    "RATE:100"
  ])
    it(`is not reported otherwise: ${line}`, () => assert.strictEqual(property(line), "2026-12-10"))

  it("of a time may be one of the program that wrote it", () =>
    assert.strictEqual(outcome(one("DTSTART;X_KIND=stay;X-KIND=stay:20261210")), "2026-12-10"))

  it("leaves the event a revision that a later one cancels", () => {
    const revision = (...lines: ReadonlyArray<string>) =>
      event("UID:a", "DTSTART:20261210", "CHECKIN:20261210", ...lines)
    assert.strictEqual(outcome(toCalendarText(...revision(), ...revision("SEQUENCE:1", "STATUS:CANCELLED"))), "")
  })
})

describe("an indented line after a text", () => {
  const START = "DTSTART:20261210"
  table([
    [
      "is part of the text if the event has such a line",
      event(
        "UID:a",
        "DESCRIPTION:Copied from",
        " DTSTART:20261201",
        " and on",
        " DTEND:20261220",
        " DURATION: 3 nights",
        " RRULE:FREQ=DAILY",
        " UID:b",
        " SEQUENCE:7",
        START,
        "DTEND:20261211",
        "RRULE:FREQ=WEEKLY;COUNT=2",
        "SEQUENCE:1"
      ),
      "2026-12-10 2026-12-17"
    ],
    [
      "is reported, and counts, if the event has no such line",
      event("DESCRIPTION:Two nights", " DTEND:20261212", " RRULE:FREQ=YEARLY", START),
      `${days("2026-12-10", 2)} ${days("2027-12-10", 2)} ${days("2028-12-10", 2)}` +
        "; DTEND in line 6 has white space before it; RRULE in line 7 has white space before it"
    ],
    [
      "is reported if an event may have several of them",
      event(START, "RDATE:20261212", "COMMENT:Also", " RDATE:20261214"),
      "2026-12-10 2026-12-12 2026-12-14; RDATE in line 8 has white space before it"
    ],
    [
      "is reported after a line that is no text",
      event(START, "DTEND:20261212", " DTEND:20261213"),
      `${days("2026-12-10", 3)}; DTEND in line 7 has white space before it; DTEND in line 7 appears twice`
    ],
    [
      "is not reported in a component that blocks no day",
      [...event(START), "BEGIN:VTODO", "DESCRIPTION:Clean", " DTSTART:20261220", "END:VTODO"],
      "2026-12-10"
    ]
  ])
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
    [
      "may be empty, and then is not reported",
      event("DTSTART:20261210", "", "DTEND:20261212", ""),
      days("2026-12-10", 2)
    ],
    ["may be in a calendar", ["no line of one", ...OTHER], "2027-03-01; line 4 is not a content line"],
    [
      "may be a misspelt property with a date",
      event("DTSTART:20261210", "DTEDN:20261212"),
      "2026-12-10; line 6 has a date under an unknown name"
    ],
    [
      "may be a misspelt property with a duration",
      event("DTSTART:20261210", "D;URATION:P2D"),
      "2026-12-10; line 6 has a date under an unknown name"
    ],
    [
      "is not reported if it is an unknown property without dates",
      event("DTSTART:20261210", "GUESTS:2", "X-CHECKOUT:20261212", "BOOKING:123456789012"),
      "2026-12-10"
    ],
    [
      "may be DTEND with white space before it, which counts as an end",
      event("DTSTART:20261210", "SUMMARY:Reserved", " DTEND:20261212"),
      `${days("2026-12-10", 2)}; DTEND in line 7 has white space before it`
    ],
    [
      "does not cancel if a text continues with STATUS",
      event("DTSTART:20261210", "SUMMARY:Reserved", " STATUS:CANCELLED"),
      "2026-12-10"
    ],
    [
      "does not cancel if only one STATUS of two is CANCELLED",
      event("DTSTART:20261210", "STATUS:CONFIRMED", "DESCRIPTION:Old", "STATUS:CANCELLED"),
      "2026-12-10"
    ]
  ])

  it("is reported before a calendar, and ignored after it", () => {
    const whole = toCalendarText(...OTHER)
    assert.strictEqual(outcome(`Warning: x\r\n${whole}`), "2027-03-01; line 1 is outside of VCALENDAR")
    for (const rest of ["X-COMMENT:Hi", "<!-- 0.2 s -->", "END:VCALENDAR", "DTSTART:20261210", " folded", "\u001a"])
      assert.strictEqual(outcome(`${whole}${rest}`), "2027-03-01")
  })

  it("makes the feed broken if it begins a second calendar that does not end", () => {
    const whole = toCalendarText(...OTHER)
    const another = one("DTSTART:20261210").trimEnd()
    const cut = "broken: it is incomplete: END:VCALENDAR is missing"
    for (let length = 1; length < another.length; length++)
      assert.strictEqual(outcome(whole + another.slice(0, length)), cut)
    assert.strictEqual(outcome(`${whole}BEGI\r\n\r\n`), cut)
    assert.strictEqual(outcome(`${whole}B\r\n<!-- 0.2 s -->`), "2027-03-01")
    assert.strictEqual(outcome(toCalendarText(...OTHER, "B")), "2027-03-01; line 7 is not a content line")
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
      assert.strictEqual(outcome(toCalendarText(...stay(line))), `${busy}; ${name} in line 7 is unreadable`)
    })
  }

  table([
    [
      "as an end leaves one day",
      event("DTSTART:20261210T230000", "DTEND:"),
      "2026-12-10; DTEND in line 6 is unreadable"
    ],
    [
      "as an end leaves the duration",
      event("DTSTART:20261210", "DTEND:never", "DURATION:P2D"),
      `${busy}; DTEND in line 6 is unreadable`
    ],
    [
      "as the end of a period leaves the length of the event",
      event("DTSTART:20261201", "DURATION:P2D", "RDATE;VALUE=PERIOD:20261210/never"),
      `${days("2026-12-01", 2)} ${busy}; RDATE in line 7 is unreadable`
    ],
    [
      "as one of two ends leaves the later one",
      event("DTSTART:20261210", "DTEND:20261211", "DTEND:20261212"),
      `${busy}; DTEND in line 7 appears twice`
    ],
    [
      "as one of two starts leaves the earlier one",
      event("DTSTART:20261211", "DTSTART:20261210", "DTEND:20261212"),
      `${busy}; DTSTART in line 6 appears twice`
    ],
    [
      "is not reported if it is there twice with one value",
      event("DTSTART:20261210", "DTSTART:20261210 "),
      "2026-12-10"
    ],
    [
      "as one of several dates leaves the others",
      event("DTSTART:20261210", "RRULE:FREQ=DAILY;COUNT=3", "EXDATE:20261211,never"),
      "2026-12-10 2026-12-12; EXDATE in line 7 is unreadable"
    ],
    ["may be a rule that ends with a semicolon", event("DTSTART:20261210", "RRULE:FREQ=DAILY;COUNT=2;"), busy],
    [
      "as a rule whose parts are not allowed together leaves the first occurrence",
      event("DTSTART:20261210", "RRULE:FREQ=WEEKLY;BYYEARDAY=1"),
      "2026-12-10; RRULE in line 6 is unreadable"
    ]
  ])

  it("is reported in five clauses at most, and the others are counted", () => {
    const broken = (count: number) => Array.from({ length: count }, () => stay("RRULE:")).flat()
    const reasons = (count: number) => {
      const reading = read(toCalendarText(...broken(count)))
      return reading.outcome === "read" ? reading.unreadable : []
    }
    assert.lengthOf(reasons(CALENDAR_UNREADABLE_REASONS_MAX), CALENDAR_UNREADABLE_REASONS_MAX)
    assert.strictEqual(reasons(CALENDAR_UNREADABLE_REASONS_MAX)[4], "RRULE in line 27 is unreadable")
    assert.strictEqual(
      reasons(CALENDAR_UNREADABLE_REASONS_MAX + 2)
        .join("; ")
        .slice(-12),
      "; and 2 more"
    )
  })

  it("is counted once, also beyond the five clauses, and up to 1,000 different clauses", () => {
    const clausesOf = (count: number) => {
      const { report, listParts: clauses } = makeUnreadablePartReport()
      for (let n = 0; n < 2 * count; n++) report(`line ${n % count} is not a content line`)
      return clauses()
    }
    assert.deepStrictEqual(clausesOf(2), ["line 0 is not a content line", "line 1 is not a content line"])
    assert.strictEqual(clausesOf(7).at(-1), "and 2 more")
    assert.strictEqual(clausesOf(MAX_COUNTED_PARTS).at(-1), "and 995 more")
    assert.strictEqual(clausesOf(MAX_COUNTED_PARTS + 1).at(-1), "and more than 995 more")
  })
})

describe("an all-day series", () => {
  const series = (...lines: ReadonlyArray<string>) =>
    event("UID:a", "DTSTART;VALUE=DATE:20261203", "RRULE:FREQ=WEEKLY;COUNT=3", ...lines)
  const moved = (id: string) => event("UID:a", `RECURRENCE-ID${id}`, "DTSTART;VALUE=DATE:20261212")
  table([
    [
      "leaves out the day of a midnight in a named zone",
      series("EXDATE;TZID=Asia/Tokyo:20261210T000000"),
      "2026-12-03 2026-12-17"
    ],
    [
      "leaves out the day of a midnight in an unknown zone",
      series("EXDATE;TZID=Nowhere:20261210T000000"),
      "2026-12-03 2026-12-17; the time zone Nowhere is unknown"
    ],
    ["leaves out the day of a midnight without a zone", series("EXDATE:20261210T000000"), "2026-12-03 2026-12-17"],
    [
      "leaves out the day that begins at the property at a time in UTC, and not the day before",
      series("EXDATE:20261209T230000Z", "EXDATE:2026-12-16T23:00:00-00:00"),
      "2026-12-03"
    ],
    [
      "leaves out nothing by a time in UTC that is no midnight of the property",
      series("EXDATE:20261209T220000Z"),
      "2026-12-03 2026-12-10 2026-12-17; EXDATE in line 8 is unreadable"
    ],
    [
      "leaves out nothing by a time in a zone that is no midnight there",
      series("EXDATE;TZID=America/New_York:20261209T230000,20261216T180000"),
      "2026-12-03 2026-12-10 2026-12-17; EXDATE in line 8 is unreadable"
    ],
    [
      "leaves out nothing by a time without a zone that is no midnight",
      series("EXDATE:20261210T230000"),
      "2026-12-03 2026-12-10 2026-12-17; EXDATE in line 8 is unreadable"
    ],
    [
      "moves the day that begins at the property at a time in UTC",
      [...series(), ...moved(":20261209T230000Z")],
      "2026-12-03 2026-12-12 2026-12-17"
    ],
    [
      "moves no day by a time that is no midnight",
      [...series(), ...moved(";TZID=America/New_York:20261209T230000")],
      "2026-12-03 2026-12-10 2026-12-12 2026-12-17; RECURRENCE-ID of VEVENT in line 9 names no day"
    ],
    [
      "moves no later days by a time that is no midnight",
      [...series(), ...moved(";RANGE=THISANDFUTURE:20261210T120000")],
      "2026-12-03 2026-12-10 2026-12-12 2026-12-17; RECURRENCE-ID of VEVENT in line 9 names no day"
    ],
    [
      "moves the day of a midnight in UTC",
      [...series(), ...moved(":20261210T000000Z")],
      "2026-12-03 2026-12-12 2026-12-17"
    ],
    [
      "moves the day of a midnight in a Windows zone",
      [...series(), ...moved(";TZID=Tokyo Standard Time:20261210T000000")],
      "2026-12-03 2026-12-12 2026-12-17"
    ],
    [
      "moves all later days with RANGE=THISANDFUTURE",
      [...series(), ...moved(";RANGE=THISANDFUTURE:20261210T000000Z")],
      "2026-12-03 2026-12-12 2026-12-19"
    ],
    [
      "ends on the later day of UNTIL in UTC and at the property",
      event("DTSTART;VALUE=DATE:20261203", "RRULE:FREQ=DAILY;UNTIL=20261204T230000Z"),
      days("2026-12-03", 3)
    ],
    [
      "may be written from midnight to midnight in UTC",
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

describe("an end", () => {
  const other = (...lines: ReadonlyArray<string>) => [...event(...lines), ...OTHER]
  const isUnreadable = "2026-12-10 2027-03-01; DTEND in line 6 is unreadable"
  table([
    ["before its start is unreadable", other("DTSTART:20261210", "DTEND:20261201"), isUnreadable],
    [
      "is unreadable by a minute too",
      other("DTSTART:20261210T150000", "DTEND:20261210T145900"),
      "2026-12-10 2027-03-01; DTEND in line 6 is unreadable"
    ],
    [
      "before its start in another zone is unreadable",
      other("DTSTART;TZID=America/New_York:20261210T120000", "DTEND:20261210T165900Z"),
      isUnreadable
    ],
    [
      "as a date before a start with a time is unreadable",
      other("DTSTART:20261210T150000", "DTEND:20261210"),
      isUnreadable
    ],
    [
      "before its start leaves the duration",
      other("DTSTART:20261210", "DTEND:20261201", "DURATION:P2D"),
      `${days("2026-12-10", 2)} 2027-03-01; DTEND in line 6 is unreadable`
    ],
    ["on the day of its start is that day", other("DTSTART:20261210", "DTEND:20261210"), "2026-12-10 2027-03-01"],
    [
      "on the day of its start may have another notation",
      other("DTSTART:2026-12-10T00:00:00-05:00", "DTEND:20261210"),
      "2026-12-10 2027-03-01"
    ],
    [
      "at the time of its start is its day",
      other("DTSTART:20261210T090000", "DTEND:20261210T090000"),
      "2026-12-10 2027-03-01"
    ],
    ["after no days is one day", other("DTSTART:20261210", "DURATION:P0D"), "2026-12-10 2027-03-01"],
    ["after no time is its day", other("DTSTART:20261210T200000", "DURATION:PT0S"), "2026-12-10 2027-03-01"],
    [
      "of a period before its start leaves the length of the event",
      other("DTSTART:20261201", "DURATION:P2D", "RDATE;VALUE=PERIOD:20261210T150000Z/20261209T150000Z"),
      `${days("2026-12-01", 2)} ${days("2026-12-10", 2)} 2027-03-01; RDATE in line 7 is unreadable`
    ],
    [
      "of a period at its start is its day",
      other("DTSTART:20261201", "RDATE;VALUE=PERIOD:20261210T090000/20261210T090000,20261212T090000/PT0S"),
      "2026-12-01 2026-12-10 2026-12-12 2027-03-01"
    ]
  ])
})

describe("an occurrence that is left out", () => {
  const series = (zone: string, exception: string) =>
    event(`DTSTART;TZID=${zone}:20261203T200000`, "RRULE:FREQ=DAILY;COUNT=2", `EXDATE${exception}`)
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
    ["may be described in the calendar", [...zone("Ours", ...standard("-0500")), ...late("Ours")], "2026-12-11"],
    [
      "is found by its name, whatever the calendar describes",
      [...zone(NEW_YORK, ...standard("+0900")), ...late(NEW_YORK)],
      "2026-12-11"
    ],
    [
      "may be an empty VTIMEZONE with X-LIC-LOCATION",
      [...zone("Ours", `X-LIC-LOCATION:${NEW_YORK}`), ...late("Ours")],
      "2026-12-11"
    ],
    ["is reported if it is unknown", late("Ours"), unknown("Ours")],
    ["is reported if its VTIMEZONE is empty", [...zone("Ours"), ...late("Ours")], unknown("Ours")],
    ["is reported if its offset is broken", [...zone("Ours", ...standard("-5")), ...late("Ours")], unknown("Ours")],
    [
      "is reported if its rule is broken",
      [...zone("Ours", ...standard("-0500", "RRULE:FREQ=SOMETIMES")), ...late("Ours")],
      unknown("Ours")
    ],
    [
      "is reported if its VTIMEZONE has an unreadable line",
      [...zone("Ours", ...standard("-0500", "RRULEX:FREQ=YEARLY")), ...late("Ours")],
      "2026-12-10; line 10 has a date under an unknown name; the time zone Ours is unknown"
    ],
    [
      "is not reported if it is broken and no event uses it",
      [...zone("Ours"), ...event("DTSTART:20261210")],
      "2026-12-10"
    ],
    ["is ignored beside a date", event("DTSTART;TZID=Nowhere;VALUE=DATE:20261210"), "2026-12-10"],
    [
      "is reported once, as 40 characters of ASCII",
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
    ["do not end at another hour than midnight", ["DTSTART:20261210T000000Z", "DTEND:20261210T100000Z"], "2026-12-09"]
  ]
  for (const [name, lines, expected] of cases)
    it(name, () => assert.strictEqual(outcome(one(...lines), NEW_YORK), expected))

  for (const zone of ["UTC", "GMT", "Etc/UTC", "Etc/GMT", "Zulu", "Greenwich", "gmt+0"])
    it(`may have UTC as ${zone}`, () => {
      const lines = [`DTSTART;TZID=${zone}:20261210T000000`, `DTEND;TZID=${zone}:20261212T000000`]
      assert.strictEqual(outcome(one(...lines), NEW_YORK), days("2026-12-10", 2))
    })

  it("do not have UTC in a place without an offset", () => {
    const lines = ["DTSTART;TZID=Africa/Abidjan:20261210T000000", "DTEND;TZID=Africa/Abidjan:20261212T000000"]
    assert.strictEqual(outcome(one(...lines), NEW_YORK), days("2026-12-09", 3))
  })

  it("of another zone may end in their last minute", () => {
    const lines = ["DTSTART;TZID=Europe/Berlin:20261210T000000", "DTEND;TZID=Europe/Berlin:20261211T235900"]
    assert.strictEqual(outcome(one(...lines), "America/Los_Angeles"), days("2026-12-09", 3))
  })

  it("are not an event of several days that begins at midnight in UTC and ends at another hour", () => {
    // In Los Angeles it begins at 16:00 and ends at 14:00.
    const lines = ["DTSTART:20261210T000000Z", "DTEND:20261211T220000Z"]
    assert.strictEqual(outcome(one(...lines), "America/Los_Angeles"), days("2026-12-09", 2))
  })

  it("of another zone block the night in which they end", () => {
    // In Los Angeles they begin and end at 15:00.
    const lines = ["DTSTART;TZID=Europe/Berlin:20261210T000000", "DTEND;TZID=Europe/Berlin:20261212T000000"]
    assert.strictEqual(outcome(one(...lines), "America/Los_Angeles"), days("2026-12-09", 3))
  })
})

describe("a change of the clocks", () => {
  const SANTIAGO = "America/Santiago"
  // The clocks of Santiago skip from 0:00 to 1:00 on 5 September 2027.
  const described = [
    ["BEGIN:VTIMEZONE", "TZID:Ours"],
    ["BEGIN:STANDARD", "DTSTART:20270404T000000", "TZOFFSETFROM:-0300", "TZOFFSETTO:-0400", "END:STANDARD"],
    ["BEGIN:DAYLIGHT", "DTSTART:20270905T000000", "TZOFFSETFROM:-0400", "TZOFFSETTO:-0300", "END:DAYLIGHT"],
    ["END:VTIMEZONE"]
  ].flat()
  for (const zone of [SANTIAGO, "Ours"]) {
    const feed = (...lines: ReadonlyArray<string>) => toCalendarText(...described, ...event(...lines))
    it(`does not move a time that ${zone} skips to the day before`, () =>
      assert.strictEqual(
        outcome(feed(`DTSTART;TZID=${zone}:20270905T000000`, `DTEND;TZID=${zone}:20270906T000000`), SANTIAGO),
        "2027-09-05"
      ))

    it(`does not move a time of ${zone} in UTC shortly before it`, () => {
      const series = [`DTSTART;TZID=${zone}:20270903T233000`, "RRULE:FREQ=DAILY;COUNT=3", "EXDATE:20270905T033000Z"]
      assert.strictEqual(outcome(feed(...series), SANTIAGO), "2027-09-03 2027-09-05")
    })
  }

  it("that shows a time twice means the first one", () =>
    // In Havana 0:30 comes twice on 7 November 2027: at 23:30 and at 0:30 in Lima.
    assert.strictEqual(outcome(one("DTSTART;TZID=America/Havana:20271107T003000"), "America/Lima"), "2027-11-06"))
})

describe("a timed event", () => {
  table([
    [
      "blocks no night if it is a cleaning or a check-out in the morning",
      [
        ...event("DTSTART:20261210T090000", "DTEND:20261210T120000"),
        ...event("DTSTART:20261211T060000", "DTEND:20261211T080000"),
        ...OTHER
      ],
      "2027-03-01"
    ],
    [
      "blocks a night if it begins after noon, ends after noon, or begins before 6:00",
      [
        ...event("DTSTART:20261210T150000", "DTEND:20261210T160000"),
        ...event("DTSTART:20261212T100000", "DTEND:20261212T130000"),
        ...event("DTSTART:20261214T010000", "DTEND:20261214T040000")
      ],
      "2026-12-10 2026-12-12 2026-12-14"
    ],
    [
      "leaves the last day free if it ends before the hour of its start",
      event("DTSTART:20261210T160000", "DTEND:20261212T153000"),
      days("2026-12-10", 2)
    ],
    [
      "blocks the last day if it ends later in the day than it began",
      event("DTSTART:20261210T140000", "DTEND:20261212T180000"),
      days("2026-12-10", 3)
    ],
    [
      "blocks the last day if it ends after 18:00, however late it began",
      [
        ...event("DTSTART:20261210T200000", "DTEND:20261212T180000"),
        ...event("DTSTART:20261220T200000", "DTEND:20261222T180001")
      ],
      `${days("2026-12-10", 2)} ${days("2026-12-20", 3)}`
    ],
    [
      "blocks the last day if it ends in its last minute",
      event("DTSTART:20261210T000000", "DTEND:20261211T235900"),
      days("2026-12-10", 2)
    ],
    [
      "blocks the same nights when the clocks change",
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
      "do not replace another if they are unreadable in part",
      [...revision("20261210"), ...revision("20261210", "SEQUENCE:1", CANCELLED, "RDATE:never")],
      "2026-12-10; RDATE in line 13 is unreadable"
    ],
    [
      "do not replace another without a readable start",
      [...revision("20261210"), ...revision("never", "SEQUENCE:1")],
      "2026-12-10; DTSTART in line 10 is unreadable"
    ],
    [
      "of one occurrence are compared with each other only",
      [
        ...revision("20261210", "RRULE:FREQ=DAILY;COUNT=2", "SEQUENCE:5"),
        ...revision("20261220", "RECURRENCE-ID:20261211", "SEQUENCE:1"),
        ...revision("20261222", "RECURRENCE-ID:20261211", "SEQUENCE:2")
      ],
      "2026-12-10 2026-12-22"
    ],
    [
      "of one occurrence leave it busy if they are unreadable in part",
      [
        ...revision("20261210", "RRULE:FREQ=DAILY;COUNT=2"),
        ...revision("20261220", "RECURRENCE-ID:20261211", "DTEND:never")
      ],
      `${days("2026-12-10", 2)} 2026-12-20; DTEND in line 13 is unreadable`
    ],
    [
      "with an unreadable RECURRENCE-ID block their own days beside the series",
      [
        ...revision("20261210", "RRULE:FREQ=DAILY;COUNT=2"),
        ...revision("20261211", "RECURRENCE-ID:never"),
        ...revision("20261220", "RECURRENCE-ID:20261211")
      ],
      `${days("2026-12-10", 2)} 2026-12-20; RECURRENCE-ID in line 12 is unreadable`
    ],
    [
      "are not events whose UIDs look alike together with other fields",
      [
        ...revision("20261220", "RECURRENCE-ID:20261211T000000"),
        ...event(`UID:a wall ${Date.UTC(2026, 11, 11) / 1000} false false`, "DTSTART:20261210", "SEQUENCE:1")
      ],
      "2026-12-10 2026-12-20"
    ],
    [
      "need a UID",
      [...event("UID:", "DTSTART:20261210"), ...event("UID:", "DTSTART:20261210", CANCELLED, "SEQUENCE:1")],
      "2026-12-10"
    ]
  ])
})

it("an override of all later occurrences is reported if its series or its revision is unknown", () => {
  const override = event("UID:a", "RECURRENCE-ID;RANGE=THISANDFUTURE:20261210", "DTSTART:20261212")
  const report = "VEVENT in line 4 moves an event that does not exist"
  const series = (uid: string) => event(`UID:${uid}`, "DTSTART:20261210", "RRULE:FREQ=DAILY;COUNT=2")
  assert.strictEqual(outcome(toCalendarText(...override, ...series("b"))), `${days("2026-12-10", 3)}; ${report}`)
  assert.strictEqual(outcome(toCalendarText(...override, ...series("a"))), days("2026-12-12", 2))
  const unknown = override.with(1, "UID:a").toSpliced(2, 0, "SEQ:UENCE:1")
  assert.strictEqual(
    outcome(toCalendarText(...unknown, ...series("a"))),
    `${days("2026-12-12", 2)}; VEVENT in line 4 has an unknown SEQUENCE`
  )
})

describe("busy times", () => {
  const times = (...lines: ReadonlyArray<string>) => ["BEGIN:VFREEBUSY", ...lines, "END:VFREEBUSY"]
  const period = (name: string) => times(`FREEBUSY${name}:20261210T140000Z/20261212T100000Z`)
  table([
    ["block days without a type", period(""), days("2026-12-10", 2)],
    ["may be unavailable", period(";FBTYPE=BUSY-UNAVAILABLE"), days("2026-12-10", 2)],
    ["may be tentative", period(";FBTYPE=busy-tentative"), days("2026-12-10", 2)],
    ["may have an unknown type", period(";FBTYPE=OTHER"), days("2026-12-10", 2)],
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
      "that end before they start are one day",
      times("FREEBUSY:20261210T140000Z/20261208T140000Z"),
      "2026-12-10; FREEBUSY in line 5 is unreadable"
    ],
    ["that end when they start are one day", times("FREEBUSY:20261210T080000Z/PT0S"), "2026-12-10"],
    [
      "without a readable start are reported",
      times("FREEBUSY:never/P1D,20261210T140000Z/P1D"),
      "2026-12-10; FREEBUSY in line 5 is unreadable"
    ],
    [
      "make the feed broken if none of them is readable",
      times("FREEBUSY:never"),
      "broken: none of its 1 events can be read"
    ],
    ["block days beside events too", [...period(""), ...OTHER], `${days("2026-12-10", 2)} 2027-03-01`],
    [
      "block days beside an event that blocks none",
      [
        ...period(""),
        ...event("DTSTART:20261220", "STATUS:CANCELLED"),
        ...event("DTSTART:20261221", "TRANSP:TRANSPARENT")
      ],
      days("2026-12-10", 2)
    ],
    [
      "report an unknown time zone once, also beside events in that zone",
      [...event("DTSTART;TZID=Nowhere:20261201T150000"), ...times("FREEBUSY;TZID=Nowhere:20261210T150000/P1D")],
      "2026-12-01 2026-12-10; the time zone Nowhere is unknown"
    ]
  ])

  it("block days beside an event in another calendar of the feed", () =>
    assert.strictEqual(
      outcome(toCalendarText(...period("")) + toCalendarText(...OTHER)),
      `${days("2026-12-10", 2)} 2027-03-01`
    ))

  it("are 10,000 at most", () => {
    const many = (count: number) =>
      toCalendarText(...times(...Array.from({ length: count }, () => "FREEBUSY:20261210T140000Z/P1D")))
    assert.strictEqual(outcome(many(CALENDAR_FEED_EVENTS_MAX)), "2026-12-10")
    assert.match(outcome(many(CALENDAR_FEED_EVENTS_MAX + 1)), /^broken: .*10000/)
  })
})

describe("the last block Not available of a feed", () => {
  const block = (summary: string, from: string, before: string, ...lines: ReadonlyArray<string>) =>
    event(`SUMMARY:${summary}`, `DTSTART;VALUE=DATE:${from}`, `DTEND;VALUE=DATE:${before}`, ...lines)
  const AIRBNB = "Airbnb (Not available)"
  /** Returns the block as `2027-01-01/2027-01-03`, then the days that are busy without it. */
  const last = (...lines: ReadonlyArray<string>): string => {
    const reading = read(toCalendarText(...lines))
    if (reading.outcome === "broken") return reading.reason
    const { lastUnavailable: span, daysWithoutLastUnavailable: others, days } = reading
    if (span === undefined) assert.deepStrictEqual(others, days)
    const name = span === undefined ? "none" : `${fromDayNumber(span.from)}/${fromDayNumber(span.before)}`
    return [name, ...others.map(fromDayNumber)].join(" ")
  }

  it("is found among other blocks", () => {
    const file = readFileSync(join(FEEDS, "N1-airbnb-not-available-window.ics"), "utf8")
    const lines = file.split("\n").slice(4, -2)
    assert.strictEqual(last(...lines), `2027-08-26/2027-11-26 ${days("2026-11-26", 2)} ${days("2027-01-05", 5)}`)
  })

  const BLOCK = "2027-01-01/2027-01-03"
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>, string]> = [
    ["has the name that Airbnb writes", block(AIRBNB, "20270101", "20270103"), BLOCK],
    ["may have that name alone", block("Not available", "20270101", "20270103"), BLOCK],
    [
      "is not a booking of Booking.com",
      block("CLOSED - Not available", "20270101", "20270103"),
      `none ${days("2027-01-01", 2)}`
    ],
    ["is not an event Reserved", block("Reserved", "20270101", "20270103"), `none ${days("2027-01-01", 2)}`],
    [
      "is not a timed event",
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
      "is missing if a booking follows",
      [...block(AIRBNB, "20270101", "20270103"), ...block("Reserved", "20270103", "20270104")],
      `none ${days("2027-01-01", 3)}`
    ],
    [
      "is missing if a booking ends with it",
      [...block(AIRBNB, "20270101", "20270103"), ...block("Reserved", "20270102", "20270103")],
      `none ${days("2027-01-01", 2)}`
    ],
    [
      "is missing if a busy time ends with it",
      [...block(AIRBNB, "20270101", "20270103"), "BEGIN:VFREEBUSY", "FREEBUSY:20270101T140000Z/P2D", "END:VFREEBUSY"],
      `none ${days("2027-01-01", 2)}`
    ],
    [
      "is missing if a booking is later than all days that are read",
      [...block(AIRBNB, "20270101", "20270103"), ...block("Reserved", "20400101", "20400102")],
      `none ${days("2027-01-01", 2)}`
    ],
    [
      "is missing if a busy time is later than all days that are read",
      [...block(AIRBNB, "20270101", "20270103"), "BEGIN:VFREEBUSY", "FREEBUSY:20400101T140000Z/P2D", "END:VFREEBUSY"],
      `none ${days("2027-01-01", 2)}`
    ],
    [
      "is the last of several adjacent blocks",
      [...block(AIRBNB, "20270101", "20270103"), ...block(AIRBNB, "20270103", "20270105")],
      `2027-01-03/2027-01-05 ${days("2027-01-01", 2)}`
    ],
    [
      "leaves the days of a booking within it busy",
      [...block(AIRBNB, "20270101", "20270105"), ...block("Reserved", "20270102", "20270103")],
      "2027-01-01/2027-01-05 2027-01-02"
    ]
  ]
  for (const [name, lines, expected] of cases) it(name, () => assert.strictEqual(last(...lines), expected))
})
