import * as Result from "effect/Result"
import { CALENDAR_FEED_DEPTH, CALENDAR_FEED_EVENTS } from "../../../../platform/limits.ts"
import {
  CALENDAR_CHILDREN,
  COMPONENTS,
  DATED_COMPONENTS,
  isCalendarProperty,
  isKnownProperty,
  isSimilar,
  isSimilarToDateProperty,
  mayHaveTimes,
  READ_PROPERTIES
} from "./calendar-names.ts"
import type { ReportClause } from "./clause-report.ts"
import { type ContentLine, type LogicalLine, parseContentLine, parseEdge, unfold } from "./content-lines.ts"

// Finds the components of a file: calendars, their events, their time zones. An unreadable line does not stop it.

export interface CalendarComponent {
  readonly name: string
  readonly line: number
  /** The lines that decide days, by their names. */
  readonly properties: Map<string, Array<ContentLine>>
  readonly components: Array<CalendarComponent>
  /** Whether all its lines could be read. */
  isWhole: boolean
  /** Whether a line of it has an unknown name that may be a misspelt SEQUENCE. */
  mayHideSequence: boolean
}

/**
 * Lines that an event has once at most, each with those that say the same. Where an event has one of them, an indented line of
 * that name after a text is the rest of the text.
 */
const SINGLE_LINES: Readonly<Record<string, ReadonlyArray<string>>> = {
  DTSTART: ["DTSTART"],
  DTEND: ["DTEND", "DURATION"],
  DURATION: ["DTEND", "DURATION"],
  RRULE: ["RRULE"],
  "RECURRENCE-ID": ["RECURRENCE-ID"],
  SEQUENCE: ["SEQUENCE"],
  UID: ["UID"]
}

const MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"

/** A date in any notation, a duration or a rule, within any text. */
const DATELIKE = new RegExp(
  [
    "(?<!\\d)(?:19|20)\\d\\d-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\\d|3[01])(?!\\d)",
    "(?<!\\d)(?:\\d{1,2}|\\d{4})([-./])[ ]?\\d{1,2}\\1[ ]?(?:\\d{4}|\\d{1,2})(?!\\d)",
    `\\d\\W{0,3}${MONTH}|${MONTH}\\W{0,3}\\d`,
    "FREQ=",
    "(?<![A-Z0-9])PT?\\d+[WDHMS]"
  ].join("|"),
  "i"
)

const emptyComponent = (name: string, line: number): CalendarComponent => ({
  name,
  line,
  properties: new Map(),
  components: [],
  isWhole: true,
  mayHideSequence: false
})

const addLine = ({ properties }: CalendarComponent, line: ContentLine): void => {
  const lines = properties.get(line.name)
  if (lines === undefined) properties.set(line.name, [line])
  else lines.push(line)
}

/** Returns the edge of a component for a report, without a name that may be a word of a text. */
const edgeText = (edge: string, name: string): string => (COMPONENTS.has(name) ? `${edge}:${name}` : edge)

/** Moves the lines of a component that turned out to be a line of a text into the component around it. */
const dissolve = (component: CalendarComponent, into: CalendarComponent): void => {
  for (const line of Array.from(component.properties.values()).flat()) addLine(into, line)
  for (const each of component.components) into.components.push(each)
}

/** Lines of an event or of busy times. */
const TIMES = ["DTSTART", "DTEND", "FREEBUSY"]

/** Returns whether a text after a calendar is the beginning of another one that was cut off. */
const isCutBegin = (text: string): boolean =>
  text !== "" && text.toUpperCase() !== "BEGIN:VCALENDAR" && "BEGIN:VCALENDAR".startsWith(text.toUpperCase())

/** Builds the outline line by line. A returned text says why the file cannot be read at all. */
class Outline {
  /** Holds calendars, and components that are outside of one. */
  readonly root = emptyComponent("", 0)
  readonly #open: Array<CalendarComponent> = [this.root]
  readonly #report: ReportClause
  /** Indented lines after a text, by their components: each is a property, or the rest of that text. */
  readonly #indented = new Map<CalendarComponent, Array<ContentLine>>()
  #isAfterText = false
  #events = 0
  #hasCalendar = false

  constructor(report: ReportClause) {
    this.#report = report
  }

  get #current(): CalendarComponent {
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
  #closeTo(depth: number, ended: CalendarComponent | undefined): void {
    while (this.#open.length > depth) {
      const component = this.#open.pop()
      if (component === undefined) continue
      this.#addIndented(component)
      if (component === ended) {
        this.#checkPlace(component)
        continue
      }
      component.isWhole = false
      if (!COMPONENTS.has(component.name)) {
        // It is the last component of the one around it.
        this.#current.components.pop()
        dissolve(component, this.#current)
      }
      this.#fault(`${edgeText("BEGIN", component.name)} in line ${component.line} has no end`)
    }
  }

