import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { fromDayNumber, toDayNumber } from "../../../../src/contract/time.ts"
import { expandRecurrence } from "../../../../src/domain/calendars/imported-calendars/reading/recurrence-expansion.ts"
import { parseRecurrenceRule } from "../../../../src/domain/calendars/imported-calendars/reading/recurrence-rule.ts"
import { CALENDAR_FEED_OCCURRENCES_MAX } from "../../../../src/platform/limits.ts"
import { PROPERTY_RUNS } from "../../../support/property-runs.ts"

const DAY = 86_400
const AT_NINE = 9 * 3_600

interface Reach {
  readonly start: number
  readonly isDate: boolean
  readonly first: number
  readonly last: number
  readonly most?: number
}

/** Returns the walls of a rule from the first to the last day of a reach; undefined if there are too many to look at. */
const wallsOf = (text: string, { start, isDate, first, last, most = CALENDAR_FEED_OCCURRENCES_MAX }: Reach) => {
  const rule = parseRecurrenceRule(`FREQ=${text}`)
  if (rule === undefined) throw new Error(`${text} is unreadable`)
  const { until } = rule
  const search = {
    soonest: first * DAY,
    latest: (last + 1) * DAY - 1,
    isAfterEnd: (wall: number) => until !== undefined && wall > until.wall,
    remaining: { occurrences: most }
  }
  return expandRecurrence(rule, { wall: start, isDate }, search)
}

/** Returns the days of an event at 9:00, from its start to a day. */
const daysOf = (start: string, text: string, last: string): ReadonlyArray<string> | undefined => {
  const first = toDayNumber(start)
  const reach = { start: first * DAY + AT_NINE, isDate: false, first, last: toDayNumber(last) }
  return wallsOf(text, reach)?.map((wall) => fromDayNumber((wall - AT_NINE) / DAY))
}

/** Expands `1997-09 2 3 4; 1997-10 1` to dates. */
const datesIn = (text: string): ReadonlyArray<string> =>
  text.split(";").flatMap((each) => {
    const [month, ...days] = each.trim().split(" ")
    return days.map((day) => `${month}-${day.padStart(2, "0")}`)
  })

const monthDays = (month: string, from: number, to: number): string =>
  `${month} ${Array.from({ length: to - from + 1 }, (_, n) => from + n).join(" ")}`

/** Compares dates from the start on, up to the last one that is expected. */
const assertDates = (start: string, rule: string, expected: string, last?: string): void => {
  const dates = datesIn(expected)
  assert.deepStrictEqual(daysOf(start, rule, last ?? dates.at(-1) ?? start), dates)
}

const EVERY_JANUARY = ["1998-01", "1999-01", "2000-01"].map((month) => monthDays(month, 1, 31)).join(";")
const WEEKDAYS_OF_FALL = "1997-09 2 4 9 11 16 18 23 25 30; 1997-10 2"
const OTHER_WEEKS =
  "1997-09 1 3 5 15 17 19 29; 1997-10 1 3 13 15 17 27 29 31; 1997-11 10 12 14 24 26 28; 1997-12 8 10 12 22"

