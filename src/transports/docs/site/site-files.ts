import type { DeploymentName } from "../../../platform/installation.ts"
import { type Html, html, nothing } from "../html.ts"
import { openApiDocument } from "../openapi/openapi-document.ts"
import { describeOperations } from "../operation-descriptions.ts"
import { findExample } from "../operation-examples.ts"
import { OPERATION_TAGS, type OperationTag } from "../operation-tags.ts"
import type { DocsPage, DocsPageSummary } from "./docs-page.ts"
import { renderLlmsFull, renderLlmsIndex } from "./llms-text.ts"
import { renderMarkdown } from "./markdown.ts"
import { MOVED_PAGES } from "./moved-pages.ts"
import { renderOperationPage } from "./operation-page.ts"
import { renderDocsFrame, renderRedirect } from "./page-frame.ts"
import { renderSearchIndex } from "./search-index.ts"
import { renderToolsPage } from "./tools-page.ts"

// The documentation as files, which the service serves below /docs and `latchkey docs build` writes to a folder. Links
// are relative, so the site works at any address.

interface SiteFile {
  readonly contentType: string
  readonly text: string
}

const lazyFile = (contentType: string, text: () => string) => (): SiteFile => ({ contentType, text: text() })

export interface SiteSettings {
  readonly publicUrl: string
  /** The address of the site, for the links of `llms.txt`. */
  readonly docsUrl: string
  readonly deployment: DeploymentName
  readonly guides: ReadonlyArray<DocsPage>
  /**
   * The address of the service, relative to the "Try it" page. Undefined if the service does not serve this site,
   * because the service accepts calls only from its own pages.
   */
  readonly apiBaseUrl: string | undefined
}

const HTML = "text/html; charset=utf-8"
const MARKDOWN = "text/markdown; charset=utf-8"
const TEXT = "text/plain; charset=utf-8"
const JSON_TYPE = "application/json"

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
    body: html`${renderMarkdown(page.markdown)}
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
<li><a href="llms.txt">llms.txt</a>, <a href="llms-full.txt">llms-full.txt</a>; each page is also available as Markdown with <code>.md</code> instead of <code>.html</code></li>
<li><a href="openapi.json">OpenAPI 3.1</a></li>
<li><a href="reference/mcp-tools-reference.md">Tools</a></li>
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

/** The page fills in `token`. */
export const renderTryPage = (
  pageList: ReadonlyArray<DocsPageSummary>,
  { apiBaseUrl, publicUrl }: SiteSettings,
  token?: string
): string =>
  apiBaseUrl === undefined ? renderTryPageLink(pageList, publicUrl) : renderApiConsole(pageList, apiBaseUrl, token)

const renderTryPageLink = (pageList: ReadonlyArray<DocsPageSummary>, publicUrl: string): string =>
  renderDocsFrame({
    ...TRY_PAGE_FRAME,
    pageList,
    body: html`<h1>Try it</h1>
<p>Call the service at <a href="${publicUrl}/docs/try.html">${publicUrl}/docs/try.html</a>.</p>`
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
<p>${token === undefined ? "Choose Authorize and paste an access token of your console as accessToken." : "The page uses the access token of the demo operator, so every call works on its records."}
Calls are real: a change stays.</p>
<div id="console" data-server="${server}"${token === undefined ? nothing : html` data-token="${token}"`}></div>
<noscript><p>This page needs JavaScript.</p></noscript>`,
    styles: ["swagger-ui.css", "try.css"],
    libraries: ["swagger-ui.js"],
    scripts: ["try.js"]
  }).html

/** A former address gets HTML that redirects, and the Markdown of the present page. */
const renderMovedPages = (pages: ReadonlyArray<DocsPage>): ReadonlyArray<readonly [string, () => SiteFile]> => {
  const pagesBySlug = new Map(pages.map((page) => [page.slug, page]))
  return MOVED_PAGES.flatMap(([formerSlug, slug]): ReadonlyArray<readonly [string, () => SiteFile]> => {
    const page = pagesBySlug.get(slug)
    if (page === undefined || pagesBySlug.has(formerSlug)) return []
    return [
      [`reference/${formerSlug}.html`, lazyFile(HTML, () => renderRedirect(page).html)],
      [`reference/${formerSlug}.md`, lazyFile(MARKDOWN, () => page.markdown)]
    ]
  })
}

/** Each function renders one file. The files of `assets` and `examples` are not included. */
export const listSiteFiles = (settings: SiteSettings): ReadonlyMap<string, () => SiteFile> => {
  const pages = listPages(settings)
  const pageList: ReadonlyArray<DocsPageSummary> = pages
  const { docsUrl, deployment, publicUrl } = settings
  return new Map([
    ["index.html", lazyFile(HTML, () => renderOverview(pageList, settings))],
    ["try.html", lazyFile(HTML, () => renderTryPage(pageList, settings))],
    ["llms.txt", lazyFile(TEXT, () => renderLlmsIndex(pages, docsUrl))],
    ["llms-full.txt", lazyFile(TEXT, () => renderLlmsFull(pages, docsUrl))],
    ["search.json", lazyFile(JSON_TYPE, () => renderSearchIndex(pages))],
    ["openapi.json", lazyFile(JSON_TYPE, () => JSON.stringify(openApiDocument(deployment, publicUrl)))],
    ...renderMovedPages(pages),
    ...pages.flatMap(
      (page): ReadonlyArray<[string, () => SiteFile]> => [
        [`reference/${page.slug}.html`, lazyFile(HTML, () => renderPageHtml(page, pageList))],
        [`reference/${page.slug}.md`, lazyFile(MARKDOWN, () => page.markdown)]
      ]
    )
  ])
}