  /** Adds the indented lines of a component that are not the rest of a text for sure, and reports them. */
  #addIndented(component: CalendarComponent): void {
    const indented = this.#indented.get(component) ?? []
    this.#indented.delete(component)
    if (component.name === "VCALENDAR") for (const line of indented) this.#checkCalendarLine(line)
    if (COMPONENTS.has(component.name) && !DATED_COMPONENTS.has(component.name)) return
    const lines = indented.filter(({ name }) => !SINGLE_LINES[name]?.some((each) => component.properties.has(each)))
    for (const line of lines) {
      addLine(component, line)
      component.isWhole = false
      this.#reportIndented(line)
    }
  }

  #reportIndented({ name, line }: ContentLine): void {
    this.#report(`${name} in line ${line} has white space before it`)
  }

  /** Reports a component that has ended if it may be an event under another name. */
  #checkPlace({ name, line, properties }: CalendarComponent): void {
    if (mayHaveTimes(name, this.#current.name) || !TIMES.some((each) => properties.has(each))) return
    this.#fault(`${edgeText("BEGIN", name)} in line ${line} may begin an event`)
  }

  begin(name: string, line: number): string | undefined {
    this.#isAfterText = false
    if (name === "VCALENDAR") {
      if (this.isOpen(name)) return CUT_OFF
      this.#closeTo(1, undefined)
      this.#hasCalendar = true
    }
    if (CALENDAR_CHILDREN.has(name)) {
      this.#closeTo(this.isOpen("VCALENDAR") ? 2 : 1, undefined)
      if (!this.isOpen("VCALENDAR")) this.#report(`${name} in line ${line} is outside of VCALENDAR`)
    }
    const component = emptyComponent(name, line)
    this.#current.components.push(component)
    this.#open.push(component)
    if (this.#open.length - 1 > CALENDAR_FEED_DEPTH)
      return `its components are nested more than ${CALENDAR_FEED_DEPTH} deep`
    if (name === "VEVENT") this.#events += 1
    return this.#events > CALENDAR_FEED_EVENTS ? `it has more than ${CALENDAR_FEED_EVENTS} events` : undefined
  }

  end(name: string, line: number): void {
    this.#isAfterText = false
    const at = this.#open.findLastIndex((component) => component.name === name)
    if (at > 0) this.#closeTo(at, this.#open[at])
    else if (this.isOpen("VCALENDAR") || CALENDAR_CHILDREN.has(name))
      this.#fault(`${edgeText("END", name)} in line ${line} has no matching BEGIN`)
  }

  add(logical: LogicalLine): void {
    const { text, line } = logical
    const isOutside = this.#open.length === 1
    // Whatever follows a calendar does not belong to it.
    if (text === "" || (isOutside && this.#hasCalendar && !/^(?:BEGIN|END)\b/i.test(text))) return
    const content = parseContentLine(logical)
    if (content === undefined || content.name === "BEGIN" || content.name === "END") {
      this.#isAfterText = false
      this.#fault(`line ${line} is not a content line`)
    } else if (isOutside) this.#report(`line ${line} is outside of VCALENDAR`)
    else if (logical.isAmbiguous && this.#isAfterText) this.#keepIndented(content)
    else {
      if (logical.isAmbiguous) {
        this.#current.isWhole = false
        this.#reportIndented(content)
      }
      this.#addContent(content)
    }
  }

  #keepIndented(content: ContentLine): void {
    const lines = this.#indented.get(this.#current)
    if (lines === undefined) this.#indented.set(this.#current, [content])
    else lines.push(content)
  }

  #addContent(content: ContentLine): void {
    const { name, parameters, value, line } = content
    const component = this.#current
    this.#isAfterText = !READ_PROPERTIES.has(name)
    if (component.name === "VCALENDAR") this.#checkCalendarLine(content)
    if (READ_PROPERTIES.has(name)) addLine(component, content)
    else if (DATED_COMPONENTS.has(component.name) && !isKnownProperty(name)) {
      if (isSimilar(name, "SEQUENCE")) component.mayHideSequence = true
      if (isSimilarToDateProperty(name) && DATELIKE.test(`${parameters}:${value}`))
        this.#fault(`line ${line} has a date under an unknown name`)
    }
  }

  /** Reports a line directly in VCALENDAR that may belong to an event, or that a failing server may have written. */
  #checkCalendarLine({ name, line }: ContentLine): void {
    if (isCalendarProperty(name)) return
    if (READ_PROPERTIES.has(name)) this.#report(`${name} in line ${line} is outside of an event`)
    else this.#report(`line ${line} has an unknown name`)
  }

  /** Returns why a file with this last line cannot be read at all, if so. */
  finish(lastLine: string): string | undefined {
    if (!this.#hasCalendar) return "it is not iCalendar data"
    if (this.isOpen("VCALENDAR") || isCutBegin(lastLine)) return CUT_OFF
    this.#closeTo(1, undefined)
    return undefined
  }
}

const CUT_OFF = "it is incomplete: END:VCALENDAR is missing"

/**
 * Reads the components of a text: its calendars, and a last one with the components that are outside of any. Fails with a
 * clause if the file is empty, no iCalendar, cut off, or beyond a bound. Reports all else that cannot be read.
 */
export const parseOutline = (
  text: string,
  report: ReportClause
): Result.Result<ReadonlyArray<CalendarComponent>, string> => {
  if (text.trim() === "") return Result.fail("it is empty")
  const outline = new Outline(report)
  let lastLine = ""
  for (const logical of unfold(text)) {
    if (logical.text !== "") lastLine = logical.text
    const edge = parseEdge(logical.text)
    if (edge === undefined) outline.add(logical)
    else if (!edge.isBegin) outline.end(edge.name, logical.line)
    else {
      const why = outline.begin(edge.name, logical.line)
      if (why !== undefined) return Result.fail(why)
    }
  }
  const why = outline.finish(lastLine)
  if (why !== undefined) return Result.fail(why)
  const { components } = outline.root
  const calendars = components.filter(({ name }) => name === "VCALENDAR")
  const outside = { ...outline.root, components: components.filter(({ name }) => name !== "VCALENDAR") }
  return Result.succeed([...calendars, outside])
}
