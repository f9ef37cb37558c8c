import { Marked } from "marked"
import { type Html, html } from "../html.ts"

/** Returns the anchor that GitHub gives to a heading. */
export const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[`*_]/g, (sign) => (sign === "_" ? "_" : ""))
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-")

const PAGE_LINK = /^([a-z0-9_-]+)\.md(#.*)?$/

/** Numbers the anchors of equal headings as GitHub does: `added`, `added-1`. */
const makeAnchors = (): ((heading: string) => string) => {
  const counts = new Map<string, number>()
  return (heading) => {
    const anchor = toAnchor(heading)
    const count = counts.get(anchor) ?? 0
    counts.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  }
}

export const renderMarkdown = (markdown: string): Html => {
  const nextAnchor = makeAnchors()
  const marked = new Marked({
    renderer: {
      heading({ depth, text, tokens }) {
        // The changelog writes release names in brackets, which Markdown would show.
        const inner = { html: this.parser.parseInline(tokens).replace(/^\[([^\]]+)\]/, "$1") }
        return html`<h${depth} id="${nextAnchor(text)}">${inner}</h${depth}>\n`.html
      },
      link({ href, tokens }) {
        const [, slug, anchor = ""] = PAGE_LINK.exec(href) ?? []
        const target = slug === undefined ? href : `${slug}.html${anchor}`
        return html`<a href="${target}">${{ html: this.parser.parseInline(tokens) }}</a>`.html
      },
      // Shows HTML such as <country code> as text, but drops comments.
      html({ text }) {
        return text.startsWith("<!--") ? "" : html`${text}`.html
      },
      code({ text, lang }) {
        return html`<pre tabindex="0"><code class="${lang ?? ""}">${text}</code></pre>\n`.html
      }
    },
    hooks: {
      postprocess: (text) =>
        text
          // An empty header cell confuses screen readers.
          .replaceAll("<th></th>", "<td></td>")
          .replaceAll("<table>", '<div class="table" tabindex="0"><table>')
          .replaceAll("</table>", "</table></div>")
    }
  })
  return { html: marked.parse(markdown, { async: false }) }
}
