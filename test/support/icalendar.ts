import { assert } from "@effect/vitest"
import ICAL from "ical.js"

/** A calendar as the library reads it that reads those of others: its events, and the days they cover, in order. */
export const parseCalendar = (text: string) => {
  const component = new ICAL.Component(ICAL.parse(text))
  const events = component.getAllSubcomponents("vevent").map((each) => {
    const { uid, summary, startDate, endDate } = new ICAL.Event(each)
    assert.isTrue(startDate.isDate && endDate.isDate)
    return { uid, summary, start: startDate.toString(), end: endDate.toString() }
  })
  return { component, events }
}

const DATE_PATTERN = /^\d{8}$/
const INSTANT_PATTERN = /^\d{8}T\d{6}Z$/

interface ContentLine {
  readonly name: string
  readonly parameters: string
  readonly value: string
}

/** The lines of a calendar, unfolded (RFC 5545, 3.1): each ends in CRLF and none is longer than 75 octets. */
const parseContentLines = (text: string): ReadonlyArray<ContentLine> => {
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
const REQUIRED_PROPERTIES: Readonly<Record<string, ReadonlyArray<string>>> = {
  VCALENDAR: ["PRODID", "VERSION"],
  VEVENT: ["UID", "DTSTAMP", "DTSTART", "DTEND", "SUMMARY"],
  VTIMEZONE: ["TZID"],
  STANDARD: ["DTSTART", "TZOFFSETFROM", "TZOFFSETTO"]
}

const PARENT_COMPONENTS: Readonly<Record<string, string>> = {
  VEVENT: "VCALENDAR",
  VTIMEZONE: "VCALENDAR",
  STANDARD: "VTIMEZONE"
}

/** Fails the test where a calendar of all-day events is none that RFC 5545 allows. */
export const assertValidCalendar = (text: string): void => {
  const open: Array<{
    readonly name: string
    readonly properties: Array<ContentLine>
    readonly components: Array<string>
  }> = []
  const uids: Array<string> = []
  let calendars = 0
  for (const line of parseContentLines(text)) {
    const parent = open.at(-1)
    if (line.name === "BEGIN") {
      assert.isTrue(line.value in REQUIRED_PROPERTIES, line.value)
      assert.strictEqual(parent?.name, PARENT_COMPONENTS[line.value])
      parent?.components.push(line.value)
      open.push({ name: line.value, properties: [], components: [] })
    } else if (line.name === "END") {
      const component = open.pop()
      assert.strictEqual(component?.name, line.value)
      for (const name of REQUIRED_PROPERTIES[line.value] ?? []) {
        assert.lengthOf(component?.properties.filter((each) => each.name === name) ?? [], 1, `${line.value} ${name}`)
      }
      const findProperty = (name: string) => component?.properties.find((each) => each.name === name)
      if (line.value === "VCALENDAR") {
        calendars += 1
        assert.isAtLeast(component?.components.length ?? 0, 1, "a calendar has at least one component")
        assert.strictEqual(findProperty("VERSION")?.value, "2.0")
      }
      if (line.value === "VTIMEZONE") assert.isAtLeast(component?.components.length ?? 0, 1)
      if (line.value === "VEVENT") {
        uids.push(findProperty("UID")?.value ?? "")
        assert.match(findProperty("DTSTAMP")?.value ?? "", INSTANT_PATTERN)
        for (const name of ["DTSTART", "DTEND"]) {
          assert.strictEqual(findProperty(name)?.parameters, ";VALUE=DATE")
          assert.match(findProperty(name)?.value ?? "", DATE_PATTERN)
        }
        assert.isBelow(Number(findProperty("DTSTART")?.value), Number(findProperty("DTEND")?.value))
        assert.notMatch(findProperty("SUMMARY")?.value ?? "", /(?<!\\)(?:\\\\)*[;,]|(?<!\\)(?:\\\\)*\\(?![\\;,nN])/)
      }
    } else {
      // Properties of a component come before the components in it.
      assert.strictEqual(parent?.components.length, 0, line.name)
      parent?.properties.push(line)
    }
  }
  assert.deepStrictEqual([open.length, calendars], [0, 1])
  assert.strictEqual(new Set(uids).size, uids.length)
}
