import * as Result from "effect/Result"
import { CALENDAR_FEED_DEPTH, CALENDAR_FEED_EVENTS } from "../../../limits.ts"
import { type ContentLine, contentLineOf, edgeOf, type LogicalLine, unfold } from "./content-lines.ts"
import type { Report } from "./report.ts"

// Finds the components of a file: calendars, their events, their time zones. An unreadable line does not stop it.

export interface Component {
  readonly name: string
  readonly line: number
  /** The lines that decide days, by their names. */
  readonly properties: Map<string, Array<ContentLine>>
  readonly components: Array<Component>
  /** Whether all its lines could be read. */
  isWhole: boolean
  /** Whether a line of it has a name that iCalendar does not have: an ignored property, or a broken name. */
  hasUnknownName: boolean
}

/** The properties that are read. All others are ignored. */
const READ_PROPERTIES = new Set(
  `UID DTSTART DTEND DURATION RRULE RDATE EXDATE RECURRENCE-ID SEQUENCE STATUS TRANSP SUMMARY FREEBUSY
   TZID TZOFFSETFROM TZOFFSETTO X-LIC-LOCATION`.split(/\s+/)
)

/** Other properties that iCalendar has (RFC 5545, 7953, 7986, 9073, 9074, 9253). */
const OTHER_PROPERTIES = new Set(
  `ACKNOWLEDGED ACTION ATTACH ATTENDEE BUSYTYPE CALENDAR-ADDRESS CALSCALE CATEGORIES CLASS COLOR COMMENT COMPLETED CONCEPT
   CONFERENCE CONTACT CREATED DESCRIPTION DTSTAMP DUE EXRULE GEO IMAGE LAST-MODIFIED LINK LOCATION LOCATION-TYPE METHOD NAME
   ORGANIZER PARTICIPANT-TYPE PERCENT-COMPLETE PRIORITY PRODID PROXIMITY REFID REFRESH-INTERVAL RELATED-TO REPEAT
   REQUEST-STATUS RESOURCE-TYPE RESOURCES SOURCE STRUCTURED-DATA STYLED-DESCRIPTION TRIGGER TZNAME TZUNTIL TZURL URL VERSION`.split(
    /\s+/
  )
)

/** Components of iCalendar. A BEGIN with another name and without an end is a line of a text. */
const COMPONENTS = new Set(
  `VCALENDAR VEVENT VTODO VJOURNAL VFREEBUSY VTIMEZONE STANDARD DAYLIGHT VALARM VAVAILABILITY AVAILABLE PARTICIPANT VLOCATION
   VRESOURCE`.split(/\s+/)
)

/** Components that only a calendar contains. When one begins, all others have ended. */
const CALENDAR_CHILDREN = new Set(["VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY", "VTIMEZONE", "VAVAILABILITY"])

/** Components whose lines decide days. */
const DATED_COMPONENTS = new Set(["VEVENT", "VFREEBUSY", "VTIMEZONE", "STANDARD", "DAYLIGHT"])

/** A date, a duration or a rule, within any text. */
const TIMELIKE =
  /(?<!\d)(?:19|20)\d\d-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])(?!\d)|FREQ=|(?<![A-Z0-9])PT?\d+[WDHMS]/i

const componentOf = (name: string, line: number): Component => ({
  name,
  line,
  properties: new Map(),
  components: [],
  isWhole: true,
  hasUnknownName: false
})

const addLine = ({ properties }: Component, line: ContentLine): void => {
  const lines = properties.get(line.name)
  if (lines === undefined) properties.set(line.name, [line])
  else lines.push(line)
}

/** Returns the edge of a component for a report, without a name that may be a word of a text. */
const edgeText = (edge: string, name: string): string => (COMPONENTS.has(name) ? `${edge}:${name}` : edge)

/** Moves the lines of a component that turned out to be a line of a text into the component around it. */
const dissolve = (component: Component, into: Component): void => {
  for (const line of Array.from(component.properties.values()).flat()) addLine(into, line)
  for (const each of component.components) into.components.push(each)
}

/** Builds the outline line by line. A returned text says why the file cannot be read at all. */
class Outline {
  /** Holds calendars, and components that are outside of one. */
  readonly root = componentOf("", 0)
  readonly #open: Array<Component> = [this.root]
  readonly #report: Report
  #events = 0
  #hasCalendar = false

  constructor(report: Report) {
    this.#report = report
  }

