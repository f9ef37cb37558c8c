import { assert, describe, it } from "@effect/vitest"
import { Predicate } from "effect"
import { type JsonSchema, operationsOf } from "../../../src/documents/described.ts"

// What a model can know of an argument before it calls: its limits, its unit, its form. (That nothing is without a length:
// bounds.test.ts.)

interface Part {
  readonly name: string
  readonly schema: JsonSchema
}

const isRecord = (value: unknown): value is JsonSchema => Predicate.isObject(value)

/** Every argument and every field within one, under its own name. */
const partsOf = (name: string, schema: unknown): ReadonlyArray<Part> => {
  if (!isRecord(schema)) return []
  const choices = Array.isArray(schema["anyOf"]) ? schema["anyOf"].flatMap((each) => partsOf(name, each)) : []
  const fields = Object.entries(Object(schema["properties"])).flatMap(([field, each]) => partsOf(field, each))
  return [{ name, schema }, ...choices, ...partsOf(name, schema["items"]), ...fields]
}

const isNumber = ({ schema }: Part) => schema["type"] === "number" || schema["type"] === "integer"

const MONEY = /(?:^|_)(?:amount|price|fee|deposit)$/
const DAY = /(?:^|_)date$/

/** How each part is told, where it is to be told: `undefined` is well, a text what is missing. */
const missing = (part: Part): string | undefined => {
  const { name, schema } = part
  const says = (keyword: string) => keyword in schema
  if (schema["type"] === "object" && !says("additionalProperties") && !says("$ref")) return "closed or not"
  if (isNumber(part) && !says("minimum") && !says("exclusiveMinimum") && !says("enum")) return "from where on"
  if (schema["type"] === "number" && !says("maximum") && !says("enum")) return "up to where"
  if (isNumber(part) && MONEY.test(name) && !String(schema["description"]).includes("major units")) return "its unit"
  if (schema["type"] === "string" && DAY.test(name) && schema["format"] !== "date") return "its form"
  return undefined
}

describe("an argument of a tool", () => {
  for (const { name, tool, input } of operationsOf()) {
    if (tool === undefined) continue
    it(`says all that is to be known: ${name}`, () => {
      assert.isFalse(input["additionalProperties"])
      const parts = Object.entries(Object(input["properties"])).flatMap(([field, schema]) => partsOf(field, schema))
      const untold = parts.flatMap((part) => {
        const what = missing(part)
        return what === undefined ? [] : [`${part.name}: ${what}`]
      })
      assert.deepStrictEqual(untold, [])
    })
  }
})
