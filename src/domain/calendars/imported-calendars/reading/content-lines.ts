// See RFC 5545, 3.1.

export interface ContentLine {
  readonly name: string
  /** From the first `;` to the `:`. */
  readonly parameters: string
  readonly value: string
  readonly lineNumber: number
}

export interface LogicalLine {
  readonly text: string
  readonly lineNumber: number
  /** Whether the line is an indented property that may also continue the line before. */
  readonly isAmbiguous: boolean
}

const COMPONENT_EDGE_PATTERN = /^(BEGIN|END)[ \t]*:[ \t]*([A-Za-z0-9_-]+)$/i

/**
 * The loss of one of these properties would silently change days. EXDATE, STATUS and TRANSP are left out, because a
 * line that may only continue a text must never make a day available.
 */
const INDENTED_PROPERTY_PATTERN =
  /^(?:DTSTART|DTEND|DURATION|RRULE|RDATE|FREEBUSY|RECURRENCE-ID|SEQUENCE|UID)[ \t]*[;:]/i

/** Some programs write underscores, which the standard does not allow. */
const PROPERTY_NAME_PATTERN = /^([A-Za-z0-9_-]+)[ \t]*(?=[;:])/

/**
 * Uses LF as the only line end. Each byte becomes one character, because a line may be folded within a UTF-8 character.
 */
export const decodeFeedText = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString("latin1")
    .replace(/^\u00ef\u00bb\u00bf/, "")
    .replaceAll("\0", "")
    .replace(/\r\n?/g, "\n")

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
    // BEGIN and END lines are too short to be folded.
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

export const parseComponentEdge = (text: string): ComponentEdge | undefined => {
  const [, edge, name] = COMPONENT_EDGE_PATTERN.exec(text) ?? []
  if (edge === undefined || name === undefined) return undefined
  return { isBegin: edge.toUpperCase() === "BEGIN", name: name.toUpperCase() }
}

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

/** Returns -1 if a quote is not closed. */
const findColon = (text: string, from: number): number => {
  let isQuoted = false
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (character === '"') isQuoted = !isQuoted
    else if (character === ":" && !isQuoted) return at
  }
  return -1
}

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

/** Keyed by upper-case name. Returns undefined if a parameter has no name or value. */
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