/** The examples of RFC 5545, 3.8.5.3, whose occurrences differ by day. An end that follows shows that a rule is over by then. */
const EXAMPLES: ReadonlyArray<readonly [rule: string, start: string, expected: string, end?: string]> = [
  ["DAILY;COUNT=10", "1997-09-02", monthDays("1997-09", 2, 11), "1998-09-02"],
  [
    "DAILY;UNTIL=19971224T000000Z",
    "1997-09-02",
    [
      monthDays("1997-09", 2, 30),
      monthDays("1997-10", 1, 31),
      monthDays("1997-11", 1, 30),
      monthDays("1997-12", 1, 23)
    ].join(";"),
    "1998-09-02"
  ],
  [
    "DAILY;INTERVAL=2",
    "1997-09-02",
    "1997-09 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30; 1997-10 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30; 1997-11 1 3"
  ],
  ["DAILY;INTERVAL=10;COUNT=5", "1997-09-02", "1997-09 2 12 22; 1997-10 2 12", "1998-09-02"],
  ["YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA", "1998-01-01", EVERY_JANUARY, "2002-01-31"],
  ["DAILY;UNTIL=20000131T140000Z;BYMONTH=1", "1998-01-01", EVERY_JANUARY, "2002-01-31"],
  ["WEEKLY;COUNT=10", "1997-09-02", "1997-09 2 9 16 23 30; 1997-10 7 14 21 28; 1997-11 4", "1998-09-02"],
  [
    "WEEKLY;UNTIL=19971224T000000Z",
    "1997-09-02",
    "1997-09 2 9 16 23 30; 1997-10 7 14 21 28; 1997-11 4 11 18 25; 1997-12 2 9 16 23",
    "1998-09-02"
  ],
  [
    "WEEKLY;INTERVAL=2;WKST=SU",
    "1997-09-02",
    "1997-09 2 16 30; 1997-10 14 28; 1997-11 11 25; 1997-12 9 23; 1998-01 6 20; 1998-02 3 17"
  ],
  ["WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH", "1997-09-02", WEEKDAYS_OF_FALL, "1998-09-02"],
  ["WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH", "1997-09-02", WEEKDAYS_OF_FALL, "1998-09-02"],
  ["WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR", "1997-09-01", OTHER_WEEKS, "1998-09-02"],
  [
    "WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH",
    "1997-09-02",
    "1997-09 2 4 16 18 30; 1997-10 2 14 16",
    "1998-09-02"
  ],
  [
    "MONTHLY;COUNT=10;BYDAY=1FR",
    "1997-09-05",
    "1997-09 5; 1997-10 3; 1997-11 7; 1997-12 5; 1998-01 2; 1998-02 6; 1998-03 6; 1998-04 3; 1998-05 1; 1998-06 5",
    "2000-01-01"
  ],
  [
    "MONTHLY;UNTIL=19971224T000000Z;BYDAY=1FR",
    "1997-09-05",
    "1997-09 5; 1997-10 3; 1997-11 7; 1997-12 5",
    "2000-01-01"
  ],
  [
    "MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU",
    "1997-09-07",
    "1997-09 7 28; 1997-11 2 30; 1998-01 4 25; 1998-03 1 29; 1998-05 3 31",
    "2000-01-01"
  ],
  [
    "MONTHLY;COUNT=6;BYDAY=-2MO",
    "1997-09-22",
    "1997-09 22; 1997-10 20; 1997-11 17; 1997-12 22; 1998-01 19; 1998-02 16",
    "2000-01-01"
  ],
  ["MONTHLY;BYMONTHDAY=-3", "1997-09-28", "1997-09 28; 1997-10 29; 1997-11 28; 1997-12 29; 1998-01 29; 1998-02 26"],
  [
    "MONTHLY;COUNT=10;BYMONTHDAY=2,15",
    "1997-09-02",
    "1997-09 2 15; 1997-10 2 15; 1997-11 2 15; 1997-12 2 15; 1998-01 2 15",
    "2000-01-01"
  ],
  [
    "MONTHLY;COUNT=10;BYMONTHDAY=1,-1",
    "1997-09-30",
    "1997-09 30; 1997-10 1 31; 1997-11 1 30; 1997-12 1 31; 1998-01 1 31; 1998-02 1",
    "2000-01-01"
  ],
  [
    "MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15",
    "1997-09-10",
    "1997-09 10 11 12 13 14 15; 1999-03 10 11 12 13",
    "2003-01-01"
  ],
  [
    "MONTHLY;INTERVAL=2;BYDAY=TU",
    "1997-09-02",
    "1997-09 2 9 16 23 30; 1997-11 4 11 18 25; 1998-01 6 13 20 27; 1998-03 3 10 17 24 31"
  ],
  [
    "YEARLY;COUNT=10;BYMONTH=6,7",
    "1997-06-10",
    "1997-06 10; 1997-07 10; 1998-06 10; 1998-07 10; 1999-06 10; 1999-07 10; 2000-06 10; 2000-07 10; 2001-06 10; 2001-07 10",
    "2005-01-01"
  ],
  [
    "YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3",
    "1997-03-10",
    "1997-03 10; 1999-01 10; 1999-02 10; 1999-03 10; 2001-01 10; 2001-02 10; 2001-03 10; 2003-01 10; 2003-02 10; 2003-03 10",
    "2009-01-01"
  ],
  [
    "YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200",
    "1997-01-01",
    "1997-01 1; 1997-04 10; 1997-07 19; 2000-01 1; 2000-04 9; 2000-07 18; 2003-01 1; 2003-04 10; 2003-07 19; 2006-01 1",
    "2012-01-01"
  ],
  ["YEARLY;BYDAY=20MO", "1997-05-19", "1997-05 19; 1998-05 18; 1999-05 17"],
  ["YEARLY;BYWEEKNO=20;BYDAY=MO", "1997-05-12", "1997-05 12; 1998-05 11; 1999-05 17"],
  ["YEARLY;BYMONTH=3;BYDAY=TH", "1997-03-13", "1997-03 13 20 27; 1998-03 5 12 19 26; 1999-03 4 11 18 25"],
  [
    "YEARLY;BYDAY=TH;BYMONTH=6,7,8",
    "1997-06-05",
    "1997-06 5 12 19 26; 1997-07 3 10 17 24 31; 1997-08 7 14 21 28; 1998-06 4 11 18 25; 1998-07 2 9 16 23 30; 1998-08 6 13 20 27; 1999-06 3 10 17 24; 1999-07 1 8 15 22 29; 1999-08 5 12 19 26"
  ],
  // The example leaves its start out by EXDATE. The rule does not mean it.
  ["MONTHLY;BYDAY=FR;BYMONTHDAY=13", "1997-09-02", "1998-02 13; 1998-03 13; 1998-11 13; 1999-08 13; 2000-10 13"],
  [
    "MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13",
    "1997-09-13",
    "1997-09 13; 1997-10 11; 1997-11 8; 1997-12 13; 1998-01 10; 1998-02 7; 1998-03 7; 1998-04 11; 1998-05 9; 1998-06 13"
  ],
  ["YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8", "1996-11-05", "1996-11 5; 2000-11 7; 2004-11 2"],
  ["MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", "1997-09-04", "1997-09 4; 1997-10 7; 1997-11 6", "2000-01-01"],
  [
    "MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2",
    "1997-09-29",
    "1997-09 29; 1997-10 30; 1997-11 27; 1997-12 30; 1998-01 29; 1998-02 26; 1998-03 30"
  ],
  ["WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO", "1997-08-05", "1997-08 5 10 19 24", "1998-01-01"],
  ["WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU", "1997-08-05", "1997-08 5 17 19 31", "1998-01-01"],
  ["MONTHLY;BYMONTHDAY=15,30;COUNT=5", "2007-01-15", "2007-01 15 30; 2007-02 15; 2007-03 15 30", "2008-01-01"]
]

