import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import fc from "fast-check"
import { Id, Integer, narrowingField, PositiveAmount, RecordCode } from "../../src/contract/fields.ts"
import { IdsOrText } from "../../src/contract/id-list.ts"
import { makeInputDecoder } from "../../src/contract/input.ts"
import { makeInputCorrector } from "../../src/contract/input-correction.ts"
import type { Method } from "../../src/contract/operation.ts"
import { JSON_DEPTH_MAX, JSON_PARTS_MAX } from "../../src/platform/limits.ts"

// What generated clients and language models write, and what they mean by it.

const Payload = Schema.Struct({
  id: Schema.optionalKey(Id),
  offset: Schema.optionalKey(Integer),
  code: Schema.optionalKey(RecordCode),
  amount: Schema.optionalKey(PositiveAmount),
  list: Schema.optionalKey(Schema.Array(Id)),
  scope: narrowingField(Schema.Array(Id)),
  flat: narrowingField(Id, ["flat", "house"]),
  house: narrowingField(RecordCode, ["flat", "house"]),
  ids: Schema.optionalKey(IdsOrText),
  link: Schema.optionalKey(Schema.NullOr(Id)),
  words: Schema.optionalKey(Schema.Record(Schema.String, Schema.NullOr(Schema.String))),
  time: Schema.optionalKey(Schema.Struct({ hour: Integer, minute: Schema.optionalKey(Integer) }))
})

const answering = (method: Method) => {
  const decode = makeInputDecoder(Payload, { method, params: [] })
  return (fields: object): unknown =>
    Effect.runSync(
      decode({ encoding: "body", fields }, {}).pipe(
        Effect.match({ onSuccess: (value): unknown => value, onFailure: ({ message }) => message })
      )
    )
}
const create = answering("POST")

describe("a whole number as text", () => {
  it("is the number it says, wherever one is asked for", () => {
    const meant = { id: 1, offset: -2, list: [3, 4], scope: [5], ids: [6], link: 7, time: { hour: 8 } }
    const sent = { id: "1", offset: "-2", list: ["3", 4], scope: ["5"], ids: ["6"], link: "7", time: { hour: "8" } }
    assert.deepStrictEqual(create(sent), meant)
    assert.deepStrictEqual(answering("PATCH")(sent), meant)
  })

  it.each(["", " 1", "1 ", "1.0", "1e3", "+1", "0x1", "1_0", "１", "--1", "-", "9007199254740992", "9".repeat(400)])(
    "%j is not a whole number",
    (id) => assert.match(String(create({ id })), /^id: .*a number/)
  )

  it("is any that JSON carries exactly, and breaks the rules the number breaks", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (offset) => assert.deepStrictEqual(create({ offset: `${offset}` }), { offset }))
    )
    assert.match(String(create({ id: "0" })), /^id: .*positive/)
  })

  it("is no amount, and stays text where text is asked for", () => {
    assert.match(String(create({ amount: "5" })), /^amount: .*a number/)
    const sent = { code: "7", words: { "1": "2" } }
    assert.deepStrictEqual(create(sent), sent)
    assert.deepStrictEqual(create({ ids: "6" }), { ids: [6] })
  })
})

