import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { fieldsParameter, selectableListOf, selectResponseFields } from "../../src/contract/field-selection.ts"
import {
  SELECTED_FIELD_NAME_LENGTH,
  SELECTED_FIELDS_MAX,
  SELECTED_FIELDS_TEXT_LENGTH
} from "../../src/platform/limits.ts"

const NAMES = ["id", "title", "total", "guests"]
const Row = Schema.Struct({
  id: Schema.Int,
  title: Schema.String,
  total: Schema.Finite,
  guests: Schema.Array(Schema.String)
})
const Payload = Schema.Struct(fieldsParameter("rows", Row))
const isTaken = (fields: unknown): boolean => Schema.is(Payload)({ fields })

const row = fc.record({ id: fc.integer(), title: fc.string(), total: fc.integer(), guests: fc.array(fc.string()) })
const names = fc.subarray(NAMES, { minLength: 1 })

describe("fields of a list", () => {
  it("are the row restricted to those that are wanted, in its own order; the rest of the answer stays", () => {
    fc.assert(
      fc.property(fc.array(row), names, fc.boolean(), (rows, wanted, isText) => {
        const fields = isText ? wanted.toReversed().join(" , ") : wanted.toReversed()
        assert.isTrue(isTaken(fields))
        const answer = selectResponseFields("rows")({ fields }, { rows, total: 7 })
        const expected = rows.map((each) =>
          Object.fromEntries(Object.entries(each).filter(([name]) => wanted.includes(name)))
        )
        assert.deepStrictEqual(answer, { rows: expected, total: 7 })
        assert.strictEqual(JSON.stringify(answer), JSON.stringify({ rows: expected, total: 7 }))
      })
    )
  })

  it("are all of them where none are named", () => {
    const answer = { rows: [{ id: 1, title: "a" }], total: 1 }
    assert.strictEqual(selectResponseFields("rows")({}, answer), answer)
    assert.isTrue(Schema.is(Payload)({}))
  })

  it("may be named twice, and must be fields of the rows", () => {
    for (const good of ["id", "id,id", " id , title ", ["id", "id"]]) assert.isTrue(isTaken(good), String(good))
    for (const bad of [
      "",
      ",",
      "id,",
      "ID",
      "id title",
      "rows.id",
      "nights",
      [],
      [""],
      ["id,title"],
      ["id", "nights"]
    ]) {
      assert.isFalse(isTaken(bad), JSON.stringify(bad))
    }
  })

  it(`are at most ${SELECTED_FIELDS_MAX} names in a list, and ${SELECTED_FIELDS_TEXT_LENGTH} characters in a text`, () => {
    assert.isTrue(isTaken(Array.from({ length: SELECTED_FIELDS_MAX }, () => "id")))
    assert.isFalse(isTaken(Array.from({ length: SELECTED_FIELDS_MAX + 1 }, () => "id")))
    assert.isTrue(isTaken("id".padEnd(SELECTED_FIELDS_TEXT_LENGTH)))
    assert.isFalse(isTaken("id".padEnd(SELECTED_FIELDS_TEXT_LENGTH + 1)))
    const name = "n".repeat(SELECTED_FIELD_NAME_LENGTH)
    const Long = Schema.Struct(fieldsParameter("rows", Schema.Struct({ [name]: Schema.Int, [`${name}n`]: Schema.Int })))
    assert.isTrue(Schema.is(Long)({ fields: [name] }))
    assert.isFalse(Schema.is(Long)({ fields: [`${name}n`] }))
  })

  it("are found by the payload that has them, and by no other field of that name", () => {
    assert.strictEqual(selectableListOf(Payload.ast), "rows")
    assert.isUndefined(selectableListOf(Schema.Struct({ fields: Schema.String }).ast))
  })
})
