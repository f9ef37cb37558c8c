/** Text that is HTML already. Whatever else goes into a page is escaped on its way. */
export interface Html {
  readonly html: string
}

type Part = Html | string | number | ReadonlyArray<Html>

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? "")

const written = (part: Part): string => {
  if (typeof part === "string") return escaped(part)
  if (typeof part === "number") return String(part)
  return "html" in part ? part.html : part.map(({ html }) => html).join("")
}

/** A piece of a page: what is put into it is escaped, for text and for attributes in quotes alike. */
export const html = (pieces: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html => ({
  html: pieces.reduce((text, piece, index) => `${text}${written(parts[index - 1] ?? "")}${piece}`)
})

/** Nothing, where a piece may be left out. */
export const nothing: Html = { html: "" }
