import { Predicate } from "effect"
import type { JsonSchema } from "../operation-descriptions.ts"

// Describes JSON Schemas as short texts for tables.

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
  if (type === "array") return `list of ${isRecord(items) ? elementText(items) : "anything"}`
  return typeof type === "string" ? (TYPE_NAMES[type] ?? type) : "anything"
}

/** Limits of the elements are in brackets, to set them apart from those of the list. */
const elementText = (schema: JsonSchema): string => {
  const limits = limitTexts(schema)
  return limits.length === 0 ? typeText(schema) : `${typeText(schema)} (${limits.join(", ")})`
}

const RANGES: ReadonlyArray<readonly [minimum: string, maximum: string, unit: string]> = [
  ["minimum", "maximum", ""],
  ["minLength", "maxLength", " character"],
  ["minItems", "maxItems", " element"]
]

const KEYWORD_TEXTS: ReadonlyArray<readonly [string, (value: unknown) => string]> = [
  ["exclusiveMinimum", (value) => `above ${value}`],
  ["exclusiveMaximum", (value) => `below ${value}`],
  ["format", (value) => FORMAT_TEXTS[String(value)] ?? String(value)],
  ["default", (value) => `default ${JSON.stringify(value)}`]
]

/** Such as `1 to 20 elements`. */
const rangeText = (minimum: unknown, maximum: unknown, unit: string): string => {
  const bounds = [minimum, maximum].filter((bound) => bound !== undefined)
  const plural = unit === "" || bounds.at(-1) === 1 ? "" : "s"
  const prefix = bounds.length === 2 ? "" : minimum === undefined ? "at most " : "at least "
  return `${prefix}${bounds.join(" to ")}${unit}${plural}`
}

const limitTexts = (schema: JsonSchema): ReadonlyArray<string> => [
  ...RANGES.flatMap(([minimum, maximum, unit]) =>
    minimum in schema || maximum in schema ? [rangeText(schema[minimum], schema[maximum], unit)] : []
  ),
  ...KEYWORD_TEXTS.flatMap(([keyword, toText]) => (keyword in schema ? [toText(schema[keyword])] : []))
]

/** Such as `whole number, at least 1`. */
export const toSchemaText = (schema: JsonSchema): string => [typeText(schema), ...limitTexts(schema)].join(", ")

interface SchemaFieldRow {
  /** Such as `shares[].amount`. */
  readonly path: string
  readonly type: string
  readonly description: string
  readonly isDeprecated: boolean
  readonly isRequired: boolean
}

/** Levels of nested objects that a table shows. */
const MAX_DEPTH = 4

/**
 * Returns the properties of an object, of a list's elements, or of all alternatives. Each tuple has a path suffix (`[]`
 * for lists), properties, and the required names.
 */
const nestedProperties = (schema: JsonSchema): ReadonlyArray<readonly [string, JsonSchema, ReadonlyArray<unknown>]> => {
  const { anyOf, items, required } = schema
  if (Array.isArray(anyOf)) return anyOf.filter(isRecord).flatMap(nestedProperties)
  if (isRecord(items)) return nestedProperties(items).map(([suffix, ...part]) => [`[]${suffix}`, ...part])
  return isRecord(schema["properties"]) ? [["", schema["properties"], Array.isArray(required) ? required : []]] : []
}

/** The rows of an object's fields follow its own row. */
export const toFieldRows = (schema: JsonSchema, prefix = "", depth = 0): ReadonlyArray<SchemaFieldRow> =>
  depth === MAX_DEPTH
    ? []
    : nestedProperties(schema).flatMap(([suffix, properties, required]) =>
        Object.entries(properties).flatMap(([name, field]) => {
          if (!isRecord(field)) return []
          const path = `${prefix}${suffix}${prefix === "" && suffix === "" ? "" : "."}${name}`
          const { description, deprecated } = field
          const row: SchemaFieldRow = {
            path,
            type: isObjectSchema(field) ? "object" : toSchemaText(field),
            description: typeof description === "string" ? description : "",
            isDeprecated: deprecated === true,
            isRequired: required.includes(name)
          }
          return [row, ...toFieldRows(field, path, depth + 1)]
        })
      )

const isObjectSchema = ({ type }: JsonSchema): boolean => type === "object"
