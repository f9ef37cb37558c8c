import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import { Id, immutableField } from "../../../src/contract/fields.ts"
import { REPORTED_NAME_LENGTH, REPORTED_NAMES_MAX } from "../../../src/platform/limits.ts"
import { makeUnknownArgumentNotice } from "../../../src/transports/mcp/unknown-arguments.ts"

const told = makeUnknownArgumentNotice(
  Schema.Struct({
    staff_id: Schema.optionalKey(Id),
    property_id: Schema.optionalKey(Id),
    number_of_guests: Schema.optionalKey(Id),
    id: Schema.optionalKey(Id),
    // An edit refuses it whatever it says, so nobody is led to it.
    staff_name: immutableField(Schema.String),
    arrival_at: Schema.optionalKey(Schema.NullOr(Schema.Struct({ hour: Id, minute: Id }))),
    rows: Schema.optionalKey(Schema.Array(Schema.Struct({ date: Schema.String }))),
    words: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
  })
)

describe("what a tool says of arguments it does not know", () => {
  it.each([
    [{ staff: 3 }, "Ignored: staff. Did you mean staff_id?"],
    [{ staffId: 3, foo: 1 }, "Ignored: staffId, foo. Did you mean staff_id?"],
    [{ propertyId: 3, staf_id: 1 }, "Ignored: propertyId, staf_id. Did you mean property_id, staff_id?"],
    [{ guests: 2 }, "Ignored: guests. Did you mean number_of_guests?"],
    [{ staffname: "Li" }, "Ignored: staffname."],
    [{ ID: 1 }, "Ignored: ID. Did you mean id?"],
    // What is there already was not meant.
    [{ staff_id: 3, staff: 3 }, "Ignored: staff."],
    [{ arrival_at: { hour: 1, minutes: 2 } }, "Ignored: arrival_at.minutes. Did you mean arrival_at.minute?"],
    [{ rows: [{ date: "a" }, { day: "b" }] }, "Ignored: rows[1].day."],
    [JSON.parse('{"__proto__": 1, "constructor": 2}'), "Ignored: __proto__, constructor."]
  ])("%j: %s", (fields, text) => assert.strictEqual(told(fields), text))

  it.each([
    [{}],
    [{ staff_id: null, arrival_at: null }],
    [{ words: { anything: "x" } }],
    [{ rows: "x", arrival_at: 5 }]
  ])("is nothing of %j", (fields) => assert.isUndefined(told(fields)))

  it("names so many, and counts the others", () => {
    const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`x${n}`, n]))
    const names = Object.keys(unknown(REPORTED_NAMES_MAX)).join(", ")
    assert.strictEqual(told(unknown(REPORTED_NAMES_MAX)), `Ignored: ${names}.`)
    assert.strictEqual(told(unknown(REPORTED_NAMES_MAX + 1)), `Ignored: ${names} and 1 more.`)
  })

  it("is one short printable line, whatever the names", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "binary", maxLength: 200 }), fc.jsonValue()), (fields) => {
        const text = told(fields) ?? ""
        assert.isTrue(text.isWellFormed())
        assert.notMatch(text, /[\p{C}\p{Zl}\p{Zp}]/u)
        assert.isAtMost(Array.from(text).length, (REPORTED_NAMES_MAX + 1) * (REPORTED_NAME_LENGTH + 30))
      })
    )
    assert.strictEqual(told({ ["a".repeat(REPORTED_NAME_LENGTH)]: 1 }), `Ignored: ${"a".repeat(REPORTED_NAME_LENGTH)}.`)
    assert.strictEqual(
      told({ ["a".repeat(REPORTED_NAME_LENGTH + 1)]: 1 }),
      `Ignored: ${"a".repeat(REPORTED_NAME_LENGTH)}….`
    )
  })
})
