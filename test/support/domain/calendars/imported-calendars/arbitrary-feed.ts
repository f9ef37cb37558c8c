import fc from "fast-check"
import { addDays } from "../../../../../src/contract/time.ts"
import { TODAY, toCalendarText } from "./import-service.ts"

// Generates feeds with everything that decides days in a calendar. Every line of them is readable.

const padTwoDigits = (number: number) => String(number).padStart(2, "0")
const toBasicDate = (date: string) => date.replaceAll("-", "")

/** A zone that only the calendar describes. */
const TIME_ZONE_LINES = [
  "BEGIN:VTIMEZONE",
  "TZID:Office",
  "BEGIN:STANDARD",
  "DTSTART:19701025T030000",
  "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU",
  "TZOFFSETFROM:+0900",
  "TZOFFSETTO:+0800",
  "END:STANDARD",
  "BEGIN:DAYLIGHT",
  "DTSTART:19700329T020000",
  "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU",
  "TZOFFSETFROM:+0800",
  "TZOFFSETTO:+0900",
  "END:DAYLIGHT",
  "END:VTIMEZONE"
]

const arbitraryDay = fc.integer({ min: -5, max: 60 }).map((days) => addDays(TODAY, days))
const arbitraryHour = fc.integer({ min: 0, max: 23 })

/** A notation of times: the parameters of a property, and a function that writes a date and an hour. */
const arbitraryTimeNotation = fc.constantFrom(
  { parameters: ";VALUE=DATE", write: (date: string) => toBasicDate(date) },
  { parameters: "", write: (date: string) => toBasicDate(date) },
  { parameters: "", write: (date: string, at: number) => `${toBasicDate(date)}T${padTwoDigits(at)}0000` },
  { parameters: "", write: (date: string, at: number) => `${toBasicDate(date)}T${padTwoDigits(at)}0000Z` },
  {
    parameters: ";TZID=America/New_York",
    write: (date: string, at: number) => `${toBasicDate(date)}T${padTwoDigits(at)}0000`
  },
  {
    parameters: ";TZID=Tokyo Standard Time",
    write: (date: string, at: number) => `${toBasicDate(date)}T${padTwoDigits(at)}0000`
  },
  { parameters: ';TZID="Office"', write: (date: string, at: number) => `${toBasicDate(date)}T${padTwoDigits(at)}0000` }
)

const arbitraryRecurrenceRule = fc.constantFrom(
  "FREQ=DAILY;COUNT=4",
  "FREQ=WEEKLY;COUNT=3;BYDAY=MO,TH",
  "FREQ=WEEKLY;INTERVAL=2;COUNT=4",
  `FREQ=DAILY;INTERVAL=3;UNTIL=${toBasicDate(addDays(TODAY, 30))}`,
  `FREQ=WEEKLY;UNTIL=${toBasicDate(addDays(TODAY, 40))}T120000Z`,
  "FREQ=MONTHLY;COUNT=3",
  "FREQ=YEARLY"
)

const arbitraryTextLines = fc.constantFrom(
  [],
  ["SUMMARY:Reserved"],
  ["SUMMARY:Airbnb (Not available)"],
  ["DESCRIPTION:Reservation URL: https://www.airbnb.com/hosting/reservations/de", " tails/HMABCDEFGH\\nPhone: 1234"],
  ['ATTENDEE;CN="Ann: Guest":mailto:ann@example.com'],
  ["BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-PT15M", "DURATION:PT5M", "END:VALARM"],
  ["X-CHECKOUT:20270510", "CHECKIN:20270505", "CLASS:PUBLIC"],
  ["DESCRIPTION:Copied from an event with", " DTSTART:20270505", " and no end"]
)

const arbitraryEvent = fc.record({
  uid: fc.constantFrom(undefined, "one", "two"),
  sequence: fc.constantFrom(undefined, 0, 3, 12),
  form: arbitraryTimeNotation,
  start: arbitraryDay,
  at: arbitraryHour,
  nights: fc.integer({ min: 1, max: 6 }),
  until: arbitraryHour,
  end: fc.constantFrom("DTEND", "DURATION", "none"),
  rule: fc.option(arbitraryRecurrenceRule, { nil: undefined, freq: 2 }),
  excluded: fc.array(fc.integer({ min: 0, max: 21 }), { maxLength: 2 }),
  additional: fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 2 }),
  period: fc.boolean(),
  replacement: fc.option(fc.integer({ min: 0, max: 14 }), { nil: undefined, freq: 4 }),
  andLater: fc.boolean(),
  status: fc.constantFrom("", "STATUS:CONFIRMED", "STATUS:CANCELLED", "TRANSP:TRANSPARENT", "TRANSP:OPAQUE"),
  text: arbitraryTextLines
})

