import { assert } from "@effect/vitest"
import ICAL from "ical.js"

/** A calendar as the library reads it that reads those of others: its events, and the days they cover, in order. */
export const readCalendar = (text: string) => {
  const component = new ICAL.Component(ICAL.parse(text))
  const events = component.getAllSubcomponents("vevent").map((each) => {
    const { uid, summary, startDate, endDate } = new ICAL.Event(each)
    assert.isTrue(startDate.isDate && endDate.isDate)
    return { uid, summary, start: startDate.toString(), end: endDate.toString() }
  })
  return { component, events }
}

const DATE = /^\d{8}$/
const INSTANT = /^\d{8}T\d{6}Z$/

interface Line {
  readonly name: string
  readonly parameters: string
  readonly value: string
}

/** The lines of a calendar, unfolded (RFC 5545, 3.1): each ends in CRLF and none is longer than 75 octets. */
const linesOf = (text: string): ReadonlyArray<Line> => {
  assert.isTrue(text.endsWith("\r\n"))
  const raw = text.slice(0, -2).split("\r\n")
  for (const line of raw) {
    assert.notMatch(line, /[\r\n]/)
    assert.isAtMost(Buffer.byteLength(line), 75, line)
    assert.notStrictEqual(line.trim(), "")
  }
  return raw
    .join("\r\n")
    .replaceAll(/\r\n[ \t]/g, "")
    .split("\r\n")
    .map((line) => {
      const [, name = "", parameters = "", value = ""] =
        /^([A-Z][A-Z0-9-]*)((?:;[A-Z-]+=[^;:"]+)*):(.*)$/.exec(line) ?? []
      assert.notStrictEqual(name, "", line)
      return { name, parameters, value }
    })
}

/** What each component must have exactly once (RFC 5545, 3.6, 3.6.1, 3.6.5; for an event, what a published one has too). */
const ONCE: Readonly<Record<string, ReadonlyArray<string>>> = {
  VCALENDAR: ["PRODID", "VERSION"],
  VEVENT: ["UID", "DTSTAMP", "DTSTART", "DTEND", "SUMMARY"],
  VTIMEZONE: ["TZID"],
  STANDARD: ["DTSTART", "TZOFFSETFROM", "TZOFFSETTO"]
}

const WITHIN: Readonly<Record<string, string>> = { VEVENT: "VCALENDAR", VTIMEZONE: "VCALENDAR", STANDARD: "VTIMEZONE" }

/** Fails the test where a calendar of all-day events is none that RFC 5545 allows. */
export const assertValidCalendar = (text: string): void => {
  const open: Array<{ readonly name: string; readonly has: Array<Line>; readonly parts: Array<string> }> = []
  const uids: Array<string> = []
  let calendars = 0
  for (const line of linesOf(text)) {
    const here = open.at(-1)
    if (line.name === "BEGIN") {
      assert.isTrue(line.value in ONCE, line.value)
      assert.strictEqual(here?.name, WITHIN[line.value])
      here?.parts.push(line.value)
      open.push({ name: line.value, has: [], parts: [] })
    } else if (line.name === "END") {
      const ended = open.pop()
      assert.strictEqual(ended?.name, line.value)
      for (const name of ONCE[line.value] ?? []) {
        assert.lengthOf(ended?.has.filter((each) => each.name === name) ?? [], 1, `${line.value} ${name}`)
      }
      const of = (name: string) => ended?.has.find((each) => each.name === name)
      if (line.value === "VCALENDAR") {
        calendars += 1
        assert.isAtLeast(ended?.parts.length ?? 0, 1, "a calendar has at least one component")
        assert.strictEqual(of("VERSION")?.value, "2.0")
      }
      if (line.value === "VTIMEZONE") assert.isAtLeast(ended?.parts.length ?? 0, 1)
      if (line.value === "VEVENT") {
        uids.push(of("UID")?.value ?? "")
        assert.match(of("DTSTAMP")?.value ?? "", INSTANT)
        for (const name of ["DTSTART", "DTEND"]) {
          assert.strictEqual(of(name)?.parameters, ";VALUE=DATE")
          assert.match(of(name)?.value ?? "", DATE)
        }
        assert.isBelow(Number(of("DTSTART")?.value), Number(of("DTEND")?.value))
        assert.notMatch(of("SUMMARY")?.value ?? "", /(?<!\\)(?:\\\\)*[;,]|(?<!\\)(?:\\\\)*\\(?![\\;,nN])/)
      }
    } else {
      // Properties of a component come before the components in it.
      assert.strictEqual(here?.parts.length, 0, line.name)
      here?.has.push(line)
    }
  }
  assert.deepStrictEqual([open.length, calendars], [0, 1])
  assert.strictEqual(new Set(uids).size, uids.length)
}
