/** Markup that `html` inserts as it is. Every other value is escaped. */
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

/** Template tag that escapes its values, for text and for quoted attributes. */
export const html = (strings: TemplateStringsArray, ...values: ReadonlyArray<HtmlValue>): Html => ({
  html: strings.reduce((text, chunk, index) => `${text}${toHtmlText(values[index - 1] ?? "")}${chunk}`)
})

export const nothing: Html = { html: "" }

const CHARACTERS_BY_ENTITY = new Map(Object.entries(HTML_ESCAPES).map(([character, entity]) => [entity, character]))

export const toPlainText = ({ html: markup }: Html): string =>
  markup
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&(?:#39|[a-z]+);/g, (entity) => CHARACTERS_BY_ENTITY.get(entity) ?? entity)
    .replaceAll(/\s+/g, " ")
    .trim()
