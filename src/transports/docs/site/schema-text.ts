import { Predicate } from "effect"
import type { JsonSchema } from "../operation-descriptions.ts"

// Describes JSON Schemas in the words of a table: the type and its limits.

const isRecord = (value: unknown): value is JsonSchema => Predicate.isObject(value)

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "text",
  integer: "whole number",
  boolean: "true or false",
  null: "null"
}

const FORMAT_TEXTS: Readonly<Record<string, string>> = {
  date: "`YYYY-MM-DD`",
  "date-time": "ISO 8601"
}

const typeText = (schema: JsonSchema): string => {
  const { type, items } = schema
  const values = schema["enum"] ?? ("const" in schema ? [schema["const"]] : undefined)
  if (Array.isArray(values)) return values.map((value) => `\`${String(value)}\``).join(", ")
  if (Array.isArray(schema["anyOf"]))
    return Array.from(new Set(schema["anyOf"].filter(isRecord).map(toSchemaText))).join(" or ")
  if (type === "array") return `list of ${isRecord(items) ? toSchemaText(items) : "anything"}`
  return typeof type === "string" ? (TYPE_NAMES[type] ?? type) : "anything"
}

const KEYWORD_TEXTS: ReadonlyArray<readonly [string, (value: unknown) => string]> = [
  ["minimum", (value) => `at least ${value}`],
  ["exclusiveMinimum", (value) => `above ${value}`],
  ["maximum", (value) => `at most ${value}`],
  ["exclusiveMaximum", (value) => `below ${value}`],
  ["minLength", (value) => `at least ${value} characters`],
  ["maxLength", (value) => `at most ${value} characters`],
  ["minItems", (value) => `at least ${value}`],
  ["maxItems", (value) => `at most ${value}`],
  ["format", (value) => FORMAT_TEXTS[String(value)] ?? String(value)],
  ["default", (value) => `default ${JSON.stringify(value)}`]
]

/** Returns a text such as `whole number, at least 1`. */
export const toSchemaText = (schema: JsonSchema): string => {
  const limits = KEYWORD_TEXTS.flatMap(([keyword, toText]) => (keyword in schema ? [toText(schema[keyword])] : []))
  return [typeText(schema), ...limits].join(", ")
}

interface SchemaFieldRow {
  /** Such as `shares[].amount`. */
  readonly path: string
  readonly type: string
  readonly description: string
  readonly isDeprecated: boolean
}

/** Levels of nested objects that a table shows. */
const MAX_DEPTH = 4

/**
 * Returns the properties of an object, of the objects in a list, or of all alternatives, each with the suffix of its
 * path.
 */
const nestedProperties = (schema: JsonSchema): ReadonlyArray<readonly [string, JsonSchema]> => {
  const { anyOf, items } = schema
  if (Array.isArray(anyOf)) return anyOf.filter(isRecord).flatMap(nestedProperties)
  if (isRecord(items)) return nestedProperties(items).map(([suffix, part]) => [`[]${suffix}`, part])
  return isRecord(schema["properties"]) ? [["", schema["properties"]]] : []
}

/** Returns a row for each field. The fields of an object follow it. */
export const toFieldRows = (schema: JsonSchema, prefix = "", depth = 0): ReadonlyArray<SchemaFieldRow> =>
  depth === MAX_DEPTH
    ? []
    : nestedProperties(schema).flatMap(([suffix, properties]) =>
        Object.entries(properties).flatMap(([name, field]) => {
          if (!isRecord(field)) return []
          const path = `${prefix}${suffix}${prefix === "" && suffix === "" ? "" : "."}${name}`
          const { description, deprecated } = field
          const row: SchemaFieldRow = {
            path,
            type: isObjectSchema(field) ? "object" : toSchemaText(field),
            description: typeof description === "string" ? description : "",
            isDeprecated: deprecated === true
          }
          return [row, ...toFieldRows(field, path, depth + 1)]
        })
      )

const isObjectSchema = ({ type }: JsonSchema): boolean => type === "object"
