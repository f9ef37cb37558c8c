import type { DeploymentName } from "../../../platform/installation.ts"
import { operationsOf } from "../described.ts"
import { exampleOf } from "../examples.ts"
import { type Html, html, nothing } from "../html.ts"
import { openApiDocument } from "../openapi/document.ts"
import { TAGS, type Tag } from "../tags.ts"
import { framed } from "./frame.ts"
import { full, index } from "./llms.ts"
import { rendered } from "./markdown.ts"
import { operationPage } from "./operation-page.ts"
import type { Listed, Page } from "./page.ts"
import { toolsPage } from "./tools-page.ts"

// The whole documentation, a file an address: served below /docs, or written into a folder. Links within it are relative, so it may
// lie anywhere.

export interface SiteFile {
  readonly contentType: string
  readonly text: string
}

export interface SiteSettings {
  readonly publicUrl: string
  /** Where it is read: what `llms.txt` names. */
  readonly docsUrl: string
  readonly deployment: DeploymentName
  readonly guides: ReadonlyArray<Page>
  /** Where the console calls, seen from its page; undefined: it is elsewhere, and takes calls of its own pages alone. */
  readonly server: string | undefined
}

const HTML = "text/html; charset=utf-8"
const MARKDOWN = "text/markdown; charset=utf-8"
const TEXT = "text/plain; charset=utf-8"
const JSON_TYPE = "application/json"

/** Operations under the names of their tags, in the order of those. */
const operationPages = ({ publicUrl, deployment }: SiteSettings): ReadonlyArray<Page> => {
  const places = new Map(TAGS.map(({ title }, place) => [title, place]))
  const placeOf = ({ section }: Page): number => places.get(section) ?? TAGS.length
  return operationsOf(deployment)
    .map((operation) => operationPage(operation, publicUrl, exampleOf(operation.name, deployment)))
    .toSorted((one, other) => placeOf(one) - placeOf(other))
}

export const pagesOf = (settings: SiteSettings): ReadonlyArray<Page> => [
  ...settings.guides,
  toolsPage(),
  ...operationPages(settings)
]

const pageHtml = (page: Page, list: ReadonlyArray<Listed>): string =>
  framed({
    title: page.title,
    description: page.description,
    body: html`${rendered(page.markdown).body}
<p class="soft"><a href="${page.slug}.md">This page as Markdown</a></p>`,
    root: "../",
    slug: page.slug,
    list
  }).html

const card = ({ slug, title, description }: Listed): Html =>
  html`<li><a href="reference/${slug}.html">${title}</a><p class="soft">${description}</p></li>`

const overview = (list: ReadonlyArray<Listed>, { publicUrl }: SiteSettings): string => {
  const sections = Array.from(new Set(list.map(({ section }) => section)))
  const isGuide = (section: string) => !TAGS.some(({ title }) => title === section)
  const cards = sections.filter(isGuide).map(
    (section) => html`<h2>${section}</h2>
<ul class="cards">${list.filter((page) => page.section === section).map(card)}</ul>`
  )
  const linksTo = ({ title, description }: Tag): Html => {
    const links = list.filter((page) => page.section === title)
    return html`<h3>${title}</h3>
<p class="soft">${description}</p>
<p>${links.map(({ slug }) => html`<a class="operation" href="reference/${slug}.html">${slug}</a> `)}</p>`
  }
  return framed({
    title: "Documentation",
    description: "The open API of a property-management service for short-stay hosts.",
    body: html`<h1>Latchkey</h1>
<p>The open API of a property-management service for short-stay hosts. Software and agents work with properties, reservations,
calendars, prices, money, guests, staff and tasks: by REST at <code>${publicUrl}/v3</code>, and by MCP at
<code>${publicUrl}/mcp</code>.</p>
${cards}
<h2>Operations</h2>
${TAGS.map(linksTo)}
<h2>For machines</h2>
<ul>
<li><a href="llms.txt">llms.txt</a>, <a href="llms-full.txt">llms-full.txt</a>; every page is Markdown too, <code>.md</code> for <code>.html</code></li>
<li><a href="openapi.json">OpenAPI 3.1</a></li>
<li><a href="reference/mcp-tools-reference.md">The tools</a></li>
</ul>`,
    root: "",
    slug: undefined,
    list
  }).html
}

