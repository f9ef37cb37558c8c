import { assert, describe, it } from "@effect/vitest"
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv"
import { Schema } from "effect"
import * as fc from "fast-check"
import { Id, immutableField, TimeOfDay } from "../../src/contract/fields.ts"
import { inputSchemaOf, publishedInputSchemaOf } from "../../src/contract/tool-schema.ts"
import { PROPERTY_RUNS } from "../support/property-runs.ts"

const validator = new AjvJsonSchemaValidator()
const accepts = (schema: Record<string, unknown>) => {
  const validate = validator.getValidator(schema)
  return (value: unknown) => validate(value).valid
}

const Capital = Schema.String.check(Schema.isPattern(/^[A-Z]/u, { expected: "a text that begins with a capital" }))

const Payload = Schema.Struct({
  id: Id,
  amount: Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(100)),
  code: Schema.optionalKey(Capital.check(Schema.isPattern(/\d$/u, { expected: "a text that ends with a digit" }))),
  kind: Schema.optionalKey(Schema.Literals(["a", "b"])),
  // Two bounds in one check, nested one level deeper than the others.
  range: Schema.optionalKey(Schema.String.check(Schema.isBetweenCodePoints(1, 3), Schema.isBetweenCodePoints(2, 4))),
  rows: Schema.optionalKey(Schema.Array(Schema.Struct({ id: Schema.NullOr(Id) })).check(Schema.isMaxLength(2))),
  words: Schema.optionalKey(Schema.Record(Schema.String, Id))
})

interface Folder {
  readonly name: string
  readonly folders: ReadonlyArray<Folder>
}
const Folder = Schema.Struct({
  name: Schema.String,
  folders: Schema.Array(Schema.suspend((): Schema.Codec<Folder> => Folder))
})

interface Bounded {
  readonly price: number
  readonly parts: ReadonlyArray<Bounded>
}
const Bounded = Schema.Struct({
  price: Schema.Finite.check(Schema.isGreaterThan(0)),
  parts: Schema.Array(Schema.suspend((): Schema.Codec<Bounded> => Bounded))
})

