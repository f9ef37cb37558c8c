import * as Result from "effect/Result"
import { CALENDAR_FEED_DEPTH_MAX, CALENDAR_FEED_EVENTS_MAX } from "../../../../platform/limits.ts"
import {
  type ContentLine,
  type LogicalLine,
  parseComponentEdge,
  parseContentLine,
  unfoldLines
} from "./content-lines.ts"
import {
  CALENDAR_CHILDREN,
  COMPONENTS,
  DATED_COMPONENTS,
  isCalendarProperty,
  isKnownProperty,
  isSimilarName,
  isSimilarToDateProperty,
  KEPT_TEXT_PROPERTIES,
  mayHaveTimes,
  READ_PROPERTIES
} from "./ical-names.ts"
import type { ReportUnreadablePart } from "./unreadable-part-report.ts"

export interface CalendarComponent {
  readonly name: string
  readonly lineNumber: number
  /** Only lines that affect which days are busy, or which events are bookings. */
  readonly properties: Map<string, Array<ContentLine>>
  readonly components: Array<CalendarComponent>
  isFullyReadable: boolean
  /** Whether an unknown property may be a misspelt SEQUENCE. */
  mayHideSequence: boolean
}

/**
 * Properties that an event has at most once, each with the properties that exclude it. An indented line such as `
 * DTEND:…` may be a property or the continuation of a folded text. If the event already has an excluding property, the
 * line is a continuation.
 */
const SINGLE_PROPERTIES: Readonly<Record<string, ReadonlyArray<string>>> = {
  DTSTART: ["DTSTART"],
  DTEND: ["DTEND", "DURATION"],
  DURATION: ["DTEND", "DURATION"],
  RRULE: ["RRULE"],
  "RECURRENCE-ID": ["RECURRENCE-ID"],
  SEQUENCE: ["SEQUENCE"],
  UID: ["UID"]
}

const MONTH_PATTERN = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"

const DATELIKE_PATTERN = new RegExp(
  [
    "(?<!\\d)(?:19|20)\\d\\d-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\\d|3[01])(?!\\d)",
    "(?<!\\d)(?:\\d{1,2}|\\d{4})([-./])[ ]?\\d{1,2}\\1[ ]?(?:\\d{4}|\\d{1,2})(?!\\d)",
    `\\d\\W{0,3}${MONTH_PATTERN}|${MONTH_PATTERN}\\W{0,3}\\d`,
    "FREQ=",
    "(?<![A-Z0-9])PT?\\d+[WDHMS]"
  ].join("|"),
  "i"
)

const makeComponent = (name: string, lineNumber: number): CalendarComponent => ({
  name,
  lineNumber,
  properties: new Map(),
  components: [],
  isFullyReadable: true,
  mayHideSequence: false
})

const addLine = ({ properties }: CalendarComponent, line: ContentLine): void => {
  const lines = properties.get(line.name)
  if (lines === undefined) properties.set(line.name, [line])
  else lines.push(line)
}

/** An unknown name may be guest data. */
const formatEdge = (edge: string, name: string): string => (COMPONENTS.has(name) ? `${edge}:${name}` : edge)

/** Used for a component whose BEGIN was only a line of a text. */
const moveLinesToParent = (component: CalendarComponent, into: CalendarComponent): void => {
  for (const line of Array.from(component.properties.values()).flat()) addLine(into, line)
  for (const each of component.components) into.components.push(each)
}

const TIME_PROPERTIES = ["DTSTART", "DTEND", "FREEBUSY"]

/** Whether the file ends within the first line of another calendar. */
const isTruncatedBegin = (text: string): boolean =>
  text !== "" && text.toUpperCase() !== "BEGIN:VCALENDAR" && "BEGIN:VCALENDAR".startsWith(text.toUpperCase())

