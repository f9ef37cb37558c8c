import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Predicate } from "effect"
import { RELEASES } from "../../../../src/contract/releases.ts"
import { describeOperations } from "../../../../src/transports/docs/operation-descriptions.ts"
import { toFieldRows } from "../../../../src/transports/docs/site/schema-text.ts"
import { DOCS_FOLDER } from "../../../support/transports/docs/site/code-blocks.ts"

// Tables of the guides that are lists elsewhere: written from those with UPDATE_DOCS=1, and else held to them.

const deprecated = describeOperations().flatMap(({ name, fields, resultSchema: answer }) => [
  ...fields
    .filter(({ schema, isImmutable }) => schema["deprecated"] === true && !isImmutable)
    .map((field) => `| [${name}](http://127.0.0.1:8080/docs/reference/${name}.md) | \`${field.name}\` |`),
  ...toFieldRows(answer)
    .filter(({ isDeprecated }) => isDeprecated)
    .map(({ path }) => `| [${name}](http://127.0.0.1:8080/docs/reference/${name}.md) | \`${path}\` of the answer |`)
])

const TABLES: Readonly<Record<string, ReadonlyArray<readonly [head: string, rows: ReadonlyArray<string>]>>> = {
  "reference/versioning.md": [
    ["| operation | field |\n|---|---|\n", deprecated],
    [
      "| release | day | change |\n|---|---|---|\n",
      RELEASES.map(({ version, date, change }) => `| ${version} | ${date ?? ""} | ${change} |`)
    ]
  ]
}

/** The text with these rows below the head of a table, in the place of those there. */
const withRows = (text: string, head: string, rows: ReadonlyArray<string>): string => {
  const begin = text.indexOf(head) + head.length
  assert.isAtLeast(begin, head.length, `there is no table ${head}`)
  const rest = text.slice(begin).replace(/^(?:\|.*\n)*/, "")
  return `${text.slice(0, begin)}${rows.map((row) => `${row}\n`).join("")}${rest}`
}

for (const [file, tables] of Object.entries(TABLES)) {
  it(`${file} has the tables of the service (write them with UPDATE_DOCS=1)`, () => {
    const path = join(DOCS_FOLDER, file)
    const text = readFileSync(path, "utf8")
    const wanted = tables.reduce((so, [head, rows]) => withRows(so, head, rows), text)
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(path, wanted)
    else assert.strictEqual(text, wanted)
  })
}

it("the releases go back from the newest, a day after the other", () => {
  const days = RELEASES.flatMap(({ date }) => (Predicate.isString(date) ? [date] : []))
  assert.deepStrictEqual(days, days.toSorted().toReversed())
  const versions = RELEASES.map(({ version }) =>
    version
      .split(".")
      .map((part) => part.padStart(3, "0"))
      .join(".")
  )
  assert.deepStrictEqual(versions, versions.toSorted().toReversed())
})