describe("a tool's input schema", () => {
  it("takes what the full schema takes and nothing else", () => {
    const { schema, definitions } = Schema.toJsonSchemaDocument(Payload, { onExcessProperty: "error" })
    const full = accepts({ ...schema, $defs: definitions })
    const short = accepts({ ...inputSchemaOf(Payload) })
    const number = fc.oneof(fc.integer({ min: -2, max: 102 }), fc.double({ min: -1, max: 101, noNaN: true }))
    const text = fc.constantFrom("", "a", "b", "A", "A1", "a1", "1", "AB9", "AB99", "AB999")
    const value = fc.oneof(number, text, fc.constant(null), fc.boolean())
    const arguments_ = fc.record(
      {
        id: value,
        amount: value,
        code: value,
        kind: value,
        range: value,
        rows: fc.oneof(value, fc.array(fc.record({ id: value }, { requiredKeys: [] }), { maxLength: 3 })),
        words: fc.oneof(value, fc.dictionary(fc.string(), value, { maxKeys: 2 })),
        more: value
      },
      { requiredKeys: [] }
    )
    // Chance seldom makes all fields good at once.
    const likely = fc.record({
      id: fc.integer({ min: 0, max: 3 }),
      amount: fc.integer({ min: 0, max: 101 }),
      code: fc.constantFrom("A1", "A", "1"),
      range: fc.constantFrom("", "AB", "ABC", "ABCD"),
      rows: fc.array(fc.record({ id: fc.constantFrom(null, 0, 1) }), { maxLength: 3 })
    })
    let taken = 0
    fc.assert(
      fc.property(fc.oneof(value, arguments_, { arbitrary: likely, weight: 6 }), (given) => {
        assert.strictEqual(short(given), full(given))
        if (full(given)) taken++
      }),
      { numRuns: PROPERTY_RUNS }
    )
    assert.isAbove(taken, 0)
  })

  it("is short, and says in words only what no keyword says", () => {
    const Code = Schema.String.check(
      Schema.makeFilter((text) => text !== "?", { expected: "an order's code", toJsonSchema: () => [{}, true] })
    )
    assert.deepStrictEqual(inputSchemaOf(Schema.Struct({ id: Id, amount: Schema.Finite, code: Code })), {
      type: "object",
      properties: {
        id: { type: "integer", minimum: 1 },
        amount: { type: "number" },
        code: { type: "string", description: "an order's code" }
      },
      required: ["id", "amount", "code"],
      additionalProperties: false
    })
  })

  it("prefers a description of the field's own, whichever came first", () => {
    const described = Schema.Struct({
      before: Schema.String.annotate({ description: "the order's code" }).check(Schema.isNonEmpty()),
      after: Id.annotate({ description: "the order's id" }),
      key: Schema.optionalKey(Id).annotateKey({ description: "the order's key" })
    })
    assert.deepStrictEqual(inputSchemaOf(described).properties, {
      before: { type: "string", minLength: 1, description: "the order's code" },
      after: { type: "integer", minimum: 1, description: "the order's id" },
      key: { type: "integer", minimum: 1, description: "the order's key" }
    })
  })

  it("has the text for its deployment and reader, whichever annotation comes first", () => {
    const texts = [
      { description: "for tools", documentation: "for people", regionally: "here" },
      { regionally: "here", documentation: "for people", description: "for tools" }
    ]
    for (const annotations of texts) {
      const payload = Schema.Struct({ key: Id.annotateKey(annotations) })
      const describedAs = (description: string) => ({ key: { type: "integer", minimum: 1, description } })
      assert.deepStrictEqual(inputSchemaOf(payload).properties, describedAs("for people"))
      assert.deepStrictEqual(publishedInputSchemaOf(payload).properties, describedAs("for tools"))
      assert.deepStrictEqual(inputSchemaOf(payload, "regional").properties, describedAs("here"))
      assert.deepStrictEqual(publishedInputSchemaOf(payload, "regional").properties, describedAs("here"))
    }
  })

  it("keeps a field that has the name of an annotation", () => {
    const { properties } = inputSchemaOf(Schema.Struct({ documentation: Id }))
    assert.deepStrictEqual(properties, { documentation: { type: "integer", minimum: 1 } })
  })

  it("keeps apart what must hold twice", () => {
    const { properties } = inputSchemaOf(Payload)
    assert.deepInclude(properties, {
      code: {
        type: "string",
        pattern: "^[A-Z]",
        allOf: [{ pattern: "\\d$" }]
      }
    })
  })

  it("is an object for an operation without fields", () => {
    assert.deepStrictEqual(inputSchemaOf(Schema.Struct({})), { type: "object", additionalProperties: false })
  })

  it("is closed, and so is every object in it whose names are known", () => {
    const At = Schema.Struct({ hour: Id })
    const schema = inputSchemaOf(Schema.Struct({ at: Schema.NullOr(At), words: Schema.Record(Schema.String, Id) }))
    assert.deepStrictEqual(schema.properties, {
      at: {
        anyOf: [
          {
            type: "object",
            properties: { hour: { type: "integer", minimum: 1 } },
            required: ["hour"],
            additionalProperties: false
          },
          { type: "null" }
        ]
      },
      words: { type: "object", additionalProperties: { type: "integer", minimum: 1 } }
    })
  })

  it("keeps a description within a choice with null", () => {
    const { properties } = inputSchemaOf(Schema.Struct({ time: Schema.optionalKey(Schema.NullOr(TimeOfDay)) }))
    const pattern = "^([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d$"
    assert.deepStrictEqual(properties, {
      time: { anyOf: [{ type: "string", pattern, description: "HH:mm:ss" }, { type: "null" }] }
    })
  })

  it("as tools are shown it leaves out what an edit never changes", () => {
    const payload = Schema.Struct({ id: Id, note: Schema.optionalKey(Id), currency: immutableField(Id) })
    assert.deepStrictEqual(Object.keys(Object(publishedInputSchemaOf(payload).properties)), ["id", "note"])
    assert.deepStrictEqual(Object.keys(Object(inputSchemaOf(payload).properties)), ["id", "note", "currency"])
  })

  it("has no keyword that vendors of models refuse, and its descriptions state those bounds", () => {
    const Price = Schema.Finite.annotate({ description: "major units" }).check(Schema.isGreaterThan(0))
    const Names = Schema.Record(Schema.String, Schema.NullOr(Price)).check(
      Schema.makeFilter(() => true, { toJsonSchema: () => ({ propertyNames: { minLength: 1, maxLength: 50 } }) })
    )
    const payload = Schema.Struct({
      price: Price.check(Schema.isLessThanOrEqualTo(9)),
      share: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0), Schema.isLessThan(1)),
      nights: Schema.Int.check(Schema.isGreaterThan(2), Schema.isLessThan(9)),
      rows: Schema.Array(Schema.Struct({ price: Price })),
      names: Schema.NullOr(Names)
    })
    const price = { type: "number", description: "major units, above 0", minimum: 0 }
    assert.deepStrictEqual(publishedInputSchemaOf(payload).properties, {
      price: { ...price, maximum: 9 },
      share: { type: "number", minimum: 0, maximum: 1, description: "below 1" },
      nights: { type: "integer", minimum: 3, maximum: 8 },
      rows: {
        type: "array",
        items: { type: "object", properties: { price }, required: ["price"], additionalProperties: false }
      },
      names: {
        anyOf: [
          {
            type: "object",
            additionalProperties: { anyOf: [price, { type: "null" }] },
            description: "names of at most 50 characters"
          },
          { type: "null" }
        ]
      }
    })
    const recursive = JSON.stringify(publishedInputSchemaOf(Schema.Struct({ root: Bounded })))
    assert.include(recursive, "$defs")
    assert.notInclude(recursive, "exclusiveMinimum")
  })

  it("carries its definitions: named parts in place, recursive ones beside it", () => {
    const Row = Schema.Struct({ id: Id }).annotate({ identifier: "Row" })
    const named = inputSchemaOf(Schema.Struct({ one: Row, other: Row }))
    assert.notInclude(JSON.stringify(named), "$ref")
    const takes = accepts({ ...inputSchemaOf(Schema.Struct({ root: Folder })) })
    assert.isTrue(takes({ root: { name: "a", folders: [{ name: "b", folders: [] }] } }))
    assert.isFalse(takes({ root: { name: "a", folders: [{ name: 1, folders: [] }] } }))
  })
})
