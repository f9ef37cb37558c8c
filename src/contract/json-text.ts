import { Result } from "effect"
import { JSON_DEPTH_MAX, JSON_PARTS_MAX } from "../platform/limits.ts"

// Depth and parts are counted before parsing, because a megabyte of brackets costs far more than a megabyte of text.

export const NOT_JSON = "is not valid JSON"

/** Returns the value, or an error text that completes the sentence "The body …". */
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

const findStringEnd = (text: string, begin: number): number => {
  for (let at = begin + 1; ; at++) {
    at = text.indexOf('"', at)
    if (at === -1) return text.length
    let backslashes = 0
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return at
  }
}
