import { existsSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import packageJson from "../../package.json" with { type: "json" }
import { ROOT, textOf } from "./handed-over.ts"

// What the pages for those who run, report and contribute say of the checkout is so.

const PAGES = [
  "README.md",
  "SECURITY.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "docs/README.md",
  "docs/operate/install.md",
  "docs/reference/settings.md",
  "docs/contribute/glossary.md"
]

/** Where a page's links lead within the checkout, seen from its top. */
const linksOf = (page: string) =>
  Array.from(textOf(page).matchAll(/\]\((?!https?:)([^)#]*)(#[^)]*)?\)/g), ([, path = "", anchor = ""]) => ({
    path: path === "" ? page : join(dirname(page), path),
    anchor: anchor.slice(1)
  }))

/** The anchors of a page's headings, as they are made of them. */
const anchorsOf = (page: string) =>
  Array.from(textOf(page).matchAll(/^#+ (.+)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll("`", "")
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-")
  )

/** Paths that a page names in its own words. */
const namedIn = (page: string) =>
  Array.from(
    textOf(page).matchAll(/`((?:\.ci|bin|deploy|docs|migrations|src|test|bench)\/[\w./-]+)`/g),
    ([, path = ""]) => path
  )

describe("the pages of who takes over", () => {
  it("name files that there are", () => {
    for (const page of PAGES) {
      const paths = [...linksOf(page).map(({ path }) => path), ...namedIn(page)]
      assert.isAbove(paths.length, 0, page)
      for (const path of paths) assert.isTrue(existsSync(join(ROOT, path)), `${page} names ${path}`)
    }
  })

  it("lead to headings that there are", () => {
    for (const page of PAGES) {
      for (const { path, anchor } of linksOf(page)) {
        if (anchor !== "") assert.include(anchorsOf(path), anchor, `${page} leads to ${path}`)
      }
    }
  })

  it("name scripts of package.json", () => {
    for (const page of PAGES) {
      for (const [, script = ""] of textOf(page).matchAll(/`npm run ([a-z]+)/g)) {
        assert.property(packageJson.scripts, script, page)
      }
    }
  })

  it("keep the README short, and list every document", () => {
    assert.isAtMost(textOf("README.md").split("\n").length, 120)
    assert.isAtMost(linksOf("README.md").length, 25)
    const listed = linksOf("docs/README.md").map(({ path }) => path)
    // docs/adr/README.md lists the ADRs.
    const pages = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" }).filter(
      (name) => name.endsWith(".md") && name !== "README.md" && !/^adr\/\d/.test(name)
    )
    for (const page of pages) assert.include(listed, join("docs", page))
  })

  it("tell the release", () => {
    const releases = Array.from(textOf("CHANGELOG.md").matchAll(/^## \[([^\]]+)\]/gm), ([, release]) => release)
    assert.deepStrictEqual(releases.slice(0, 2), ["Unreleased", packageJson.version])
    assert.include(textOf("deploy/compose.yaml"), `image: latchkey:${packageJson.version}`)
    assert.include(textOf("docs/operate/install.md"), `version=${packageJson.version}\n`)
  })
})