describe("a recurrence rule", () => {
  for (const [rule, start, expected, end] of EXAMPLES)
    it(`${rule} has the occurrences of the standard's example`, () => assertDates(start, rule, expected, end))

  const others: ReadonlyArray<readonly [rule: string, start: string, expected: string, end?: string]> = [
    ["YEARLY;BYWEEKNO=20", "2025-05-12", "2025-05 12; 2026-05 11; 2027-05 17; 2028-05 15", "2028-12-31"],
    ["YEARLY;BYWEEKNO=1;BYDAY=MO", "2024-12-30", "2024-12 30; 2025-12 29; 2027-01 4; 2028-01 3", "2028-12-31"],
    ["YEARLY;BYWEEKNO=-1;BYDAY=SU", "2026-01-01", "2027-01 3; 2028-01 2; 2028-12 31", "2029-12-29"],
    ["YEARLY;BYWEEKNO=53;BYDAY=TH", "2020-12-31", "2020-12 31; 2026-12 31; 2032-12 30"],
    [
      "YEARLY;INTERVAL=2;BYMONTHDAY=1",
      "2025-01-01",
      Array.from({ length: 12 }, (_, n) => `2025-${String(n + 1).padStart(2, "0")} 1`).join(";"),
      "2026-12-31"
    ],
    ["YEARLY;BYMONTHDAY=31;BYSETPOS=-1", "2026-01-31", "2026-12 31; 2027-12 31; 2028-12 31", "2029-01-31"],
    ["YEARLY;BYDAY=-1MO", "2027-01-01", "2027-12 27; 2028-12 25", "2029-01-31"],
    ["MONTHLY;BYMONTHDAY=30,31;BYSETPOS=-1", "2027-01-31", "2027-01 31; 2027-03 31; 2027-04 30; 2027-05 31"],
    ["YEARLY;BYYEARDAY=-1,366", "2027-01-01", "2027-12 31; 2028-12 31; 2029-12 31", "2030-12-30"],
    ["DAILY;COUNT=3;BYDAY=WE;BYMONTHDAY=-2", "2027-01-01", "2027-09 29; 2028-08 30; 2028-11 29", "2040-01-01"],
    ["DAILY;BYMONTHDAY=-1", "2027-01-31", "2027-01 31; 2027-02 28; 2027-03 31", "2027-04-29"],
    ["MONTHLY", "2027-01-31", "2027-01 31; 2027-03 31; 2027-05 31", "2027-06-30"],
    ["YEARLY", "2024-02-29", "2024-02 29; 2028-02 29", "2031-12-31"],
    // Years that are no leap years by the century.
    ["YEARLY", "2096-02-29", "2096-02 29; 2104-02 29", "2107-12-31"],
    ["YEARLY;INTERVAL=999999", "2027-01-31", "2027-01 31", "2040-01-01"]
  ]
  for (const [rule, start, expected, end] of others)
    it(`${rule} is expanded by the standard`, () => assertDates(start, rule, expected, end))

  /** Returns the times of a day on which a rule begins at 9:00, as `9:40`. */
  const timesOf = (text: string, isDate = false) => {
    const first = toDayNumber("1997-09-02")
    const walls = wallsOf(text, { start: first * DAY + (isDate ? 0 : AT_NINE), isDate, first, last: first })
    return walls?.map((wall) => (wall - first * DAY) / 60).map((at) => `${Math.floor(at / 60)}:${at % 60}`)
  }

  it("of hours or minutes has the occurrences of the standard's examples", () => {
    assert.deepStrictEqual(timesOf("HOURLY;INTERVAL=3;UNTIL=19970902T170000Z"), ["9:0", "12:0", "15:0"])
    assert.deepStrictEqual(timesOf("MINUTELY;INTERVAL=15;COUNT=6"), ["9:0", "9:15", "9:30", "9:45", "10:0", "10:15"])
    assert.deepStrictEqual(timesOf("MINUTELY;INTERVAL=90;COUNT=4"), ["9:0", "10:30", "12:0", "13:30"])
    const hours = "BYHOUR=9,10,11,12,13,14,15,16"
    const expected = [9, 10, 11, 12, 13, 14, 15, 16].flatMap((hour) => [`${hour}:0`, `${hour}:20`, `${hour}:40`])
    assert.deepStrictEqual(timesOf(`DAILY;${hours};BYMINUTE=0,20,40`), expected)
    assert.deepStrictEqual(timesOf(`MINUTELY;INTERVAL=20;${hours}`), expected)
  })

  it("picks among the times of a period by BYSETPOS, and ignores times in the rule of a date", () => {
    assert.deepStrictEqual(timesOf("DAILY;BYHOUR=18,10;BYMINUTE=30,15;BYSETPOS=-1,1"), ["10:15", "18:30"])
    assert.deepStrictEqual(timesOf("DAILY;BYHOUR=18,10;BYMINUTE=30", true), ["0:0"])
  })

  const forbidden = [
    "DAILY;BYYEARDAY=1",
    "WEEKLY;BYYEARDAY=1",
    "MONTHLY;BYYEARDAY=1",
    "MONTHLY;BYWEEKNO=1",
    "WEEKLY;BYMONTHDAY=1",
    "DAILY;BYDAY=1MO",
    "WEEKLY;BYDAY=-1MO",
    "YEARLY;BYWEEKNO=1;BYDAY=1MO",
    "DAILY;BYSETPOS=1"
  ]
  it.each(forbidden)("%s is unreadable, as the standard forbids its parts together", (text) =>
    assert.strictEqual(parseRecurrenceRule(`FREQ=${text}`), undefined)
  )

  const today = toDayNumber("2027-04-20")
  const long = { start: toDayNumber("1970-01-01") * DAY, isDate: true, first: today, last: today + 9 }

  it("without COUNT is looked at in reach alone, however long ago it began", () => {
    assert.lengthOf(wallsOf("DAILY", { ...long, most: 10 }) ?? [], 10)
    assert.strictEqual(wallsOf("DAILY", { ...long, most: 9 }), undefined)
    assert.lengthOf(wallsOf("SECONDLY;INTERVAL=86400", { ...long, most: 10 }) ?? [], 10)
    assert.strictEqual(wallsOf("SECONDLY;INTERVAL=86400", { ...long, most: 9 }), undefined)
    assert.lengthOf(wallsOf("YEARLY;BYMONTH=4;BYDAY=MO", { ...long, most: 4 }) ?? [], 1)
  })

  it("with COUNT is looked at from its start on", () => {
    assert.lengthOf(wallsOf("YEARLY;BYMONTH=4;BYMONTHDAY=20;COUNT=58", { ...long, most: 58 }) ?? [], 1)
    assert.lengthOf(wallsOf("YEARLY;BYMONTH=4;BYMONTHDAY=20;COUNT=57", { ...long, most: 57 }) ?? [], 0)
    assert.strictEqual(wallsOf("YEARLY;BYMONTH=4;BYMONTHDAY=20;COUNT=58", { ...long, most: 57 }), undefined)
  })

  it("that never matches ends, and each of its periods counts", () => {
    for (const text of [
      "DAILY;COUNT=3;BYMONTH=2;BYMONTHDAY=30",
      "YEARLY;BYWEEKNO=1;BYMONTH=6;BYDAY=MO",
      "MONTHLY;BYDAY=6MO"
    ])
      assert.deepStrictEqual(wallsOf(text, long), [])
    assert.deepStrictEqual(wallsOf("DAILY;BYMONTH=2", { ...long, most: 10 }), [])
    assert.strictEqual(wallsOf("DAILY;BYMONTH=2", { ...long, most: 9 }), undefined)
    assert.strictEqual(
      wallsOf("SECONDLY;COUNT=1;BYHOUR=9;BYMINUTE=9;BYSECOND=60", { ...long, isDate: false }),
      undefined
    )
  })

  it("with more times in a period than may be looked at is refused before they are listed", () => {
    const upTo = (most: number) => Array.from({ length: most }, (_, n) => n).join(",")
    const text = `YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=${upTo(24)};BYMINUTE=${upTo(60)};BYSECOND=${upTo(60)}`
    assert.strictEqual(wallsOf(text, { ...long, isDate: false }), undefined)
  })
})

