// The lines of an iCalendar file (RFC 5545, 3.1), read tolerantly: a line that is no content line does not spoil
// the lines around it.

/** A property with its value: `DTSTART;TZID=Europe/Berlin:20270501T150000`. */
export interface ContentLine {
  readonly name: string
  /** As written, from the first `;` on; empty if there are none. */
  readonly parameters: string
  readonly value: string
  /** The number of its line in the file, from 1 on. */
  readonly lineNumber: number
}

/** An unfolded line, without the white space around it. */
export interface LogicalLine {
  readonly text: string
  readonly lineNumber: number
  /** Whether white space precedes it, so that it could also continue the line before. */
  readonly isAmbiguous: boolean
}

/** A line that begins or ends a component: `BEGIN:VEVENT`. */
const COMPONENT_EDGE_PATTERN = /^(BEGIN|END)[ \t]*:[ \t]*([A-Za-z0-9_-]+)$/i

/**
 * Properties whose loss would change days without a trace. With white space before it such a line counts as a line, not as the rest of
 * a text. Not among them: EXDATE, STATUS and TRANSP, since a text must never open a day.
 */
const INDENTED_PROPERTY_PATTERN =
  /^(?:DTSTART|DTEND|DURATION|RRULE|RDATE|FREEBUSY|RECURRENCE-ID|SEQUENCE|UID)[ \t]*[;:]/i

/** A name. The standard has no underscores in names, but some programs write them. */
const PROPERTY_NAME_PATTERN = /^([A-Za-z0-9_-]+)[ \t]*(?=[;:])/

/**
 * Returns the text of a file with `\n` as the only line end. Each byte becomes one character: a line may be folded in the middle
 * of a UTF-8 character, and everything that decides days is ASCII.
 */
export const decodeFeedText = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString("latin1")
    .replace(/^\u00ef\u00bb\u00bf/, "")
    .replaceAll("\0", "")
    .replace(/\r\n?/g, "\n")

/** Yields the lines of a text, unfolded: a line that begins with white space continues the line before. */
export function* unfoldLines(text: string): Generator<LogicalLine> {
  let current:
    | { text: string; readonly lineNumber: number; readonly isAmbiguous: boolean; readonly isEdge: boolean }
    | undefined
  let lineNumber = 0
  for (const raw of text.split("\n")) {
    lineNumber += 1
    if (raw === "") continue
    const isIndented = raw.startsWith(" ") || raw.startsWith("\t")
    const trimmed = raw.trim()
    const isEdge = COMPONENT_EDGE_PATTERN.test(trimmed)
    const isAmbiguous = isIndented && INDENTED_PROPERTY_PATTERN.test(trimmed)
    // A line that begins or ends a component is short, and never folded.
    if (current !== undefined && isIndented && !isEdge && !isAmbiguous && !current.isEdge) {
      current.text += raw.slice(1)
      continue
    }
    if (current !== undefined) yield { ...current, text: current.text.trim() }
    current = { text: raw, lineNumber, isAmbiguous, isEdge }
  }
  if (current !== undefined) yield { ...current, text: current.text.trim() }
}

interface ComponentEdge {
  readonly isBegin: boolean
  readonly name: string
}

/** Reads the beginning or the end of a component; undefined if the line is neither. */
export const parseComponentEdge = (text: string): ComponentEdge | undefined => {
  const [, edge, name] = COMPONENT_EDGE_PATTERN.exec(text) ?? []
  if (edge === undefined || name === undefined) return undefined
  return { isBegin: edge.toUpperCase() === "BEGIN", name: name.toUpperCase() }
}

/** Splits a text at a separator, except within quotes. */
const splitUnquoted = (text: string, separator: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let isQuoted = false
  let begin = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') isQuoted = !isQuoted
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(begin, at))
      begin = at + 1
    }
  }
  return [...parts, text.slice(begin)]
}

/** Returns the index of the first colon outside of quotes, -1 if there is none. A quote that does not end hides all colons. */
const findColon = (text: string, from: number): number => {
  let isQuoted = false
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (character === '"') isQuoted = !isQuoted
    else if (character === ":" && !isQuoted) return at
  }
  return -1
}

/** Reads a content line; undefined if it is not a content line. */
export const parseContentLine = ({ text, lineNumber }: LogicalLine): ContentLine | undefined => {
  const [head, name] = PROPERTY_NAME_PATTERN.exec(text) ?? []
  if (head === undefined || name === undefined) return undefined
  const colon = findColon(text, head.length)
  if (colon === -1) return undefined
  return {
    name: name.toUpperCase(),
    parameters: text.slice(head.length, colon),
    value: text.slice(colon + 1),
    lineNumber
  }
}

/** Reads the parameters of a line by their names in upper case; undefined if one of them has no name or value. */
export const parseParameters = ({ parameters }: ContentLine): ReadonlyMap<string, string> | undefined => {
  const all = new Map<string, string>()
  for (const part of splitUnquoted(parameters, ";")) {
    if (part.trim() === "") continue
    const [, name, value] = /^[ \t]*([A-Za-z0-9_-]+)[ \t]*=(.*)$/.exec(part) ?? []
    if (name === undefined || value === undefined) return undefined
    all.set(name.toUpperCase(), value.trim().replace(/^"(.*)"$/, "$1"))
  }
  return all
}
