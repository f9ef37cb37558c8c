import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"

/**
 * Asserts that a page of the documentation has `text` between the markers `<!-- name -->` and `<!-- end name -->`. With UPDATE_DOCS=1 it
 * writes the text instead.
 */
export const assertGeneratedPart = (page: string, name: string, text: string): void => {
  const file = join(import.meta.dirname, "../../docs", page)
  const present = readFileSync(file, "utf8")
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- end ${name} -->`]
  const [from, to] = [present.indexOf(begin), present.indexOf(end)]
  assert.isTrue(from >= 0 && to > from, `${page} has no part ${name}`)
  const wanted = `${present.slice(0, from + begin.length)}\n${text}\n\n${present.slice(to)}`
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, wanted)
  else assert.strictEqual(present, wanted)
}
