import { Predicate } from "effect"
import type { JsonSchema } from "../operation-descriptions.ts"

// What a JSON Schema says, as a reader of a table wants it: the type and its limits.

const isRecord = (value: unknown): value is JsonSchema => Predicate.isObject(value)

/** What people call the types of JSON Schema. */
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

/** By keyword, how it is said. */
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

/** `whole number, at least 1`. */
export const toSchemaText = (schema: JsonSchema): string => {
  const limits = KEYWORD_TEXTS.flatMap(([keyword, toText]) => (keyword in schema ? [toText(schema[keyword])] : []))
  return [typeText(schema), ...limits].join(", ")
}

interface SchemaFieldRow {
  /** `shares[].amount`: where it is. */
  readonly path: string
  readonly type: string
  readonly description: string
  readonly isDeprecated: boolean
}

/** How deep a table follows objects within objects. */
const MAX_DEPTH = 4

/** The objects that a schema is or may be, or has in its lists. */
const nestedProperties = (schema: JsonSchema): ReadonlyArray<readonly [string, JsonSchema]> => {
  const { anyOf, items } = schema
  if (Array.isArray(anyOf)) return anyOf.filter(isRecord).flatMap(nestedProperties)
  if (isRecord(items)) return nestedProperties(items).map(([suffix, part]) => [`[]${suffix}`, part])
  return isRecord(schema["properties"]) ? [["", schema["properties"]]] : []
}

/** A row for each field within, those of objects below their object. */
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
