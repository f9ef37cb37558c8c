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
 * Returns the text of a statement in one line and without its comments. Quoted parts stay to the letter, and so does the whole text
 * if it is ambiguous what is quoted, as in the function of a migration.
 */
export const toSingleLine = (text: string): string => {
  let isAmbiguous = false
  const line = text.replace(PIECES, (piece, quoted?: string, space?: string) => {
    isAmbiguous ||= quoted === undefined && space === undefined
    return space === undefined ? piece : " "
  })
  return isAmbiguous ? text : line.trim()
}
