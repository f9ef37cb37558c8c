import { Result } from "effect"
import { JSON_DEPTH_MAX, JSON_PARTS_MAX } from "../platform/limits.ts"

// What a JSON text may be made of, whoever sent it. A megabyte of fields that nobody knows, or of brackets,
// costs a parser and whoever walks its value ten times what a megabyte of text costs, so it is counted before it is parsed.

export const NOT_JSON = "is not valid JSON"

/** The value a JSON text stands for, or why it is none that is taken, as the end of "The body …". */
export const parseJson = (text: string): Result.Result<unknown, string> => {
  const sizeProblem = findSizeProblem(text)
  return sizeProblem === undefined
    ? Result.try({ try: (): unknown => JSON.parse(text), catch: () => NOT_JSON })
    : Result.fail(sizeProblem)
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPENING_BRACKETS = new Set([0x5b, 0x7b])
const CLOSING_BRACKETS = new Set([0x5d, 0x7d])

/** Every opening bracket begins a first part and every comma a further one, a field or an element. */
const findSizeProblem = (text: string): string | undefined => {
  let depth = 0
  let parts = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = findStringEnd(text, at)
    else if (CLOSING_BRACKETS.has(code)) depth--
    else if (code === COMMA || OPENING_BRACKETS.has(code)) {
      if (code !== COMMA && ++depth > JSON_DEPTH_MAX) return `must not be nested deeper than ${JSON_DEPTH_MAX} levels`
      if (++parts > JSON_PARTS_MAX) return `must not have more than ${JSON_PARTS_MAX} fields and elements`
    }
  }
  return undefined
}

/** Where the text that begins at a quotation mark ends; the end of all when it does not. */
const findStringEnd = (text: string, begin: number): number => {
  for (let at = begin + 1; ; at++) {
    at = text.indexOf('"', at)
    if (at === -1) return text.length
    let backslashes = 0
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return at
  }
}
