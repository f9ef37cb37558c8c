import { existsSync, readFileSync } from "node:fs"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { describeOperations } from "../../../../src/transports/docs/operation-descriptions.ts"
import { OPERATION_TAGS } from "../../../../src/transports/docs/operation-tags.ts"
import { ADMINISTRATOR_FILES, EXAMPLE_FILES, readGuides } from "../../../../src/transports/docs/site/guides.ts"
import { toAnchor } from "../../../../src/transports/docs/site/markdown.ts"
import { DOCS_FOLDER, SITE_ASSETS } from "../../../../src/transports/docs/site/site-assets.ts"
import { listPages, listSiteFiles, type SiteSettings } from "../../../../src/transports/docs/site/site-files.ts"
import { listCodeBlocks } from "../../../support/transports/docs/site/code-blocks.ts"

// The site as files, without a browser: what there is, and that every link in it leads somewhere.

const DOCS_URL = "https://docs.example.com"

const settings: SiteSettings = {
  publicUrl: "https://api.example.com",
  docsUrl: DOCS_URL,
  deployment: "international",
  guides: await Effect.runPromise(
    Effect.provide(readGuides(DOCS_FOLDER, "https://api.example.com"), NodeServices.layer)
  ),
  apiBaseUrl: undefined
}

const files = new Map(Array.from(listSiteFiles(settings), ([name, write]) => [name, write().text]))
const pages = listPages(settings)
const names = new Set([
  ...files.keys(),
  ...Array.from(SITE_ASSETS.keys(), (name) => `assets/${name}`),
  ...EXAMPLE_FILES.map((name) => `examples/${name}`)
])

const idsIn = (html: string): ReadonlySet<string> =>
  new Set(Array.from(html.matchAll(/ id="([^"]*)"/g), ([, id = ""]) => id))

/** Where a link of a page leads, seen from the root; undefined: elsewhere. */
const targetOf = (from: string, href: string): { readonly name: string; readonly anchor: string } | undefined => {
  if (/^[a-z]+:/.test(href)) return undefined
  const { pathname, hash } = new URL(href, `https://site.example/${from}`)
  return { name: decodeURIComponent(pathname.slice(1)) || "index.html", anchor: hash.slice(1) }
}

const deadIn = (from: string, hrefs: Iterable<string>): ReadonlyArray<string> =>
  Array.from(hrefs).filter((href) => {
    const target = targetOf(from, href)
    if (target === undefined) return false
    const page = files.get(target.name)
    if (!names.has(target.name)) return true
    return target.anchor !== "" && page !== undefined && !idsIn(page).has(target.anchor)
  })

const LINK = /\]\(([^)\s]+)\)/g

