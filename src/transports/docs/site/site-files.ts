import type { DeploymentName } from "../../../platform/installation.ts"
import { type Html, html, nothing } from "../html.ts"
import { openApiDocument } from "../openapi/openapi-document.ts"
import { describeOperations } from "../operation-descriptions.ts"
import { findExample } from "../operation-examples.ts"
import { OPERATION_TAGS, type OperationTag } from "../operation-tags.ts"
import type { DocsPage, DocsPageSummary } from "./docs-page.ts"
import { renderLlmsFull, renderLlmsIndex } from "./llms-text.ts"
import { renderMarkdown } from "./markdown.ts"
import { renderOperationPage } from "./operation-page.ts"
import { renderDocsFrame } from "./page-frame.ts"
import { renderToolsPage } from "./tools-page.ts"

// The whole documentation, a file an address: served below /docs, or written into a folder. Links within it are relative, so it may
// lie anywhere.

interface SiteFile {
  readonly contentType: string
  readonly text: string
}

export interface SiteSettings {
  readonly publicUrl: string
  /** Where it is read: what `llms.txt` names. */
  readonly docsUrl: string
  readonly deployment: DeploymentName
  readonly guides: ReadonlyArray<DocsPage>
  /** Where the console calls, seen from its page; undefined: it is elsewhere, and takes calls of its own pages alone. */
  readonly apiBaseUrl: string | undefined
}

const HTML = "text/html; charset=utf-8"
const MARKDOWN = "text/markdown; charset=utf-8"
const TEXT = "text/plain; charset=utf-8"
const JSON_TYPE = "application/json"

/** Operations under the names of their tags, in the order of those. */
const renderOperationPages = ({ publicUrl, deployment }: SiteSettings): ReadonlyArray<DocsPage> => {
  const sectionOrder = new Map(OPERATION_TAGS.map(({ title }, order) => [title, order]))
  const sectionIndex = ({ section }: DocsPage): number => sectionOrder.get(section) ?? OPERATION_TAGS.length
  return describeOperations(deployment)
    .map((operation) => renderOperationPage(operation, publicUrl, findExample(operation.name, deployment)))
    .toSorted((one, other) => sectionIndex(one) - sectionIndex(other))
}

export const listPages = (settings: SiteSettings): ReadonlyArray<DocsPage> => [
  ...settings.guides,
  renderToolsPage(),
  ...renderOperationPages(settings)
]

const renderPageHtml = (page: DocsPage, pageList: ReadonlyArray<DocsPageSummary>): string =>
  renderDocsFrame({
    title: page.title,
    description: page.description,
    body: html`${renderMarkdown(page.markdown).body}
<p class="soft"><a href="${page.slug}.md">This page as Markdown</a></p>`,
    root: "../",
    slug: page.slug,
    pageList
  }).html

const pageCard = ({ slug, title, description }: DocsPageSummary): Html =>
  html`<li><a href="reference/${slug}.html">${title}</a><p class="soft">${description}</p></li>`

const renderOverview = (pageList: ReadonlyArray<DocsPageSummary>, { publicUrl }: SiteSettings): string => {
  const sections = Array.from(new Set(pageList.map(({ section }) => section)))
  const isGuide = (section: string) => !OPERATION_TAGS.some(({ title }) => title === section)
  const cards = sections.filter(isGuide).map(
    (section) => html`<h2>${section}</h2>
<ul class="cards">${pageList.filter((page) => page.section === section).map(pageCard)}</ul>`
  )
  const operationLinks = ({ title, description }: OperationTag): Html => {
    const links = pageList.filter((page) => page.section === title)
    return html`<h3>${title}</h3>
<p class="soft">${description}</p>
<p>${links.map(({ slug }) => html`<a class="operation" href="reference/${slug}.html">${slug}</a> `)}</p>`
  }
  return renderDocsFrame({
    title: "Documentation",
    description: "The open API of a property-management service for short-stay hosts.",
    body: html`<h1>Latchkey</h1>
<p>The open API of a property-management service for short-stay hosts. Software and agents work with properties, reservations,
calendars, prices, money, guests, staff and tasks: by REST at <code>${publicUrl}/v3</code>, and by MCP at
<code>${publicUrl}/mcp</code>.</p>
${cards}
<h2>Operations</h2>
${OPERATION_TAGS.map(operationLinks)}
<h2>For machines</h2>
<ul>
<li><a href="llms.txt">llms.txt</a>, <a href="llms-full.txt">llms-full.txt</a>; every page is Markdown too, <code>.md</code> for <code>.html</code></li>
<li><a href="openapi.json">OpenAPI 3.1</a></li>
<li><a href="reference/mcp-tools-reference.md">The tools</a></li>
</ul>`,
    root: "",
    slug: undefined,
    pageList
  }).html
}

