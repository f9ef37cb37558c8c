// The client looks up prepared statements by their whole text, so the text is shortened.

/** Quoted parts. A string with `E` may have quotes escaped by backslashes. */
const QUOTED = /\b[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"[^"]*"/

const SPACE = /(?:\s|--[^\n]*)+/

/** An unclosed quote, a block comment, or `$name$`, which could hide a quote. */
const AMBIGUOUS = /\b[eE]'|['"]|\/\*|\$[A-Za-z_$]/

const PIECES = new RegExp(`(?<quoted>${QUOTED.source})|(?<space>${SPACE.source})|${AMBIGUOUS.source}`, "g")

/**
 * Returns a statement on one line without comments. Quoted parts stay unchanged, as does the whole text if its quoting
 * is ambiguous.
 */
export const toSingleLine = (text: string): string => {
  let isAmbiguous = false
  const line = text.replace(PIECES, (piece, quoted?: string, space?: string) => {
    isAmbiguous ||= quoted === undefined && space === undefined
    return space === undefined ? piece : " "
  })
  return isAmbiguous ? text : line.trim()
}