/** Methods that return a text have found the file unreadable. The text is the reason. */
class ComponentTreeBuilder {
  readonly root = makeComponent("", 0)
  readonly #openComponents: Array<CalendarComponent> = [this.root]
  readonly #report: ReportUnreadablePart
  /** Lines that are either a property or the continuation of a text. */
  readonly #indentedLines = new Map<CalendarComponent, Array<ContentLine>>()
  #isAfterText = false
  #eventCount = 0
  #hasCalendar = false

  constructor(report: ReportUnreadablePart) {
    this.#report = report
  }

  get #current(): CalendarComponent {
    return this.#openComponents.at(-1) ?? this.root
  }

  isOpen(name: string): boolean {
    return this.#openComponents.some((component) => component.name === name)
  }

  #reportFault(clause: string): void {
    this.#current.isFullyReadable = false
    this.#report(clause)
  }

  /** Closes components until `depth` are open. All except `ended` are reported, because they have no end. */
  #closeTo(depth: number, ended: CalendarComponent | undefined): void {
    while (this.#openComponents.length > depth) {
      const component = this.#openComponents.pop()
      if (component === undefined) continue
      this.#addIndented(component)
      if (component === ended) {
        this.#checkPlace(component)
        continue
      }
      component.isFullyReadable = false
      if (!COMPONENTS.has(component.name)) {
        this.#current.components.pop()
        moveLinesToParent(component, this.#current)
      }
      this.#reportFault(`${formatEdge("BEGIN", component.name)} in line ${component.lineNumber} has no end`)
    }
  }

  #addIndented(component: CalendarComponent): void {
    const indented = this.#indentedLines.get(component) ?? []
    this.#indentedLines.delete(component)
    if (component.name === "VCALENDAR") for (const line of indented) this.#checkCalendarLine(line)
    if (COMPONENTS.has(component.name) && !DATED_COMPONENTS.has(component.name)) return
    const lines = indented.filter(
      ({ name }) => !SINGLE_PROPERTIES[name]?.some((each) => component.properties.has(each))
    )
    for (const line of lines) {
      addLine(component, line)
      component.isFullyReadable = false
      this.#reportIndented(line)
    }
  }

  #reportIndented({ name, lineNumber }: ContentLine): void {
    this.#report(`${name} in line ${lineNumber} has white space before it`)
  }

  /** A component with times in an unexpected place may be an event under a misspelt name. */
  #checkPlace({ name, lineNumber, properties }: CalendarComponent): void {
    if (mayHaveTimes(name, this.#current.name) || !TIME_PROPERTIES.some((each) => properties.has(each))) return
    this.#reportFault(`${formatEdge("BEGIN", name)} in line ${lineNumber} may begin an event`)
  }

  beginComponent(name: string, lineNumber: number): string | undefined {
    this.#isAfterText = false
    if (name === "VCALENDAR") {
      if (this.isOpen(name)) return CUT_OFF_REASON
      this.#closeTo(1, undefined)
      this.#hasCalendar = true
    }
    if (CALENDAR_CHILDREN.has(name)) {
      this.#closeTo(this.isOpen("VCALENDAR") ? 2 : 1, undefined)
      if (!this.isOpen("VCALENDAR")) this.#report(`${name} in line ${lineNumber} is outside of VCALENDAR`)
    }
    const component = makeComponent(name, lineNumber)
    this.#current.components.push(component)
    this.#openComponents.push(component)
    if (this.#openComponents.length - 1 > CALENDAR_FEED_DEPTH_MAX)
      return `its components are nested more than ${CALENDAR_FEED_DEPTH_MAX} deep`
    if (name === "VEVENT") this.#eventCount += 1
    return this.#eventCount > CALENDAR_FEED_EVENTS_MAX
      ? `it has more than ${CALENDAR_FEED_EVENTS_MAX} events`
      : undefined
  }

  endComponent(name: string, lineNumber: number): void {
    this.#isAfterText = false
    const at = this.#openComponents.findLastIndex((component) => component.name === name)
    if (at > 0) this.#closeTo(at, this.#openComponents[at])
    else if (this.isOpen("VCALENDAR") || CALENDAR_CHILDREN.has(name))
      this.#reportFault(`${formatEdge("END", name)} in line ${lineNumber} has no matching BEGIN`)
  }

  addLogicalLine(logical: LogicalLine): void {
    const { text, lineNumber } = logical
    const isOutside = this.#openComponents.length === 1
    if (text === "" || (isOutside && this.#hasCalendar && !/^(?:BEGIN|END)\b/i.test(text))) return
    const content = parseContentLine(logical)
    if (content === undefined || content.name === "BEGIN" || content.name === "END") {
      this.#isAfterText = false
      this.#reportFault(`line ${lineNumber} is not a content line`)
    } else if (isOutside) this.#report(`line ${lineNumber} is outside of VCALENDAR`)
    else if (logical.isAmbiguous && this.#isAfterText) this.#keepIndented(content)
    else {
      if (logical.isAmbiguous) {
        this.#current.isFullyReadable = false
        this.#reportIndented(content)
      }
      this.#addContent(content)
    }
  }

  #keepIndented(content: ContentLine): void {
    const lines = this.#indentedLines.get(this.#current)
    if (lines === undefined) this.#indentedLines.set(this.#current, [content])
    else lines.push(content)
  }

  #addContent(content: ContentLine): void {
    const { name, parameters, value, lineNumber } = content
    const component = this.#current
    this.#isAfterText = !READ_PROPERTIES.has(name)
    if (component.name === "VCALENDAR") this.#checkCalendarLine(content)
    if (READ_PROPERTIES.has(name) || KEPT_TEXT_PROPERTIES.has(name)) addLine(component, content)
    else if (DATED_COMPONENTS.has(component.name) && !isKnownProperty(name)) {
      if (isSimilarName(name, "SEQUENCE")) component.mayHideSequence = true
      if (isSimilarToDateProperty(name) && DATELIKE_PATTERN.test(`${parameters}:${value}`))
        this.#reportFault(`line ${lineNumber} has a date under an unknown name`)
    }
  }

  /** A line that does not belong in VCALENDAR may be part of an event, or an error message of a server. */
  #checkCalendarLine({ name, lineNumber }: ContentLine): void {
    if (isCalendarProperty(name)) return
    if (READ_PROPERTIES.has(name)) this.#report(`${name} in line ${lineNumber} is outside of an event`)
    else this.#report(`line ${lineNumber} has an unknown name`)
  }

  finish(lastLine: string): string | undefined {
    if (!this.#hasCalendar) return "it is not iCalendar data"
    if (this.isOpen("VCALENDAR") || isTruncatedBegin(lastLine)) return CUT_OFF_REASON
    this.#closeTo(1, undefined)
    return undefined
  }
}

const CUT_OFF_REASON = "it is incomplete: END:VCALENDAR is missing"

/**
 * Returns the calendars, then a component with everything outside of them. The failure is a clause such as `it is
 * empty`.
 */
export const parseComponents = (
  text: string,
  report: ReportUnreadablePart
): Result.Result<ReadonlyArray<CalendarComponent>, string> => {
  if (text.trim() === "") return Result.fail("it is empty")
  const builder = new ComponentTreeBuilder(report)
  let lastLine = ""
  for (const logical of unfoldLines(text)) {
    if (logical.text !== "") lastLine = logical.text
    const edge = parseComponentEdge(logical.text)
    if (edge === undefined) builder.addLogicalLine(logical)
    else if (!edge.isBegin) builder.endComponent(edge.name, logical.lineNumber)
    else {
      const why = builder.beginComponent(edge.name, logical.lineNumber)
      if (why !== undefined) return Result.fail(why)
    }
  }
  const why = builder.finish(lastLine)
  if (why !== undefined) return Result.fail(why)
  const { components } = builder.root
  const calendars = components.filter(({ name }) => name === "VCALENDAR")
  const outsideComponents = { ...builder.root, components: components.filter(({ name }) => name !== "VCALENDAR") }
  return Result.succeed([...calendars, outsideComponents])
}