// The same by definition: for each day of ten years, whether the table of the standard takes it.

interface Drawn {
  readonly frequency: string
  readonly interval: number
  readonly weekStart: number
  readonly count: number | undefined
  readonly months: ReadonlyArray<number>
  readonly weekNumbers: ReadonlyArray<number>
  readonly yearDays: ReadonlyArray<number>
  readonly monthDays: ReadonlyArray<number>
  readonly weekdays: ReadonlyArray<readonly [ordinal: number, weekday: number]>
  readonly positions: ReadonlyArray<number>
}

const NAMES = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"]

const fieldsOf = (day: number) => {
  const date = new Date(day * DAY * 1_000)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const numberOf = (...at: readonly [number, number, number]) => Date.UTC(...at) / (DAY * 1_000)
  return {
    year,
    month,
    dayOfMonth: date.getUTCDate(),
    weekday: date.getUTCDay(),
    month1: numberOf(year, month, 1),
    monthEnd: numberOf(year, month + 1, 0),
    year1: numberOf(year, 0, 1),
    yearEnd: numberOf(year, 11, 31)
  }
}

const known = new Map<number, ReturnType<typeof fieldsOf>>()
const fields = (day: number) => {
  const each = known.get(day) ?? fieldsOf(day)
  known.set(day, each)
  return each
}

