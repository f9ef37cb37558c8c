import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Id, textUpTo } from "../../src/contract/fields.ts"
import { idsUpTo } from "../../src/contract/id-list.ts"
import { inputsOf, sampled, settled, valuesOf } from "./inputs.ts"
import { jsonText, jsonTextUpTo, percentEncoded } from "./wire.ts"

const SEED = 7
const MANY = 2_000

const lengths = (values: ReadonlyArray<unknown>) =>
  new Set(values.flatMap((value) => (typeof value === "string" ? [Array.from(value).length] : [])))

describe("inputs grown from a schema", () => {
  it("lie on both sides of its bounds", () => {
    assert.includeMembers([...lengths(sampled(valuesOf(textUpTo(77)), MANY, SEED))], [76, 77, 78])
    const lists = sampled(valuesOf(idsUpTo(12)), MANY, SEED).filter((value) => Array.isArray(value))
    assert.includeMembers([...new Set(lists.map((list) => list.length))], [0, 11, 12, 13])
    assert.includeMembers([...sampled(valuesOf(Id), MANY, SEED)], [0, 1, -1, Number.MAX_SAFE_INTEGER, null, true])
  })

  it("leave fields out, add unknown ones, and take the world's values elsewhere", () => {
    const payload = Schema.Struct({ id: Id, note: Schema.optionalKey(textUpTo(5)) })
    const inputs = sampled(inputsOf(payload), MANY, SEED).map((input) => settled(input, (field) => `world's ${field}`))
    assert.isTrue(inputs.some((fields) => !("id" in fields)))
    assert.isTrue(inputs.some((fields) => fields["id"] === "world's id" && fields["note"] === "aaaaaa"))
    assert.isTrue(inputs.some((fields) => Object.hasOwn(fields, "__proto__")))
  })

  it("are the same for the same seed", () => {
    const payload = Schema.Struct({ id: Id, note: Schema.optionalKey(textUpTo(5)) })
    assert.deepStrictEqual(sampled(inputsOf(payload), 50, SEED), sampled(inputsOf(payload), 50, SEED))
  })
})

describe("the wire", () => {
  it("carries what JavaScript would straighten", () => {
    assert.strictEqual(jsonText({ a: [-0, Number.POSITIVE_INFINITY], b: "\ud800" }), '{"a":[-0,1e999],"b":"\\ud800"}')
    assert.strictEqual(jsonText(Object.fromEntries([["__proto__", 1]])), '{"__proto__":1}')
    assert.strictEqual(percentEncoded("../\ud800é"), "%2E%2E%2F%ED%A0%80%C3%A9")
  })

  it("writes nothing that is too long, however little memory it takes unwritten", () => {
    assert.strictEqual(jsonTextUpTo({ a: [1, null] }, 14), '{"a":[1,null]}')
    assert.isUndefined(jsonTextUpTo({ a: [1, null] }, 13))
    const thousandOf = (value: unknown) => Array.from({ length: 1_000 }, () => value)
    assert.isUndefined(jsonTextUpTo(thousandOf(thousandOf(thousandOf(thousandOf(1)))), 250_000))
  })
})
