import type { DocsPage } from "./docs-page.ts"

const SUMMARY =
  "The open API of a property-management service for short-stay hosts: REST under /v3 and an MCP endpoint whose 72 tools are the same operations."

const indexLine = ({ slug, title, description }: DocsPage, docsUrl: string): string =>
  `- [${title}](${docsUrl}/reference/${slug}.md): ${description.replace(/[.:]$/, "")}`

/** Returns `llms.txt` (specification, Machine-readable resources): a line with an absolute link for each page. */
export const renderLlmsIndex = (pages: ReadonlyArray<DocsPage>, docsUrl: string): string => {
  const sections = Array.from(new Set(pages.map(({ section }) => section)))
  const sectionTexts = sections.map((section) => {
    const lines = pages.filter((page) => page.section === section).map((page) => indexLine(page, docsUrl))
    return `## ${section}\n\n${lines.join("\n")}`
  })
  return `# Latchkey\n\n> ${SUMMARY}\n\n${sectionTexts.join("\n\n")}\n`
}

export const renderLlmsFull = (pages: ReadonlyArray<DocsPage>, docsUrl: string): string =>
  pages
    .map(({ slug, markdown }) => `<!-- ${docsUrl}/reference/${slug}.md -->\n\n${toAbsoluteLinks(markdown, docsUrl)}`)
    .join("\n\n")

const toAbsoluteLinks = (markdown: string, docsUrl: string): string =>
  markdown
    .replaceAll(/\]\(([a-z0-9_-]+\.md(?:#[^)]*)?)\)/g, `](${docsUrl}/reference/$1)`)
    .replaceAll(/\]\(\.\.\//g, `](${docsUrl}/`)
