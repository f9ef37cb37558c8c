import { Predicate } from "effect"
import type { JsonSchema } from "../src/transports/docs/operation-descriptions.ts"

// JSON Schema as a type of TypeScript: the parts of it that the contracts use.

const isRecord = (value: unknown): value is JsonSchema => Predicate.isObject(value)

const docComment = (schema: JsonSchema, indent: string): string => {
  const { description, deprecated } = schema
  const commentParts = [
    ...(typeof description === "string" ? [description] : []),
    ...(deprecated === true ? ["@deprecated"] : [])
  ]
  return commentParts.length === 0 ? "" : `${indent}/** ${commentParts.join(" ").replaceAll("*/", "*\\/")} */\n`
}

const propertyName = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name))

const toUnion = (texts: ReadonlyArray<string>): string => Array.from(new Set(texts)).join(" | ") || "never"

/** An object's type, each field on its own line with its comment. */
const toObjectType = (schema: JsonSchema, indent: string): string => {
  const { properties, required, additionalProperties } = schema
  if (!isRecord(properties) || Object.keys(properties).length === 0) {
    return isRecord(additionalProperties) && Object.keys(additionalProperties).length > 0
      ? `Record<string, ${toTypeScriptType(additionalProperties, indent)}>`
      : "Record<string, unknown>"
  }
  const requiredNames = new Set(Array.isArray(required) ? required : [])
  const innerIndent = `${indent}  `
  const lines = Object.entries(properties).map(([name, each]) => {
    const field = isRecord(each) ? each : {}
    const isOptional = !requiredNames.has(name)
    return `${docComment(field, innerIndent)}${innerIndent}${propertyName(name)}${isOptional ? "?" : ""}: ${toTypeScriptType(field, innerIndent)}${isOptional ? " | undefined" : ""}`
  })
  return `{\n${lines.join("\n")}\n${indent}}`
}

const toArrayType = ({ items, prefixItems }: JsonSchema, indent: string): string => {
  if (Array.isArray(prefixItems))
    return `[${prefixItems.map((each) => toTypeScriptType(isRecord(each) ? each : {}, indent)).join(", ")}]`
  return `Array<${toTypeScriptType(isRecord(items) ? items : {}, indent)}>`
}

/** The type of what the schema lets in; `indent` is that of the line it stands in. */
export const toTypeScriptType = (schema: JsonSchema, indent = ""): string => {
  for (const choice of ["anyOf", "oneOf"]) {
    const choices = schema[choice]
    if (Array.isArray(choices)) return toUnion(choices.filter(isRecord).map((each) => toTypeScriptType(each, indent)))
  }
  if (Array.isArray(schema["enum"])) return toUnion(schema["enum"].map((each) => JSON.stringify(each)))
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
      return toArrayType(schema, indent)
    case "object":
      return toObjectType(schema, indent)
    default:
      return "unknown"
  }
}
