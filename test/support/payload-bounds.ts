import { Predicate } from "effect"
import type { AnyOperation } from "../../src/contract/operation.ts"
import { inputSchemaOf } from "../../src/contract/tool-schema.ts"

// What a payload's published JSON Schema says about size: of every part of it that a caller can make larger, the
// largest it may be. Read from what is published, so that a bound nobody is told of counts as none.

/** A step into a payload: a field's name, any element of a list, any name of a record, or what stands under it. */
export type PathStep = string | typeof LIST_ELEMENT | typeof RECORD_KEY | typeof RECORD_VALUE
export const LIST_ELEMENT = Symbol("element")
export const RECORD_KEY = Symbol("name")
export const RECORD_VALUE = Symbol("value")

export interface BoundedPart {
  readonly path: readonly [string, ...ReadonlyArray<PathStep>]
  /** A text by its characters, a list by its elements, a record by its fields, a number by its value. */
  readonly kind: "text" | "list" | "record" | "number"
  /** The largest that is let in; `form` when the form leaves no room (a date, one of a few words), `none` without one. */
  readonly maximum: number | "form" | "none"
  readonly schema: SchemaKeywords
}

export type SchemaKeywords = Readonly<Record<string, unknown>>

/** Every part of an operation's payload that has a size, nested ones after what they are in. */
export const listBoundedParts = (operation: AnyOperation): ReadonlyArray<BoundedPart> =>
  Object.entries(propertiesOf(inputSchemaOf(operation.payloadSchema))).flatMap(([name, schema]) =>
    listPartsWithin(schema, [name])
  )

const listPartsWithin = (schema: unknown, path: BoundedPart["path"]): ReadonlyArray<BoundedPart> => {
  const keywords = toKeywords(schema)
  const choices = [keywords["anyOf"], keywords["oneOf"]].filter(Array.isArray).flat()
  if (choices.length > 0) return choices.flatMap((choice) => listPartsWithin(choice, path))
  switch (keywords["type"]) {
    case "boolean":
    case "null":
      return []
    case "string":
      return [{ path, kind: "text", maximum: findTextMaximum(keywords), schema: keywords }]
    case "integer":
    case "number":
      return [{ path, kind: "number", maximum: findNumberMaximum(keywords), schema: keywords }]
    case "array":
      return [
        { path, kind: "list", maximum: toNumberOr(keywords["maxItems"], "none"), schema: keywords },
        ...listPartsWithin(keywords["items"], [...path, LIST_ELEMENT])
      ]
    case "object":
      return listObjectParts(keywords, path)
    default:
      // A part whose type nobody says may be anything.
      return [{ path, kind: "text", maximum: "none", schema: keywords }]
  }
}

const listObjectParts = (keywords: SchemaKeywords, path: BoundedPart["path"]): ReadonlyArray<BoundedPart> => {
  const fields = Object.entries(propertiesOf(keywords)).flatMap(([name, schema]) =>
    listPartsWithin(schema, [...path, name])
  )
  const { additionalProperties: value } = keywords
  if (!Predicate.isObject(value)) return fields
  return [
    ...fields,
    { path, kind: "record", maximum: toNumberOr(keywords["maxProperties"], "none"), schema: keywords },
    ...listPartsWithin({ type: "string", ...toKeywords(keywords["propertyNames"]) }, [...path, RECORD_KEY]),
    ...listPartsWithin(value, [...path, RECORD_VALUE])
  ]
}

/** A pattern from end to end without `*`, `+` or an open `{n,}` leaves a text no room to grow. */
const isBoundedPattern = (pattern: unknown): boolean =>
  typeof pattern === "string" && /^\^.*\$$/.test(pattern) && !/(?<!\\)[*+]|\{\d+,\}/.test(pattern)

const findTextMaximum = (keywords: SchemaKeywords): BoundedPart["maximum"] =>
  Array.isArray(keywords["enum"]) || keywords["format"] === "date" || isBoundedPattern(keywords["pattern"])
    ? "form"
    : toNumberOr(keywords["maxLength"], "none")

/** Whole numbers end where JSON no longer carries them exactly, which the schema leaves unsaid. */
const findNumberMaximum = (keywords: SchemaKeywords): BoundedPart["maximum"] =>
  typeof keywords["minimum"] !== "number" && typeof keywords["exclusiveMinimum"] !== "number"
    ? "none"
    : toNumberOr(keywords["maximum"], keywords["type"] === "integer" ? Number.MAX_SAFE_INTEGER : "none")

const toNumberOr = <Otherwise>(value: unknown, otherwise: Otherwise): number | Otherwise =>
  typeof value === "number" ? value : otherwise

const toKeywords = (schema: unknown): SchemaKeywords => (Predicate.isObject(schema) ? { ...schema } : {})

const propertiesOf = (schema: SchemaKeywords): SchemaKeywords => toKeywords(schema["properties"])
