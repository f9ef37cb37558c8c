import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { operations } from "../src/Api.ts"
import { routeOf, summaryOf, toolCardOf } from "../src/contract/operation.ts"

const page = join(import.meta.dirname, "../docs/api.md")
const HEADING = "## Operations\n"

const rows = operations
  .map((operation) => {
    const { method, path } = routeOf(operation)
    const tool = toolCardOf(operation) === undefined ? "" : `\`${operation._tag}\``
    return `| \`${method} ${path}\` | ${summaryOf(operation)} | ${tool} |`
  })
  .toSorted()

const table = ["", "| route below `/v3` | | tool |", "|---|---|---|", ...rows, ""].join("\n")

it("docs/api.md lists every operation (write it with UPDATE_DOCS=1)", () => {
  const text = readFileSync(page, "utf8")
  const wanted = text.slice(0, text.indexOf(HEADING) + HEADING.length) + table
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(page, wanted)
  else assert.strictEqual(text, wanted)
})
