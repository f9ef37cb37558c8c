import fc from "fast-check"
import { addDays } from "../../../src/contract/time.ts"
import { calendar, TODAY } from "./scene.ts"

// Feeds of all that a calendar may say of days, each readable from the first line to the last.

const two = (number: number) => String(number).padStart(2, "0")
const basic = (date: string) => date.replaceAll("-", "")

/** A zone that its calendar describes, and no table knows. */
const ZONE = [
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

const day = fc.integer({ min: -5, max: 60 }).map((days) => addDays(TODAY, days))
const hour = fc.integer({ min: 0, max: 23 })

/** How an event writes its times: the parameters of a property, and a value for a date and an hour. */
const form = fc.constantFrom(
  { parameters: ";VALUE=DATE", write: (date: string) => basic(date) },
  { parameters: "", write: (date: string) => basic(date) },
  { parameters: "", write: (date: string, at: number) => `${basic(date)}T${two(at)}0000` },
  { parameters: "", write: (date: string, at: number) => `${basic(date)}T${two(at)}0000Z` },
  { parameters: ";TZID=America/New_York", write: (date: string, at: number) => `${basic(date)}T${two(at)}0000` },
  { parameters: ";TZID=Tokyo Standard Time", write: (date: string, at: number) => `${basic(date)}T${two(at)}0000` },
  { parameters: ';TZID="Office"', write: (date: string, at: number) => `${basic(date)}T${two(at)}0000` }
)

const rule = fc.constantFrom(
  "FREQ=DAILY;COUNT=4",
  "FREQ=WEEKLY;COUNT=3;BYDAY=MO,TH",
  "FREQ=WEEKLY;INTERVAL=2;COUNT=4",
  `FREQ=DAILY;INTERVAL=3;UNTIL=${basic(addDays(TODAY, 30))}`,
  `FREQ=WEEKLY;UNTIL=${basic(addDays(TODAY, 40))}T120000Z`,
  "FREQ=MONTHLY;COUNT=3",
  "FREQ=YEARLY"
)

const text = fc.constantFrom(
  [],
  ["SUMMARY:Reserved"],
  ["SUMMARY:Airbnb (Not available)"],
  ["DESCRIPTION:Reservation URL: https://www.airbnb.com/hosting/reservations/de", " tails/HMABCDEFGH\\nPhone: 1234"],
  ['ATTENDEE;CN="Ann: Guest":mailto:ann@example.com'],
  ["BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-PT15M", "DURATION:PT5M", "END:VALARM"],
  ["X-CHECKOUT:20270510", "CLASS:PUBLIC"]
)

const event = fc.record({
  uid: fc.constantFrom(undefined, "one", "two"),
  sequence: fc.constantFrom(undefined, 0, 3, 12),
  form,
  start: day,
  at: hour,
  nights: fc.integer({ min: 1, max: 6 }),
  until: hour,
  end: fc.constantFrom("DTEND", "DURATION", "none"),
  rule: fc.option(rule, { nil: undefined, freq: 2 }),
  left: fc.array(fc.integer({ min: 0, max: 21 }), { maxLength: 2 }),
  more: fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 2 }),
  period: fc.boolean(),
  replaced: fc.option(fc.integer({ min: 0, max: 14 }), { nil: undefined, freq: 4 }),
  andLater: fc.boolean(),
  status: fc.constantFrom("", "STATUS:CONFIRMED", "STATUS:CANCELLED", "TRANSP:TRANSPARENT", "TRANSP:OPAQUE"),
  text
})

type GeneratedEvent = typeof event extends fc.Arbitrary<infer A> ? A : never

const isReplacement = ({ replaced, uid }: GeneratedEvent): boolean => replaced !== undefined && uid !== undefined

const linesOf = (given: GeneratedEvent, all: ReadonlyArray<GeneratedEvent>): ReadonlyArray<string> => {
  const { form, start, at } = given
  const on = (days: number, hours = at) => form.write(addDays(start, days), hours)
  const isOverride = isReplacement(given)
  // With two of them, and one UID broken, nothing would tell that the event moves both.
  const hasSeries = all.filter((each) => each.uid === given.uid && !isReplacement(each)).length === 1
  return [
    "BEGIN:VEVENT",
    "DTSTAMP:20270420T095113Z",
    ...(given.uid === undefined ? [] : [`UID:${given.uid}`]),
    ...given.text.slice(0, given.text.length === 1 ? 1 : 0),
    `DTSTART${form.parameters}:${on(0)}`,
    ...(given.end === "DTEND" ? [`DTEND${form.parameters}:${on(given.nights, given.until)}`] : []),
    ...(given.end === "DURATION" ? [`DURATION:P${given.nights}D`] : []),
    ...(given.sequence === undefined ? [] : [`SEQUENCE:${given.sequence}`]),
    ...(given.rule === undefined || isOverride ? [] : [`RRULE:${given.rule}`]),
    ...(isOverride ? [] : given.left.map((days) => `EXDATE${form.parameters}:${on(days)}`)),
    ...(isOverride || given.more.length === 0
      ? []
      : [`RDATE${form.parameters}:${given.more.map((days) => on(days)).join(",")}`]),
    ...(given.period && !isOverride ? [`RDATE;VALUE=PERIOD:${basic(addDays(start, 20))}T150000Z/P2D`] : []),
    ...(isOverride
      ? [
          `RECURRENCE-ID${given.andLater && hasSeries ? ";RANGE=THISANDFUTURE" : ""}${form.parameters}:${on(given.replaced ?? 0)}`
        ]
      : []),
    ...(given.status === "" ? [] : [given.status]),
    ...(given.text.length === 1 ? [] : given.text),
    "END:VEVENT"
  ]
}

const busyTimes = fc
  .array(
    fc.record({
      start: day,
      at: hour,
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
    ...periods.map(({ start, at, nights, type }) => `FREEBUSY${type}:${basic(start)}T${two(at)}0000Z/P${nights}D`),
    "END:VFREEBUSY"
  ])

/** The lines of a whole feed. */
export const feedLines: fc.Arbitrary<ReadonlyArray<string>> = fc
  .oneof(
    {
      weight: 8,
      arbitrary: fc.array(event, { minLength: 1, maxLength: 4 }).map((all) => all.flatMap((each) => linesOf(each, all)))
    },
    { weight: 1, arbitrary: busyTimes }
  )
  .map((lines) =>
    calendar(...ZONE, ...lines)
      .trimEnd()
      .split("\r\n")
  )

/** The same dates with the dashes and colons of ISO 8601. */
export const withDashes = (line: string): string =>
  /^(?:BEGIN|END|SUMMARY|DESCRIPTION|UID|X-)/.test(line)
    ? line
    : line
        .replace(/(?<=[:=,/])(\d{4})(\d\d)(\d\d)/g, "$1-$2-$3")
        .replace(/T(\d\d)(\d\d)(\d\d)(?=Z|$|[,/;])/g, "T$1:$2:$3")