/** Returns the number of a week by its fourth day, which is in the year of the week. */
const weekOf = (day: number, weekStart: number): { readonly number: number; readonly count: number } => {
  const fourth = day - ((fields(day).weekday - weekStart + 7) % 7) + 3
  const { year1, yearEnd } = fields(fourth)
  let count = 0
  for (let each = year1; each <= yearEnd; each++) if (fields(each).weekday === (weekStart + 3) % 7) count += 1
  return { number: Math.floor((fourth - year1) / 7) + 1, count }
}

const isAmong = (list: ReadonlyArray<number>, day: number, first: number, last: number): boolean =>
  list.some((each) => day === (each > 0 ? first + each - 1 : last + each + 1))

/** Returns whether a day is one of the weekdays within the days of which their ordinals count. */
const isWeekdayIn = (weekdays: Drawn["weekdays"], day: number, first: number, last: number): boolean =>
  weekdays.some(([ordinal, weekday]) => {
    const days: Array<number> = []
    for (let each = first; each <= last; each++) if (fields(each).weekday === weekday) days.push(each)
    return ordinal === 0 ? days.includes(day) : days.at(ordinal > 0 ? ordinal - 1 : ordinal) === day
  })

/** Returns whether the rule takes a day of one of its periods: the columns of the table, with its notes 1 and 2. */
const isTaken = (rule: Drawn, start: number, day: number): boolean => {
  const { frequency, months, weekNumbers, yearDays, monthDays, weekdays } = rule
  const [at, from] = [fields(day), fields(start)]
  const [hasMonths, hasMonthDays, hasYearDays] = [months.length > 0, monthDays.length > 0, yearDays.length > 0]
  const [hasWeekdays, hasWeeks] = [weekdays.length > 0, weekNumbers.length > 0]
  if (hasMonths && !months.includes(at.month + 1)) return false
  if (hasMonthDays && !isAmong(monthDays, day, at.month1, at.monthEnd)) return false
  if (hasYearDays && !isAmong(yearDays, day, at.year1, at.yearEnd)) return false
  if (hasWeeks) {
    const { number, count } = weekOf(day, rule.weekStart)
    if (!weekNumbers.some((each) => number === (each > 0 ? each : count + each + 1))) return false
  }
  if (frequency === "DAILY") return !hasWeekdays || isWeekdayIn(weekdays, day, day, day)
  if (frequency === "WEEKLY") return hasWeekdays ? isWeekdayIn(weekdays, day, day, day) : at.weekday === from.weekday
  const isDayNamed = hasMonthDays || hasYearDays
  if (frequency === "MONTHLY") {
    if (hasWeekdays) return isWeekdayIn(weekdays, day, at.month1, at.monthEnd)
    return isDayNamed || at.dayOfMonth === from.dayOfMonth
  }
  if (hasWeekdays) {
    if (hasWeeks) return isWeekdayIn(weekdays, day, day, day)
    if (hasMonths) return isWeekdayIn(weekdays, day, at.month1, at.monthEnd)
    return isWeekdayIn(weekdays, day, at.year1, at.yearEnd)
  }
  if (isDayNamed) return true
  if (hasWeeks) return at.weekday === from.weekday
  return at.dayOfMonth === from.dayOfMonth && (hasMonths || at.month === from.month)
}