const TRY_PAGE_FRAME = {
  title: "Try it",
  description: "Call the service from the browser.",
  root: "",
  slug: undefined
} as const

/** The page on which a reader calls the service; `token` is filled in. */
export const renderTryPage = (
  pageList: ReadonlyArray<DocsPageSummary>,
  { apiBaseUrl, publicUrl }: SiteSettings,
  token?: string
): string =>
  apiBaseUrl === undefined ? renderTryPageLink(pageList, publicUrl) : renderApiConsole(pageList, apiBaseUrl, token)

/** Files of another site show the way: the service takes calls of its own pages alone. */
const renderTryPageLink = (pageList: ReadonlyArray<DocsPageSummary>, publicUrl: string): string =>
  renderDocsFrame({
    ...TRY_PAGE_FRAME,
    pageList,
    body: html`<h1>Try it</h1>
<p>The console is at the service: <a href="${publicUrl}/docs/try.html">${publicUrl}/docs/try.html</a>.</p>`
  }).html

const renderApiConsole = (
  pageList: ReadonlyArray<DocsPageSummary>,
  server: string,
  token: string | undefined
): string =>
  renderDocsFrame({
    ...TRY_PAGE_FRAME,
    pageList,
    body: html`<h1>Try it</h1>
<p>${token === undefined ? "Choose Authorize and paste an access token of your console as accessToken." : "The demo operator's token is filled in: everything here works on its records."}
Calls are real: what they change is changed.</p>
<div id="console" data-server="${server}"${token === undefined ? nothing : html` data-token="${token}"`}></div>
<noscript><p>This page needs JavaScript; the others do not.</p></noscript>`,
    styles: ["swagger-ui.css"],
    libraries: ["swagger-ui.js"],
    scripts: ["try.js"]
  }).html

/** A row a heading, with the text below it: what a reader finds by words. */
interface SearchEntry {
  readonly id: number
  readonly title: string
  readonly heading: string
  readonly text: string
  readonly href: string
}

const stripTags = (text: string): string => text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ")

const READ_OPERATION = /^(?:search|query|get|list)_(.+)$/

/** What else readers call an operation that reads: the public documentation says `search_` of some, the specification `query_`. */
const nameVariants = (slug: string): string => {
  const [, subject] = READ_OPERATION.exec(slug) ?? []
  return subject === undefined ? "" : ["search", "query", "get", "list"].map((verb) => `${verb} ${subject}`).join(", ")
}

const HEADING = /<h[1-6] id="([^"]*)">(.*?)<\/h[1-6]>/

const toSearchEntries = ({ slug, title, description, markdown }: DocsPage): ReadonlyArray<Omit<SearchEntry, "id">> =>
  renderMarkdown(markdown)
    .body.html.split(/(?=<h[1-6] id=)/)
    .map((part) => {
      const [headingTag = "", anchor = "", heading = title] = HEADING.exec(part) ?? []
      return {
        title,
        heading: stripTags(heading).trim(),
        // The page's own row has its sentence a second time: what a page is about counts more than what it says in passing.
        text: `${heading === title || anchor === "" ? `${description} ${nameVariants(slug)}` : ""} ${stripTags(part.slice(headingTag.length))}`,
        href: `reference/${slug}.html${anchor === "" ? "" : `#${anchor}`}`
      }
    })

const renderSearchIndex = (pages: ReadonlyArray<DocsPage>): string =>
  JSON.stringify(pages.flatMap(toSearchEntries).map((row, id): SearchEntry => ({ id, ...row })))

/** Every file but those of `assets` and `examples`, each written when it is first wanted. */
export const listSiteFiles = (settings: SiteSettings): ReadonlyMap<string, () => SiteFile> => {
  const pages = listPages(settings)
  const pageList: ReadonlyArray<DocsPageSummary> = pages
  const { docsUrl, deployment, publicUrl } = settings
  const lazyFile = (contentType: string, text: () => string) => () => ({ contentType, text: text() })
  return new Map([
    ["index.html", lazyFile(HTML, () => renderOverview(pageList, settings))],
    ["try.html", lazyFile(HTML, () => renderTryPage(pageList, settings))],
    ["llms.txt", lazyFile(TEXT, () => renderLlmsIndex(pages, docsUrl))],
    ["llms-full.txt", lazyFile(TEXT, () => renderLlmsFull(pages, docsUrl))],
    ["search.json", lazyFile(JSON_TYPE, () => renderSearchIndex(pages))],
    ["openapi.json", lazyFile(JSON_TYPE, () => JSON.stringify(openApiDocument(deployment, publicUrl)))],
    ...pages.flatMap(
      (page): ReadonlyArray<[string, () => SiteFile]> => [
        [`reference/${page.slug}.html`, lazyFile(HTML, () => renderPageHtml(page, pageList))],
        [`reference/${page.slug}.md`, lazyFile(MARKDOWN, () => page.markdown)]
      ]
    )
  ])
}
