import { assert, describe, it } from "@effect/vitest"
import { Predicate } from "effect"
import { operations } from "../../../src/service/Api.ts"
import { describeOperations, type JsonSchema } from "../../../src/transports/docs/operation-descriptions.ts"
import { makeTools } from "../../../src/transports/mcp/tools.ts"

// What a model can know of an argument before it calls: its limits, its unit, its form. (That nothing is without a length:
// bounds.service.test.ts.)

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

/** Keywords of JSON Schema for which some vendor of language models refuses the tool, or all tools of the list. */
const REFUSED = new Set([
  ...["exclusiveMinimum", "exclusiveMaximum", "multipleOf", "const", "$schema", "$id", "$ref", "$defs", "definitions"],
  ...["propertyNames", "patternProperties", "unevaluatedProperties", "dependentRequired", "dependentSchemas"],
  ...["allOf", "oneOf", "not", "if", "then", "else", "prefixItems", "contains", "unevaluatedItems"]
])
/** Values in which a name or a text is no keyword. */
const NAMED = new Set(["properties"])
const VALUES = new Set(["enum", "default", "required", "examples"])

/** Where a schema has a keyword that is refused, and which. */
const refusedIn = (schema: unknown, path: string): ReadonlyArray<string> => {
  if (Array.isArray(schema)) return schema.flatMap((each) => refusedIn(each, path))
  if (!isRecord(schema)) return []
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const own = REFUSED.has(keyword) ? [`${path}: ${keyword}`] : []
    if (VALUES.has(keyword)) return own
    const parts = NAMED.has(keyword)
      ? Object.entries(Object(value)).flatMap(([name, each]) => refusedIn(each, `${path}.${name}`))
      : refusedIn(value, path)
    return [...own, ...parts]
  })
}

describe("the schema of a tool's arguments", () => {
  it("has none of the keywords that vendors of language models refuse", () => {
    const all = Array.from(makeTools(operations).values(), ({ definition: listed }) => listed)
    assert.lengthOf(all, describeOperations().filter(({ tool }) => tool !== undefined).length)
    assert.deepStrictEqual(
      all.flatMap(({ name, inputSchema }) => refusedIn(inputSchema, name)),
      []
    )
    // At the root a choice is refused too.
    assert.deepStrictEqual(
      all.filter(({ inputSchema }) => inputSchema.type !== "object" || "anyOf" in inputSchema),
      []
    )
  })
})

describe("an argument of a tool", () => {
  for (const { name, tool, inputSchema: input } of describeOperations()) {
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
