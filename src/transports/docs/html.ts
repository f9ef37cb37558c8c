/** Text that is HTML already. Whatever else goes into a page is escaped on its way. */
export interface Html {
  readonly html: string
}

type HtmlValue = Html | string | number | ReadonlyArray<Html>

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => HTML_ESCAPES[sign] ?? "")

const toHtmlText = (value: HtmlValue): string => {
  if (typeof value === "string") return escapeHtml(value)
  if (typeof value === "number") return String(value)
  return "html" in value ? value.html : value.map(({ html }) => html).join("")
}

/** A piece of a page: what is put into it is escaped, for text and for attributes in quotes alike. */
export const html = (strings: TemplateStringsArray, ...values: ReadonlyArray<HtmlValue>): Html => ({
  html: strings.reduce((text, chunk, index) => `${text}${toHtmlText(values[index - 1] ?? "")}${chunk}`)
})

/** Nothing, where a piece may be left out. */
export const nothing: Html = { html: "" }