type GeneratedEvent = typeof arbitraryEvent extends fc.Arbitrary<infer A> ? A : never

const isReplacement = ({ replacement, uid }: GeneratedEvent): boolean => replacement !== undefined && uid !== undefined

/** Returns whether an event means calendar days: with dates, or from midnight to midnight in UTC. */
const isAllDay = ({ form, start, at, end, until }: GeneratedEvent): boolean =>
  !form.write(start, at).includes("T") ||
  (form.write(start, at).endsWith("T000000Z") && (end === "DURATION" || (end === "DTEND" && until === 0)))

const renderEventLines = (event: GeneratedEvent, all: ReadonlyArray<GeneratedEvent>): ReadonlyArray<string> => {
  const { form, start, at } = event
  const writeDate = (days: number, hours = at) => form.write(addDays(start, days), hours)
  const isOverride = isReplacement(event)
  // The occurrences of an all-day series have no hours.
  const hasDays = all.some((each) => each.uid === event.uid && !isReplacement(each) && isAllDay(each))
  // With two series of one UID, a broken UID of one of them could not be noticed.
  const hasSeries = all.filter((each) => each.uid === event.uid && !isReplacement(each)).length === 1
  return [
    "BEGIN:VEVENT",
    "DTSTAMP:20270420T095113Z",
    ...(event.uid === undefined ? [] : [`UID:${event.uid}`]),
    ...event.text.slice(0, event.text.length === 1 ? 1 : 0),
    `DTSTART${form.parameters}:${writeDate(0)}`,
    ...(event.end === "DTEND" ? [`DTEND${form.parameters}:${writeDate(event.nights, event.until)}`] : []),
    ...(event.end === "DURATION" ? [`DURATION:P${event.nights}D`] : []),
    ...(event.sequence === undefined ? [] : [`SEQUENCE:${event.sequence}`]),
    ...(event.rule === undefined || isOverride ? [] : [`RRULE:${event.rule}`]),
    ...(isOverride ? [] : event.excluded.map((days) => `EXDATE${form.parameters}:${writeDate(days)}`)),
    ...(isOverride || event.additional.length === 0
      ? []
      : [`RDATE${form.parameters}:${event.additional.map((days) => writeDate(days)).join(",")}`]),
    ...(event.period && !isOverride ? [`RDATE;VALUE=PERIOD:${toBasicDate(addDays(start, 20))}T150000Z/P2D`] : []),
    ...(isOverride
      ? [
          `RECURRENCE-ID${event.andLater && hasSeries ? ";RANGE=THISANDFUTURE" : ""}${form.parameters}:${writeDate(event.replacement ?? 0, hasDays ? 0 : at)}`
        ]
      : []),
    ...(event.status === "" ? [] : [event.status]),
    ...(event.text.length === 1 ? [] : event.text),
    "END:VEVENT"
  ]
}

const arbitraryFreeBusyLines = fc
  .array(
    fc.record({
      start: arbitraryDay,
      at: arbitraryHour,
      nights: fc.integer({ min: 1, max: 4 }),
      type: fc.constantFrom("", ";FBTYPE=BUSY", ";FBTYPE=FREE")
    }),
    {
      minLength: 1,
      maxLength: 3
    }
  )
  .map((periods) => [
    "BEGIN:VFREEBUSY",
    ...periods.map(
      ({ start, at, nights, type }) => `FREEBUSY${type}:${toBasicDate(start)}T${padTwoDigits(at)}0000Z/P${nights}D`
    ),
    "END:VFREEBUSY"
  ])

/** The lines of a feed. */
export const arbitraryFeedLines: fc.Arbitrary<ReadonlyArray<string>> = fc
  .oneof(
    {
      weight: 8,
      arbitrary: fc
        .array(arbitraryEvent, { minLength: 1, maxLength: 4 })
        .map((all) => all.flatMap((each) => renderEventLines(each, all)))
    },
    { weight: 1, arbitrary: arbitraryFreeBusyLines },
    {
      weight: 1,
      arbitrary: fc
        .tuple(arbitraryEvent, arbitraryFreeBusyLines)
        .map(([first, times]) => [...renderEventLines(first, [first]), ...times])
    }
  )
  .map((lines) =>
    toCalendarText(...TIME_ZONE_LINES, ...lines)
      .trimEnd()
      .split("\r\n")
  )

/** Returns a line whose dates have the dashes and colons of ISO 8601. */
export const toExtendedFormat = (line: string): string =>
  /^(?:BEGIN|END|SUMMARY|DESCRIPTION|UID|X-)/.test(line)
    ? line
    : line
        .replace(/(?<=[:=,/])(\d{4})(\d\d)(\d\d)/g, "$1-$2-$3")
        .replace(/T(\d\d)(\d\d)(\d\d)(?=Z|$|[,/;])/g, "T$1:$2:$3")
