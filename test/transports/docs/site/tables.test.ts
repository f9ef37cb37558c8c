import { assert, it } from "@effect/vitest"
import { Predicate } from "effect"
import { RELEASES } from "../../../../src/contract/releases.ts"
import { describeOperations } from "../../../../src/transports/docs/operation-descriptions.ts"
import { markdownTable } from "../../../../src/transports/docs/site/operation-page.ts"
import { toFieldRows } from "../../../../src/transports/docs/site/schema-text.ts"
import { assertGeneratedPart } from "../../../support/generated-page.ts"

const toPageLink = (name: string): string => `[${name}](http://127.0.0.1:8080/docs/reference/${name}.md)`

const deprecated = describeOperations().flatMap(({ name, fields, resultSchema: answer }) => [
  ...fields
    .filter(({ schema, isImmutable }) => schema["deprecated"] === true && !isImmutable)
    .map((field) => [toPageLink(name), `\`${field.name}\``]),
  ...toFieldRows(answer)
    .filter(({ isDeprecated }) => isDeprecated)
    .map(({ path }) => [toPageLink(name), `\`${path}\` of the result`])
])

it("reference/versioning.md lists deprecated fields and releases (write it with UPDATE_DOCS=1)", () => {
  const releases = RELEASES.map(({ version, date, change }) => [version, date ?? "", change])
  assertGeneratedPart("reference/versioning.md", "deprecated", markdownTable(["operation", "field"], deprecated))
  assertGeneratedPart("reference/versioning.md", "releases", markdownTable(["release", "day", "change"], releases))
})

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
