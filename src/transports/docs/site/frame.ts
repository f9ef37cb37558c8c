import { type Html, html, nothing } from "../html.ts"
import type { Listed } from "./page.ts"

// What stands around every page of the site: its name, the list of pages, search, and the switch between light and dark. All of it
// works without scripts but for the last two.

interface Framed {
  readonly title: string
  readonly description: string
  readonly body: Html
  /** From the page to where the site begins, with its slash at the end. */
  readonly root: "" | "../"
  /** Which page of the list this is. */
  readonly slug: string | undefined
  readonly list: ReadonlyArray<Listed>
  /** Scripts of the page's own, below the root. */
  readonly scripts?: ReadonlyArray<string>
  /** Scripts of packages that are no modules, which run before. */
  readonly libraries?: ReadonlyArray<string>
  readonly styles?: ReadonlyArray<string>
}

const sectionsOf = (list: ReadonlyArray<Listed>): ReadonlyMap<string, ReadonlyArray<Listed>> => {
  const sections = new Map<string, Array<Listed>>()
  for (const page of list) sections.set(page.section, [...(sections.get(page.section) ?? []), page])
  return sections
}

const entry = ({ slug, title }: Listed, root: string, current: string | undefined): Html =>
  html`<li><a href="${root}reference/${slug}.html"${slug === current ? { html: ' aria-current="page"' } : nothing}>${title}</a></li>`

const listOf = ({ list, root, slug }: Framed): Html => {
  const sections = Array.from(sectionsOf(list), ([section, pages], at) => {
    const isOpen = slug === undefined ? at === 0 : pages.some((page) => page.slug === slug)
    return html`<details${isOpen ? { html: " open" } : nothing}><summary>${section}</summary>
<ul>${pages.map((page) => entry(page, root, slug))}</ul></details>\n`
  })
  return html`<nav id="pages" aria-label="Pages">
<ul><li><a href="${root}index.html">Overview</a></li><li><a href="${root}try.html">Try it</a></li></ul>
${sections}</nav>`
}

const script = (root: string, name: string): Html => html`<script type="module" src="${root}assets/${name}"></script>\n`
const library = (root: string, name: string): Html => html`<script src="${root}assets/${name}" defer></script>\n`
const style = (root: string, name: string): Html => html`<link rel="stylesheet" href="${root}assets/${name}">\n`

/** A whole page of the site. */
export const framed = (page: Framed): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${page.description}">
<title>${page.title} · Latchkey</title>
<link rel="icon" href="data:,">
${style(page.root, "site.css")}${(page.styles ?? []).map((name) => style(page.root, name))}<script src="${page.root}assets/theme.js"></script>
${(page.libraries ?? []).map((name) => library(page.root, name))}${["site.js", ...(page.scripts ?? [])].map((name) => script(page.root, name))}</head>
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
<details class="menu"><summary>Pages</summary>${listOf(page)}</details>
<main id="main">
${page.body}
</main>
</div>
</body>
</html>
`
