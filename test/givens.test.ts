import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { findParameterConditions } from "./support/givens.ts"
import { SOURCE_FILES, SRC_FOLDER } from "./support/module-map.ts"

/** The one that tells a value from what stands for it. */
const TELLS = join(SRC_FOLDER, "platform/database/forms.ts")

const example = join(import.meta.dirname, "support/deciding.ts")

it("no form of a statement is decided by what a value is, only by whether there is one", () => {
  const found = findParameterConditions([
    example,
    ...SOURCE_FILES.map((file) => join(SRC_FOLDER, file)).filter((file) => file !== TELLS)
  ])
  const mustNot = readFileSync(example, "utf8")
    .split("\n")
    .flatMap((line, at) => (line.endsWith("// must not") ? [at + 1] : []))
  assert.deepStrictEqual(
    Array.from(new Set(found.filter(({ file }) => file === example).map(({ line }) => line))),
    mustNot
  )
  assert.deepStrictEqual(
    found.filter(({ file }) => file !== example),
    []
  )
})
