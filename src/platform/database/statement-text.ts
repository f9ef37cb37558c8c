// A client looks a prepared statement up by the whole of its text, in every call: what only a reader of the code needs is
// left out of it.

/** What stays as it is, whatever is in it; `E` and a backslash: there a quote may be escaped. */
const QUOTED = /\b[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"[^"]*"/

/** What separates words. */
const SPACE = /(?:\s|--[^\n]*)+/

/** What could hide a quote, or stand for one: a quote nobody closes, a comment in the midst of a line, `$name$`. */
const AMBIGUOUS = /\b[eE]'|['"]|\/\*|\$[A-Za-z_$]/

const PIECES = new RegExp(`(?<quoted>${QUOTED.source})|(?<space>${SPACE.source})|${AMBIGUOUS.source}`, "g")

/**
 * The text of a statement in one line, without its comments; what is quoted stays to the letter. Throws for a text in
 * which it is not plain what is quoted.
 */
export const toSingleLine = (text: string): string =>
  text
    .replace(PIECES, (piece, quoted?: string, space?: string) => {
      if (quoted !== undefined) return quoted
      if (space !== undefined) return " "
      throw new Error(`a form of a statement has no ${piece} but in quotes that are closed: ${text}`)
    })
    .trim()
