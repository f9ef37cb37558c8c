import { assert, it } from "@effect/vitest"
import fc from "fast-check"
import { jsonParameter } from "../../../src/platform/database/parameters.ts"
import { PROPERTY_RUNS } from "../../support/property-runs.ts"

const wellFormed = (_key: string, part: unknown): unknown => (typeof part === "string" ? part.toWellFormed() : part)

it("a JSON parameter replaces lone surrogates and changes nothing else", () => {
  const unit = fc.oneof(
    fc.constantFrom("\ud83d", "\ude4f", "🙏", "\\", "\\ud83d", "u", '"'),
    fc.string({ maxLength: 2 })
  )
  const text = fc.array(unit, { maxLength: 6 }).map((units) => units.join(""))
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom("a", "b"), fc.oneof(text, fc.array(text), fc.integer())), (value) => {
      assert.strictEqual(jsonParameter(value), JSON.stringify(value, wellFormed))
    }),
    { numRuns: PROPERTY_RUNS }
  )
})
