import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { STYLE } from "../../../src/transports/console/style/style.ts"
import { renderPartsPage } from "../../support/transports/console/parts-page.ts"

const EXAMPLES = join(import.meta.dirname, "../../../docs/examples")

/** With UPDATE_DOCS=1 it writes the file instead. */
const assertGeneratedFile = (name: string, text: string): void => {
  const file = join(EXAMPLES, name)
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, text)
  else assert.strictEqual(readFileSync(file, "utf8"), text)
}

describe("the page of the console's parts", () => {
  it("shows the parts as the console has them", () => {
    assertGeneratedFile("console-parts.html", renderPartsPage())
    assertGeneratedFile("console.css", STYLE)
  })
})