describe("the JSON text of an array", () => {
  const Lists = Schema.Struct({
    ...Payload.fields,
    names: Schema.optionalKey(Schema.Array(Schema.String)),
    either: Schema.optionalKey(Schema.NullOr(Schema.Array(Id))),
    chosen: Schema.optionalKey(Schema.Union([Schema.Array(Schema.String), Schema.String])),
    rows: Schema.optionalKey(Schema.Array(Schema.Struct({ ids: Schema.optionalKey(Schema.Array(Id)) })))
  })
  const decode = makeInputDecoder(Lists, { method: "PATCH", params: [] })
  const by = (encoding: "json" | "body") => (fields: object) =>
    Effect.runSync(
      decode({ encoding, fields }, {}).pipe(
        Effect.match({ onSuccess: (value): unknown => value, onFailure: ({ message }) => message })
      )
    )
  const tool = by("json")

  it("counts as the array for every array argument of a tool", () => {
    assert.deepStrictEqual(
      tool({
        list: "[1]",
        scope: ' [2, "3"]\n',
        names: '["[4]"]',
        either: "[5]",
        ids: "[6,7]",
        chosen: '["id", "title"]',
        rows: '[{"ids": "[8]"}]'
      }),
      {
        list: [1],
        scope: [2, 3],
        names: ["[4]"],
        either: [5],
        ids: [6, 7],
        chosen: ["id", "title"],
        rows: [{ ids: [8] }]
      }
    )
    assert.deepStrictEqual(tool({ scope: [], rows: [{ ids: "[]" }] }), { scope: [], rows: [{ ids: [] }] })
  })

  it("stays text for a text argument", () => {
    const sent = { code: "[1]", words: { a: "[2]" }, scope: [] }
    assert.deepStrictEqual(tool(sent), sent)
    for (const chosen of ["id, title", "[]", "[id]"]) {
      assert.deepStrictEqual(tool({ chosen, scope: [] }), { chosen, scope: [] })
    }
  })

  it.each(["1", "1,2", "", "[1", "[1]]", '{"0": 1}', "null", '"[1]"'])("%j is not the text of an array", (list) => {
    assert.match(String(tool({ list, scope: [] })), /^list: .*an array/)
  })

  it("has the limits of elements and levels of any JSON", () => {
    const list = (length: number) => JSON.stringify(Array.from({ length }, () => 1))
    const most = tool({ list: list(JSON_PARTS_MAX), scope: [] })
    assert.lengthOf(Object(most).list, JSON_PARTS_MAX)
    assert.match(String(tool({ list: list(JSON_PARTS_MAX + 1), scope: [] })), /^list: .*an array/)
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
    assert.match(String(tool({ list: nested(JSON_DEPTH_MAX), scope: [] })), /^list\[0\]: .*a number/)
    assert.match(String(tool({ list: nested(JSON_DEPTH_MAX + 1), scope: [] })), /^list: .*an array/)
  })

  it("stays text in a REST body", () => {
    assert.match(String(by("body")({ list: "[1]", scope: [] })), /^list: .*an array/)
  })
})

describe("what is meant as it is sent", () => {
  it("is the same value", () => {
    const meant = makeInputCorrector(Payload.ast, true)
    for (const value of [{ id: 1, list: [1], words: { a: null } }, {}, [], "x", null, 5]) {
      assert.deepStrictEqual(meant(value), value)
    }
  })
})

describe("null for an optional field", () => {
  it.each(["POST", "GET"] as const)("means in a %s that it is not given", (method) => {
    const sent = { id: null, amount: null, list: null, ids: null, words: null, time: { hour: 1, minute: null } }
    assert.deepStrictEqual(answering(method)(sent), { time: { hour: 1 } })
  })

  it("is a value where the field may be null", () => {
    assert.deepStrictEqual(create({ link: null, words: { a: null } }), { link: null, words: { a: null } })
  })

  it("is refused where leaving the field out would do more", () => {
    assert.match(String(create({ scope: null })), /^scope: .*an array/)
    assert.match(String(create({ flat: null })), /^flat: .*a number/)
    assert.match(String(create({ scope: null, flat: 1, house: null })), /^scope: .*an array/)
    assert.match(String(create({ flat: null, house: null })), /^flat: .*a number.* house: .*a text/)
  })

  it("is an omission where another field narrows the call as well", () => {
    assert.deepStrictEqual(create({ flat: 1, house: null }), { flat: 1 })
    assert.deepStrictEqual(create({ flat: null, house: "A" }), { house: "A" })
    assert.match(String(answering("PATCH")({ flat: null, house: "A" })), /^flat: .*a number/)
  })

  it.each(["PATCH", "PUT", "DELETE"] as const)("is refused in a %s, but where the field can be cleared", (method) => {
    assert.match(String(answering(method)({ id: null })), /^id: .*a number/)
    assert.deepStrictEqual(answering(method)({ link: null }), { link: null })
  })

  it("is refused for a field that is not optional", () => {
    assert.match(String(create({ time: { hour: null } })), /^time\.hour: .*a number/)
  })
})