  get #current(): Component {
    return this.#open.at(-1) ?? this.root
  }

  isOpen(name: string): boolean {
    return this.#open.some((component) => component.name === name)
  }

  #fault(clause: string): void {
    this.#current.isWhole = false
    this.#report(clause)
  }

  /** Closes components until `depth` are open. Reports each of them as without an end, except the one that has ended. */
  #closeTo(depth: number, ended: Component | undefined): void {
    while (this.#open.length > depth) {
      const component = this.#open.pop()
      if (component === undefined || component === ended) continue
      component.isWhole = false
      if (!COMPONENTS.has(component.name)) {
        // It is the last component of the one around it.
        this.#current.components.pop()
        dissolve(component, this.#current)
      }
      this.#fault(`${edgeText("BEGIN", component.name)} in line ${component.line} has no end`)
    }
  }

  begin(name: string, line: number): string | undefined {
    if (name === "VCALENDAR") {
      if (this.isOpen(name)) return CUT_OFF
      this.#closeTo(1, undefined)
      this.#hasCalendar = true
    }
    if (CALENDAR_CHILDREN.has(name)) {
      this.#closeTo(this.isOpen("VCALENDAR") ? 2 : 1, undefined)
      if (!this.isOpen("VCALENDAR")) this.#report(`${name} in line ${line} is outside of VCALENDAR`)
    }
    const component = componentOf(name, line)
    this.#current.components.push(component)
    this.#open.push(component)
    if (this.#open.length - 1 > CALENDAR_FEED_DEPTH)
      return `its components are nested more than ${CALENDAR_FEED_DEPTH} deep`
    if (name === "VEVENT") this.#events += 1
    return this.#events > CALENDAR_FEED_EVENTS ? `it has more than ${CALENDAR_FEED_EVENTS} events` : undefined
  }

  end(name: string, line: number): void {
    const at = this.#open.findLastIndex((component) => component.name === name)
    if (at > 0) this.#closeTo(at, this.#open[at])
    else if (this.isOpen("VCALENDAR") || CALENDAR_CHILDREN.has(name))
      this.#fault(`${edgeText("END", name)} in line ${line} has no beginning`)
  }

  add(logical: LogicalLine): void {
    const { text, line } = logical
    const isOutside = this.#open.length === 1
    // Whatever follows a calendar does not belong to it.
    if (text === "" || (isOutside && this.#hasCalendar && !/^(?:BEGIN|END)\b/i.test(text))) return
    const content = contentLineOf(logical)
    if (content === undefined || content.name === "BEGIN" || content.name === "END")
      this.#fault(`line ${line} is not a content line`)
    else if (isOutside) this.#report(`line ${line} is outside of VCALENDAR`)
    else this.#addContent(content, logical.isAmbiguous)
  }

  #addContent(content: ContentLine, isAmbiguous: boolean): void {
    const { name, parameters, value, line } = content
    const { name: within } = this.#current
    if (isAmbiguous) this.#fault(`${name} in line ${line} has white space before it`)
    if (READ_PROPERTIES.has(name)) {
      if (within === "VCALENDAR" && name === "DTSTART") this.#report(`DTSTART in line ${line} is outside of an event`)
      addLine(this.#current, content)
    } else if (DATED_COMPONENTS.has(within) && !OTHER_PROPERTIES.has(name) && !name.startsWith("X-")) {
      this.#current.hasUnknownName = true
      if (TIMELIKE.test(`${parameters}:${value}`)) this.#fault(`line ${line} has a date under an unknown name`)
    }
  }

  /** Returns why the file cannot be read at all, if so. */
  finish(): string | undefined {
    if (!this.#hasCalendar) return "it is no iCalendar"
    if (this.isOpen("VCALENDAR")) return CUT_OFF
    this.#closeTo(1, undefined)
    return undefined
  }
}

const CUT_OFF = "it ends in the middle: END:VCALENDAR is missing"

/**
 * Reads the components of a text: its calendars, and a last one with the components that are outside of any. Fails with a
 * clause if the file is empty, no iCalendar, cut off, or beyond a bound. Reports all else that cannot be read.
 */
export const outlineOf = (text: string, report: Report): Result.Result<ReadonlyArray<Component>, string> => {
  if (text.trim() === "") return Result.fail("it is empty")
  const outline = new Outline(report)
  for (const logical of unfold(text)) {
    const edge = edgeOf(logical.text)
    if (edge === undefined) outline.add(logical)
    else if (!edge.isBegin) outline.end(edge.name, logical.line)
    else {
      const why = outline.begin(edge.name, logical.line)
      if (why !== undefined) return Result.fail(why)
    }
  }
  const why = outline.finish()
  if (why !== undefined) return Result.fail(why)
  const { components } = outline.root
  const calendars = components.filter(({ name }) => name === "VCALENDAR")
  const outside = { ...outline.root, components: components.filter(({ name }) => name !== "VCALENDAR") }
  return Result.succeed([...calendars, outside])
}