/** Of Markdown: a page's name, or a heading of it. */
const deadInMarkdown = (from: string, markdown: string): ReadonlyArray<string> =>
  Array.from(markdown.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(LINK), ([, href = ""]) => href).filter((href) => {
    const target = targetOf(from, href)
    if (target === undefined) return false
    if (!names.has(target.name)) return true
    const headings = (files.get(target.name) ?? "").matchAll(/^#+ (.+)$/gm)
    return (
      target.anchor !== "" && !Array.from(headings, ([, heading = ""]) => toAnchor(heading)).includes(target.anchor)
    )
  })

describe("the documentation", () => {
  it("has a page for every operation and every tool, and one for all tools", () => {
    for (const { name } of describeOperations()) assert.isTrue(files.has(`reference/${name}.md`), name)
    assert.isTrue(files.has("reference/mcp-tools-reference.md"))
    const tools = describeOperations().filter(({ tool }) => tool !== undefined)
    const catalogue = files.get("reference/mcp-tools-reference.md") ?? ""
    assert.lengthOf(
      tools.filter(({ name }) => catalogue.includes(`(${name}.md)`)),
      72
    )
  })

  it("has no page under the name of another", () => {
    const slugs = pages.map(({ slug }) => slug)
    assert.deepStrictEqual(slugs, Array.from(new Set(slugs)))
  })

  it("has no part of guides under the name of a part of operations", () => {
    const parts = new Set(settings.guides.map(({ section }) => section))
    assert.deepStrictEqual(
      OPERATION_TAGS.filter(({ title }) => parts.has(title)),
      []
    )
  })

  it("has each page as HTML and as Markdown", () => {
    for (const { slug, title, description } of pages) {
      const html = files.get(`reference/${slug}.html`) ?? ""
      assert.include(html, "<h1 ", slug)
      assert.match(files.get(`reference/${slug}.md`) ?? "", /^# /, slug)
      assert.isAtLeast(description.length, 10, slug)
      assert.isAtMost(description.length, 160, slug)
      assert.isNotEmpty(title)
    }
  })

  it("has no dead link", () => {
    for (const [name, text] of files) {
      if (!name.endsWith(".html")) continue
      const hrefs = Array.from(text.matchAll(/ (?:href|src)="([^"]*)"/g), ([, href = ""]) => href)
      assert.deepStrictEqual(deadIn(name, hrefs), [], name)
    }
  })

  it("has no dead link in Markdown", () => {
    for (const [name, text] of files)
      if (name.endsWith(".md")) assert.deepStrictEqual(deadInMarkdown(name, text), [], name)
  })

  it("shows what looks like HTML in a contract as the words it is", () => {
    assert.include(files.get("reference/create_staff.html") ?? "", "+&lt;country code&gt; &lt;number&gt;")
    for (const [name, text] of files) if (name.endsWith(".html")) assert.notMatch(text, /<(?:country|number)[ >]/, name)
  })

  it("loads nothing from anywhere else", () => {
    for (const [name, text] of files) {
      if (!name.endsWith(".html")) continue
      const loaded = Array.from(text.matchAll(/<(?:script|link|img|iframe)[^>]* (?:src|href)="([^"]*)"/g))
      for (const [, source = ""] of loaded) assert.notMatch(source, /^(?:[a-z]+:)?\/\//, name)
    }
  })

  it("tells agents of each page in a line: its name, its address, a word about it", () => {
    const index = files.get("llms.txt") ?? ""
    const lines = index.split("\n").filter((line) => line.startsWith("- "))
    assert.lengthOf(lines, pages.length)
    for (const line of lines) {
      const [, slug = ""] =
        /^- \[[^\]]+\]\(https:\/\/docs\.example\.com\/reference\/([a-z_-]+)\.md\): \S.*$/.exec(line) ?? []
      assert.isTrue(files.has(`reference/${slug}.md`), line)
    }
    const full = files.get("llms-full.txt") ?? ""
    for (const { title } of pages) assert.include(full, `# ${title}\n`)
    assert.notMatch(full, /\]\((?!https?:|#)/)
  })

  it("names the address at which it is read, and no other", () => {
    for (const [name, text] of files)
      assert.notInclude(text.replaceAll(/"url": "http:\/\/127[^"]*"/g, ""), "127.0.0.1:8080/v3", name)
  })

  it("shows JSON that can be read", () => {
    for (const { slug, markdown } of pages) {
      for (const { language, text } of listCodeBlocks(markdown)) {
        if (language !== "json") continue
        // Some show a message a line.
        const parts = text.startsWith("{\n") || !text.trim().includes("\n{") ? [text] : text.trim().split("\n")
        for (const part of parts) assert.doesNotThrow(() => JSON.parse(part), undefined, undefined, `${slug}: ${part}`)
      }
    }
  })

  it("leaves out pages for administrators that docs has, and the links to them", () => {
    for (const name of ADMINISTRATOR_FILES) {
      assert.isTrue(existsSync(`${DOCS_FOLDER}/${name}`), name)
      assert.isFalse(files.has(`reference/${name}`), name)
    }
    assert.include(readFileSync(`${DOCS_FOLDER}/settings.md`, "utf8"), "[secrets in the database](secrets.md)")
    assert.include(files.get("reference/settings.md") ?? "", "that seal secrets in the database, separated")
  })

  it("links from the files of docs to files that are there", () => {
    for (const name of EXAMPLE_FILES) assert.isTrue(existsSync(`${DOCS_FOLDER}/examples/${name}`))
    assert.include(readFileSync(`${DOCS_FOLDER}/channels.md`, "utf8"), "(examples/connector.mjs)")
  })
})
