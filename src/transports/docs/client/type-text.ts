import { Predicate } from "effect"
import type { JsonSchema } from "../described.ts"

// JSON Schema as a type of TypeScript: the parts of it that the contracts use.

const isRecord = (value: unknown): value is JsonSchema => Predicate.isObject(value)

const commentOf = (schema: JsonSchema, indent: string): string => {
  const { description, deprecated } = schema
  const words = [
    ...(typeof description === "string" ? [description] : []),
    ...(deprecated === true ? ["@deprecated"] : [])
  ]
  return words.length === 0 ? "" : `${indent}/** ${words.join(" ").replaceAll("*/", "*\\/")} */\n`
}

const nameText = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name))

const inUnion = (texts: ReadonlyArray<string>): string => Array.from(new Set(texts)).join(" | ") || "never"

/** An object's type, each field on its own line with its comment. */
const objectText = (schema: JsonSchema, indent: string): string => {
  const { properties, required, additionalProperties } = schema
  if (!isRecord(properties) || Object.keys(properties).length === 0) {
    return isRecord(additionalProperties) && Object.keys(additionalProperties).length > 0
      ? `Record<string, ${typeText(additionalProperties, indent)}>`
      : "Record<string, unknown>"
  }
  const needed = new Set(Array.isArray(required) ? required : [])
  const deeper = `${indent}  `
  const lines = Object.entries(properties).map(([name, each]) => {
    const field = isRecord(each) ? each : {}
    const isOptional = !needed.has(name)
    return `${commentOf(field, deeper)}${deeper}${nameText(name)}${isOptional ? "?" : ""}: ${typeText(field, deeper)}${isOptional ? " | undefined" : ""}`
  })
  return `{\n${lines.join("\n")}\n${indent}}`
}

const arrayText = ({ items, prefixItems }: JsonSchema, indent: string): string => {
  if (Array.isArray(prefixItems))
    return `[${prefixItems.map((each) => typeText(isRecord(each) ? each : {}, indent)).join(", ")}]`
  return `Array<${typeText(isRecord(items) ? items : {}, indent)}>`
}

/** The type of what the schema lets in; `indent` is that of the line it stands in. */
export const typeText = (schema: JsonSchema, indent = ""): string => {
  for (const choice of ["anyOf", "oneOf"]) {
    const choices = schema[choice]
    if (Array.isArray(choices)) return inUnion(choices.filter(isRecord).map((each) => typeText(each, indent)))
  }
  if (Array.isArray(schema["enum"])) return inUnion(schema["enum"].map((each) => JSON.stringify(each)))
  if ("const" in schema) return JSON.stringify(schema["const"])
  switch (schema["type"]) {
    case "string":
    case "boolean":
    case "null":
      return schema["type"]
    case "integer":
    case "number":
      return "number"
    case "array":
      return arrayText(schema, indent)
    case "object":
      return objectText(schema, indent)
    default:
      return "unknown"
  }
}