const periodOf = ({ frequency, weekStart }: Drawn, day: number): number => {
  const { year, month } = fields(day)
  if (frequency === "YEARLY") return year
  if (frequency === "MONTHLY") return year * 12 + month
  // Day 3 is a Sunday.
  return frequency === "WEEKLY" ? Math.floor((day - 3 - weekStart) / 7) : day
}

const TEN_YEARS = 3_653

const daysByDefinition = (rule: Drawn, start: number): ReadonlyArray<number> => {
  const periods = new Map<number, Array<number>>()
  for (let day = fields(start).year1 - 7; day <= start + TEN_YEARS + 366; day++) {
    const period = periodOf(rule, day)
    const isOwn = (period - periodOf(rule, start)) % rule.interval === 0
    if (!isOwn || !isTaken(rule, start, day)) continue
    periods.set(period, [...(periods.get(period) ?? []), day])
  }
  const days = Array.from(periods.values(), (each) =>
    rule.positions.length === 0
      ? each
      : each.filter((day) => rule.positions.some((at) => each.at(at > 0 ? at - 1 : at) === day))
  )
  return days
    .flat()
    .filter((day) => day >= start)
    .slice(0, rule.count)
    .filter((day) => day <= start + TEN_YEARS)
}

const textOf = (rule: Drawn): string => {
  const list = (name: string, values: ReadonlyArray<number | string>) =>
    values.length === 0 ? [] : [`${name}=${values.join(",")}`]
  return [
    rule.frequency,
    `INTERVAL=${rule.interval}`,
    `WKST=${NAMES[rule.weekStart]}`,
    ...list("COUNT", rule.count === undefined ? [] : [rule.count]),
    ...list("BYMONTH", rule.months),
    ...list("BYWEEKNO", rule.weekNumbers),
    ...list("BYYEARDAY", rule.yearDays),
    ...list("BYMONTHDAY", rule.monthDays),
    ...list(
      "BYDAY",
      rule.weekdays.map(([ordinal, weekday]) => `${ordinal === 0 ? "" : ordinal}${NAMES[weekday]}`)
    ),
    ...list("BYSETPOS", rule.positions)
  ].join(";")
}

