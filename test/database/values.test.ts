import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { inRow } from "../../src/database/values.ts"

describe("the values of a row", () => {
  const Row = Schema.Struct({ name: Schema.String, note: Schema.String })

  it("are those of its columns, whatever else an object has", () => {
    const more = { name: "Marta", fee: 30, operator_id: 2 }
    assert.deepStrictEqual(inRow(Row, more), { name: "Marta" })
    assert.deepStrictEqual(inRow(Row, { toString: "x" }), {})
  })
})
