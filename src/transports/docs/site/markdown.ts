import { Marked, type Tokens } from "marked"
import { type Html, html } from "../html.ts"

// Markdown of ours as HTML: headings that can be linked to, tables that scroll, and links that lead to the HTML of pages.

interface MarkdownHeading {
  readonly depth: number
  readonly id: string
  readonly text: string
}

/** What GitHub makes of a heading, so that a link works in both places. */
export const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[`*_]/g, (sign) => (sign === "_" ? "_" : ""))
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-")

/** Pages as they are linked to in Markdown. */
const PAGE_LINK = /^([a-z0-9_-]+)\.md(#.*)?$/

const toHeading = ({ depth, text }: Tokens.Heading): MarkdownHeading => {
  const headingText = text.replaceAll("`", "")
  return { depth, id: toAnchor(headingText), text: headingText }
}

interface RenderedMarkdown {
  readonly body: Html
  readonly headings: ReadonlyArray<MarkdownHeading>
}

export const renderMarkdown = (markdown: string): RenderedMarkdown => {
  const headings: Array<MarkdownHeading> = []
  const marked = new Marked({
    renderer: {
      heading(token) {
        const heading = toHeading(token)
        headings.push(heading)
        const inner = { html: this.parser.parseInline(token.tokens) }
        return html`<h${heading.depth} id="${heading.id}">${inner}</h${heading.depth}>\n`.html
      },
      link({ href, tokens }) {
        const [, slug, anchor = ""] = PAGE_LINK.exec(href) ?? []
        const target = slug === undefined ? href : `${slug}.html${anchor}`
        return html`<a href="${target}">${{ html: this.parser.parseInline(tokens) }}</a>`.html
      },
      // No page has HTML of its own: what looks like it is words, such as <country code>.
      html({ text }) {
        return html`${text}`.html
      },
      code({ text, lang }) {
        return html`<pre tabindex="0"><code class="${lang ?? ""}">${text}</code></pre>\n`.html
      }
    },
    hooks: {
      postprocess: (text) =>
        text
          // A head that says nothing is no head to who hears the page.
          .replaceAll("<th></th>", "<td></td>")
          .replaceAll("<table>", '<div class="table" tabindex="0"><table>')
          .replaceAll("</table>", "</table></div>")
    }
  })
  return { body: { html: marked.parse(markdown, { async: false }) }, headings }
}
