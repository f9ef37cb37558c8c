import type { DocsPage } from "./docs-page.ts"

// What agents read: one line a page, and all pages in one (specification, Machine-readable resources).

const SUMMARY =
  "The open API of a property-management service for short-stay hosts: REST under /v3 and an MCP endpoint whose 72 tools are the same operations."

const indexLine = ({ slug, title, description }: DocsPage, docsUrl: string): string =>
  `- [${title}](${docsUrl}/reference/${slug}.md): ${description.replace(/[.:]$/, "")}`

/** `llms.txt`: the index, its links absolute. */
export const renderLlmsIndex = (pages: ReadonlyArray<DocsPage>, docsUrl: string): string => {
  const sections = Array.from(new Set(pages.map(({ section }) => section)))
  const sectionTexts = sections.map((section) => {
    const lines = pages.filter((page) => page.section === section).map((page) => indexLine(page, docsUrl))
    return `## ${section}\n\n${lines.join("\n")}`
  })
  return `# Latchkey\n\n> ${SUMMARY}\n\n${sectionTexts.join("\n\n")}\n`
}

/** `llms-full.txt`: every page, one after the other. */
export const renderLlmsFull = (pages: ReadonlyArray<DocsPage>, docsUrl: string): string =>
  pages
    .map(({ slug, markdown }) => `<!-- ${docsUrl}/reference/${slug}.md -->\n\n${toAbsoluteLinks(markdown, docsUrl)}`)
    .join("\n\n")

/** Outside its own place a page's links name the whole address. */
const toAbsoluteLinks = (markdown: string, docsUrl: string): string =>
  markdown
    .replaceAll(/\]\(([a-z0-9_-]+\.md(?:#[^)]*)?)\)/g, `](${docsUrl}/reference/$1)`)
    .replaceAll(/\]\(\.\.\//g, `](${docsUrl}/`)
