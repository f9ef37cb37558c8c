import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { errorCode } from "../../src/contract/errors.ts"
import { LastChange } from "../../src/contract/fields.ts"
import { editPayloadFields, isImmutableField, makeImmutableFieldCheck } from "../../src/contract/immutable-fields.ts"

const Note = Schema.Struct({
  id: Schema.Int,
  text: Schema.String,
  author: Schema.NullOr(Schema.String),
  kind: Schema.Literals(["open", "closed"]),
  marks: Schema.Array(Schema.Struct({ at: Schema.Int, word: Schema.String }))
})
const payload = Schema.Struct(editPayloadFields(Note, { id: Schema.Int, text: Schema.optionalKey(Schema.String) }))
const judge = makeImmutableFieldCheck(payload)
const FIXED = ["author", "kind", "marks"]

const note = fc.record({
  id: fc.constant(1),
  text: fc.string(),
  author: fc.option(fc.string()),
  kind: fc.constantFrom("open", "closed"),
  marks: fc.array(fc.record({ at: fc.integer(), word: fc.string() }), { maxLength: 3 })
})

describe("what an edit cannot change", () => {
  it("is every field of the record that the edit does not set", () => {
    const fields: Schema.Struct.Fields = payload.fields
    assert.deepStrictEqual(
      Object.keys(fields).filter((name) => isImmutableField(fields[name] ?? Schema.Never)),
      FIXED
    )
    assert.sameMembers(Object.keys(fields), Object.keys(Note.fields))
  })

  it("is taken as it is, whatever else of the record comes with it", () => {
    fc.assert(
      fc.property(note, fc.subarray(Object.keys(Note.fields)), (shown, names) => {
        const sent = Object.entries(structuredClone(shown)).filter(([name]) => names.includes(name))
        assert.isTrue(Result.isSuccess(judge(shown, Object.fromEntries(sent))))
      })
    )
  })

  it("is taken with any value where it is the time of the last change, and nowhere else", () => {
    const butAuthor = makeImmutableFieldCheck(Schema.Struct({ ...payload.fields, author: LastChange }))
    fc.assert(
      fc.property(note, fc.string(), (shown, author) => {
        assert.isTrue(Result.isSuccess(butAuthor(shown, { ...shown, author })))
        assert.isTrue(Result.isFailure(butAuthor(shown, { ...shown, author, kind: "another" })))
      })
    )
  })

  it("is refused with the name of the field that changes it, if one does", () => {
    const judged = makeImmutableFieldCheck(payload, { changedBy: { author: "text" } })
    const record = { id: 1, text: "", author: "Ada", kind: "open", marks: [] }
    const messageFor = (sent: object) =>
      Result.match(judged(record, { ...record, ...sent }), { onSuccess: () => "", onFailure: ({ message }) => message })
    assert.match(messageFor({ author: null }), /^author: .*\btext\b/)
    assert.match(messageFor({ kind: "closed" }), /^kind: /)
    assert.strictEqual(messageFor({ author: "Ada" }), "")
  })

  it("is refused by name with any other value", () => {
    fc.assert(
      fc.property(note, note, (shown, sent) => {
        const changed = FIXED.filter((name) => JSON.stringify(field(shown, name)) !== JSON.stringify(field(sent, name)))
        const judged = Result.match(judge(shown, sent), {
          onSuccess: () => undefined,
          onFailure: (error) => `${errorCode(error)} ${error.message.split(":")[0]}`
        })
        assert.strictEqual(judged, changed[0] === undefined ? undefined : `422 ${changed[0]}`)
      })
    )
  })
})

const field = (record: Readonly<Record<string, unknown>>, name: string): unknown => record[name]