const TRY_IT = {
  title: "Try it",
  description: "Call the service from the browser.",
  root: "",
  slug: undefined
} as const

/** The page on which a reader calls the service; `token` is filled in. */
export const tryPage = (list: ReadonlyArray<Listed>, { server, publicUrl }: SiteSettings, token?: string): string =>
  server === undefined ? elsewhere(list, publicUrl) : calling(list, server, token)

/** Files of another site show the way: the service takes calls of its own pages alone. */
const elsewhere = (list: ReadonlyArray<Listed>, publicUrl: string): string =>
  framed({
    ...TRY_IT,
    list,
    body: html`<h1>Try it</h1>
<p>The console is at the service: <a href="${publicUrl}/docs/try.html">${publicUrl}/docs/try.html</a>.</p>`
  }).html

const calling = (list: ReadonlyArray<Listed>, server: string, token: string | undefined): string =>
  framed({
    ...TRY_IT,
    list,
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
interface Found {
  readonly id: number
  readonly title: string
  readonly heading: string
  readonly text: string
  readonly href: string
}

const withoutTags = (text: string): string => text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ")

const READING = /^(?:search|query|get|list)_(.+)$/

/** What else readers call an operation that reads: the public documentation says `search_` of some, the specification `query_`. */
const otherNamesOf = (slug: string): string => {
  const [, what] = READING.exec(slug) ?? []
  return what === undefined ? "" : ["search", "query", "get", "list"].map((verb) => `${verb} ${what}`).join(", ")
}

const HEADING = /<h[1-6] id="([^"]*)">(.*?)<\/h[1-6]>/

const foundIn = ({ slug, title, description, markdown }: Page): ReadonlyArray<Omit<Found, "id">> =>
  rendered(markdown)
    .body.html.split(/(?=<h[1-6] id=)/)
    .map((part) => {
      const [whole = "", anchor = "", heading = title] = HEADING.exec(part) ?? []
      return {
        title,
        heading: withoutTags(heading).trim(),
        // The page's own row has its sentence a second time: what a page is about counts more than what it says in passing.
        text: `${heading === title || anchor === "" ? `${description} ${otherNamesOf(slug)}` : ""} ${withoutTags(part.slice(whole.length))}`,
        href: `reference/${slug}.html${anchor === "" ? "" : `#${anchor}`}`
      }
    })

const searched = (pages: ReadonlyArray<Page>): string =>
  JSON.stringify(pages.flatMap(foundIn).map((row, id): Found => ({ id, ...row })))

/** Every file but those of `assets` and `examples`, each written when it is first wanted. */
export const siteFiles = (settings: SiteSettings): ReadonlyMap<string, () => SiteFile> => {
  const pages = pagesOf(settings)
  const list: ReadonlyArray<Listed> = pages
  const { docsUrl, deployment, publicUrl } = settings
  const file = (contentType: string, text: () => string) => () => ({ contentType, text: text() })
  return new Map([
    ["index.html", file(HTML, () => overview(list, settings))],
    ["try.html", file(HTML, () => tryPage(list, settings))],
    ["llms.txt", file(TEXT, () => index(pages, docsUrl))],
    ["llms-full.txt", file(TEXT, () => full(pages, docsUrl))],
    ["search.json", file(JSON_TYPE, () => searched(pages))],
    ["openapi.json", file(JSON_TYPE, () => JSON.stringify(openApiDocument(deployment, publicUrl)))],
    ...pages.flatMap(
      (page): ReadonlyArray<[string, () => SiteFile]> => [
        [`reference/${page.slug}.html`, file(HTML, () => pageHtml(page, list))],
        [`reference/${page.slug}.md`, file(MARKDOWN, () => page.markdown)]
      ]
    )
  ])
}