const signed = (max: number) => fc.integer({ min: 1, max }).chain((each) => fc.constantFrom(each, -each))
/** Often empty, so that all combinations of parts come up. */
const some = <A>(one: fc.Arbitrary<A>, maxLength: number) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<Array<A>>([]) },
    { weight: 2, arbitrary: fc.uniqueArray(one, { minLength: 1, maxLength }) }
  )

const drawn: fc.Arbitrary<Drawn> = fc
  .record({
    frequency: fc.constantFrom("DAILY", "WEEKLY", "MONTHLY", "YEARLY", "YEARLY"),
    interval: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 7 })),
    weekStart: fc.integer({ min: 0, max: 6 }),
    count: fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined }),
    months: some(fc.integer({ min: 1, max: 12 }), 4),
    weekNumbers: some(signed(53), 5),
    yearDays: some(signed(366), 12),
    monthDays: some(signed(31), 6),
    weekdays: some(fc.tuple(fc.oneof(fc.constant(0), signed(5), signed(53)), fc.integer({ min: 0, max: 6 })), 4),
    positions: some(fc.oneof(signed(3), signed(40)), 3)
  })
  .map((rule) => {
    const isYearly = rule.frequency === "YEARLY"
    const weekNumbers = isYearly ? rule.weekNumbers : []
    const hasOrdinals = (isYearly && weekNumbers.length === 0) || rule.frequency === "MONTHLY"
    const allowed = {
      ...rule,
      weekNumbers,
      yearDays: isYearly ? rule.yearDays : [],
      monthDays: rule.frequency === "WEEKLY" ? [] : rule.monthDays,
      weekdays: rule.weekdays.map(([ordinal, weekday]) => [hasOrdinals ? ordinal : 0, weekday] as const)
    }
    const { months, yearDays, monthDays, weekdays } = allowed
    const hasPart = [months, weekNumbers, yearDays, monthDays, weekdays].some((part) => part.length > 0)
    return { ...allowed, positions: hasPart ? rule.positions : [] }
  })

it("a recurrence rule takes the days that the table of the standard takes, over ten years", () => {
  fc.assert(
    fc.property(
      drawn,
      fc.integer({ min: 9_000, max: 22_000 }),
      fc.integer({ min: 0, max: 3_000 }),
      (rule, start, skipped) => {
        const reach = { start: start * DAY, isDate: true, first: start + skipped, last: start + TEN_YEARS }
        const expected = daysByDefinition(rule, start).filter((day) => day >= reach.first)
        const days = wallsOf(textOf(rule), reach)?.map((wall) => wall / DAY)
        assert.deepStrictEqual(days, expected, `${fromDayNumber(start)} ${textOf(rule)}`)
      }
    ),
    { numRuns: PROPERTY_RUNS }
  )
})
