import { existsSync, readFileSync } from "node:fs"
import { dirname } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { toPlainText } from "../../../../src/transports/docs/html.ts"
import { describeOperations } from "../../../../src/transports/docs/operation-descriptions.ts"
import { OPERATION_TAGS } from "../../../../src/transports/docs/operation-tags.ts"
import { EXAMPLE_FILES, GUIDE_SECTIONS, readGuides, toSlug } from "../../../../src/transports/docs/site/guides.ts"
import { renderMarkdown, toAnchor } from "../../../../src/transports/docs/site/markdown.ts"
import { MOVED_PAGES } from "../../../../src/transports/docs/site/moved-pages.ts"
import { DOCS_FOLDER, SITE_ASSETS } from "../../../../src/transports/docs/site/site-assets.ts"
import { listPages, listSiteFiles } from "../../../../src/transports/docs/site/site-files.ts"
import { listCodeBlocks } from "../../../support/transports/docs/site/code-blocks.ts"
import { siteSettings as settings } from "../../../support/transports/docs/site/site-settings.ts"

// The site as files, without a browser.

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

  it("shows no HTML entity as text", () => {
    const entity = /&(?:quot|apos|amp|lt|gt|nbsp|#x?[0-9a-f]+);/
    for (const [name, text] of files) {
      // Renders a page as a browser does. The other files are shown as they are.
      assert.notMatch(name.endsWith(".html") ? toPlainText({ html: text }) : text, entity, name)
    }
  })

  it("shows no backslash in front of words in angle brackets", () => {
    for (const [name, text] of files) {
      if (name.endsWith(".html")) assert.notMatch(text, /\\&lt;/, name)
    }
  })

  it("says the summary of an operation once", () => {
    for (const { name, summary } of describeOperations()) {
      const page = files.get(`reference/${name}.md`) ?? ""
      const repeats = page.split("\n\n").filter((paragraph) => paragraph.replace(/\.$/, "") === summary)
      assert.lengthOf(repeats, 1, name)
    }
  })

  it("shows no brackets around the name of a release", () => {
    const changelog = files.get("reference/changelog.html") ?? ""
    assert.include(changelog, '<h2 id="unreleased">Unreleased</h2>')
    assert.notMatch(changelog, /<h\d[^>]*>\[/)
  })

  it("lets a browser break the names in the list of pages after an underscore", () => {
    assert.include(files.get("index.html") ?? "", ">update_<wbr>reservation_<wbr>custom_<wbr>fields</a>")
  })

  it("replaces links to files that it does not have with their text", () => {
    assert.include(readFileSync(`${DOCS_FOLDER}/reference/settings.md`, "utf8"), "](../operate/security.md")
    assert.isFalse(files.has("reference/security.md"))
    assert.notInclude(files.get("reference/settings.md") ?? "", "security.md")
  })

  it("has the changelog, whose links lead to pages", () => {
    const changelog = files.get("reference/changelog.md") ?? ""
    assert.include(changelog, "## [3.13.0]")
    assert.notMatch(changelog, /\]\((?!https:|[a-z0-9_-]+\.md)/)
  })

  it("numbers the anchors of equal headings", () => {
    assert.strictEqual(
      renderMarkdown("# Added\n\n# Added").html,
      '<h1 id="added">Added</h1>\n<h1 id="added-1">Added</h1>\n'
    )
  })

  it("links from the files of docs to files that are there", () => {
    for (const name of EXAMPLE_FILES) assert.isTrue(existsSync(`${DOCS_FOLDER}/examples/${name}`))
    assert.include(readFileSync(`${DOCS_FOLDER}/guides/connect-a-channel.md`, "utf8"), "(../examples/connector.mjs)")
  })
})

const slugs = GUIDE_SECTIONS.flatMap(([, guides]) => guides.map(toSlug))

/** The pages of the release 3.13.0. */
const FORMER_SLUGS = [
  ...["start-with-rest", "start-with-mcp", "start-with-oauth", "api", "mcp", "oauth", "errors", "limits", "retries"],
  ...["client", "versioning", "webhooks", "verifying-webhooks", "feed", "catching-up", "host-console", "calendars"],
  ...["channels", "guests", "knowledge-base", "automation", "console", "sandbox", "trail", "evaluation", "settings"]
]

/** A folder docs with the files of a layout, each with a link to a file of another folder. */
const readFolderLayout = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  yield* fs.writeFileString(`${folder}/CHANGELOG.md`, "# Changelog\n\nChanges of docs/.\n")
  for (const [, guides] of GUIDE_SECTIONS) {
    for (const file of guides) {
      yield* fs.makeDirectory(dirname(`${folder}/docs/${file}`), { recursive: true })
      const text = `# ${file}\n\nA page.\n\n[errors](../reference/errors.md#codes), [install](../operate/install.md#users),\n[code](../examples/connector.mjs), [changes](../../CHANGELOG.md).\n`
      if (!file.startsWith("..")) yield* fs.writeFileString(`${folder}/docs/${file}`, text)
    }
  }
  return yield* readGuides(`${folder}/docs`, settings.publicUrl)
}).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

describe("the folders of docs", () => {
  it.live("become pages that lie side by side", () =>
    Effect.gen(function* () {
      const guides = yield* readFolderLayout
      const page = guides.find(({ slug }) => slug === "sync-calendars")
      assert.include(page?.markdown ?? "", "[errors](errors.md#codes), install,\n[code](../examples/connector.mjs)")
      assert.include(page?.markdown ?? "", "[changes](changelog.md)")
    })
  )

  it.live("lead from the former address of a page to the present one", () =>
    Effect.gen(function* () {
      const guides = yield* readFolderLayout
      const moved = listSiteFiles({ ...settings, guides })
      for (const slug of FORMER_SLUGS) assert.isTrue(moved.has(`reference/${slug}.html`), slug)
      for (const [formerSlug, slug] of MOVED_PAGES) {
        const redirect = moved.get(`reference/${formerSlug}.html`)?.().text ?? ""
        assert.include(redirect, `content="0; url=${slug}.html"`, formerSlug)
        assert.isTrue(moved.has(`reference/${slug}.html`), slug)
        assert.strictEqual(
          moved.get(`reference/${formerSlug}.md`)?.().text,
          moved.get(`reference/${slug}.md`)?.().text,
          formerSlug
        )
      }
    })
  )

  it("have no two pages of the same name", () => {
    const all = [...slugs, ...describeOperations().map(({ name }) => name), "mcp-tools-reference"]
    assert.deepStrictEqual(all, Array.from(new Set(all)))
  })
})
