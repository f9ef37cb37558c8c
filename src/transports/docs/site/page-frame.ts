import { type Html, html, nothing } from "../html.ts"
import type { DocsPageSummary } from "./docs-page.ts"

interface DocsFrame {
  readonly title: string
  readonly description: string
  readonly body: Html
  /** The path from the page to the root of the site. */
  readonly root: "" | "../"
  /** The slug to highlight in the list of pages. */
  readonly slug: string | undefined
  readonly pageList: ReadonlyArray<DocsPageSummary>
  /** Modules of `assets`. */
  readonly scripts?: ReadonlyArray<string>
  /** Classic scripts of `assets`, which run before the modules. */
  readonly libraries?: ReadonlyArray<string>
  /** Style sheets of `assets` besides `site.css`. */
  readonly styles?: ReadonlyArray<string>
}

const groupBySection = (
  pageList: ReadonlyArray<DocsPageSummary>
): ReadonlyMap<string, ReadonlyArray<DocsPageSummary>> => {
  const sections = new Map<string, Array<DocsPageSummary>>()
  for (const page of pageList) sections.set(page.section, [...(sections.get(page.section) ?? []), page])
  return sections
}

const breakableName = (name: string): Html => ({ html: html`${name}`.html.replaceAll("_", "_<wbr>") })

const pageLink = ({ slug, title }: DocsPageSummary, root: string, currentSlug: string | undefined): Html =>
  html`<li><a href="${root}reference/${slug}.html"${slug === currentSlug ? { html: ' aria-current="page"' } : nothing}>${breakableName(title)}</a></li>`

const navigation = ({ pageList, root, slug }: DocsFrame): Html => {
  const sections = Array.from(groupBySection(pageList), ([section, pages], index) => {
    const isOpen = slug === undefined ? index === 0 : pages.some((page) => page.slug === slug)
    return html`<details${isOpen ? { html: " open" } : nothing}><summary>${section}</summary>
<ul>${pages.map((page) => pageLink(page, root, slug))}</ul></details>\n`
  })
  return html`<nav id="pages" aria-label="Pages">
<ul><li><a href="${root}index.html">Overview</a></li><li><a href="${root}try.html">Try it</a></li></ul>
${sections}</nav>`
}

const moduleScript = (root: string, name: string): Html =>
  html`<script type="module" src="${root}assets/${name}"></script>\n`
const classicScript = (root: string, name: string): Html => html`<script src="${root}assets/${name}" defer></script>\n`
const stylesheetLink = (root: string, name: string): Html =>
  html`<link rel="stylesheet" href="${root}assets/${name}">\n`

export const renderDocsFrame = (page: DocsFrame): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${page.description}">
<title>${page.title} · Latchkey</title>
<link rel="icon" href="data:,">
${stylesheetLink(page.root, "site.css")}${(page.styles ?? []).map((name) => stylesheetLink(page.root, name))}<script src="${page.root}assets/theme.js"></script>
${(page.libraries ?? []).map((name) => classicScript(page.root, name))}${["site.js", ...(page.scripts ?? [])].map((name) => moduleScript(page.root, name))}</head>
<body data-root="${page.root}">
<a class="skip" href="#main">To the text</a>
<header>
<a class="name" href="${page.root}index.html">Latchkey</a>
<div class="search" role="search" hidden>
<input type="search" id="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off" spellcheck="false" maxlength="100">
<ul id="found" aria-live="polite" hidden></ul>
</div>
<button type="button" id="theme" hidden>Dark</button>
</header>
<div class="house">
<details class="menu"><summary>Pages</summary>${navigation(page)}</details>
<main id="main">
${page.body}
</main>
</div>
</body>
</html>
`

/** The target is in the same folder. */
export const renderRedirect = ({ slug, title, description }: DocsPageSummary): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${description}">
<meta http-equiv="refresh" content="0; url=${slug}.html">
<link rel="canonical" href="${slug}.html">
<title>${title} · Latchkey</title>
</head>
<body>
<h1 id="moved">This page has moved</h1>
<p><a href="${slug}.html">${title}</a></p>
</body>
</html>
`
