import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"

const root = join(import.meta.dirname, "../..")
const pagesFolder = join(root, "docs/hosts")
const consoleFolder = join(root, "src/transports/console")

const consoleSource = readdirSync(consoleFolder, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.(ts|js)$/.test(file))
  .map((file) => readFileSync(join(consoleFolder, file), "utf8"))
  .join("\n")

/** Joins the lines of a wrapped text and drops the "…" of a button that opens a form. */
const toLabel = (text: string): string => text.replaceAll(/\s+/g, " ").trim().replace(/…$/, "")

// Only whole strings and whole texts of HTML elements count, because a part of one or a comment is no label.
const consoleLabels = new Set(
  Array.from(consoleSource.matchAll(/(?<=["`>}])[^"`<>{}]+(?=["`<$])/g), ([text]) => toLabel(text))
)

const listBoldTexts = (page: string): ReadonlyArray<string> =>
  Array.from(
    readFileSync(join(pagesFolder, page), "utf8")
      .replaceAll(/^```[\s\S]*?^```$/gm, "")
      .matchAll(/\*\*([^*]+)\*\*/g),
    ([, text = ""]) => text
  )

describe("docs/hosts", () => {
  it.each(readdirSync(pagesFolder))("%s names labels that the console shows", (page) => {
    const boldTexts = listBoldTexts(page)
    assert.isNotEmpty(boldTexts)
    assert.deepStrictEqual(
      boldTexts.filter((text) => !consoleLabels.has(toLabel(text))),
      []
    )
  })
})
