import { Predicate, Schema, type SchemaAST } from "effect"
import type { DeploymentName } from "../platform/installation.ts"

/** What MCP asks of a tool's input schema: JSON Schema, draft 2020-12, of an object. */
export interface InputSchema {
  readonly type: "object"
  readonly [keyword: string]: unknown
}

type Keywords = Record<string, unknown>

/**
 * Returns the JSON Schema of an operation's payload. Parts are inlined, and only a recursive part is a reference into `$defs`. A rule
 * that no keyword can express is described in the words of its error, unless the field has a description.
 */
export const inputSchemaOf = (
  payload: Schema.Constraint,
  deployment: DeploymentName = "international",
  reader: SchemaReader = "person"
): InputSchema => {
  const { schema: writtenSchema, definitions } = Schema.toJsonSchemaDocument(payload, {
    referencePolicy: () => undefined,
    // Clients that validate first learn of unknown arguments without a call. The endpoint itself only warns of them.
    onExcessProperty: "error",
    includeAnnotationKey: (key) => INPUT_ANNOTATIONS.has(key)
  })
  const describe = makeDescriber({ deployment, reader })
  const schema = describe(writtenSchema)
  // An operation without fields takes any value in Effect's eyes; a tool's arguments are always an object.
  const root = schema.type === "object" ? simplifySchema(schema) : { additionalProperties: false }
  return {
    ...root,
    type: "object",
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: mapSchemas(describe(definitions), simplifySchema) })
  }
}

/** Who reads a schema. A model reads no `documentation`, because the schemas of all tools are in its context before its first call. */
type SchemaReader = "person" | "model"

const INPUT_ANNOTATIONS = new Set(["expected", "deprecated", "regionally", "documentation"])

/** Returns the JSON Schema of an operation's result. It accepts unknown fields, because a later release may add some. */
export const outputSchemaOf = (success: Schema.Constraint): Readonly<Record<string, unknown>> => {
  const { schema } = Schema.toJsonSchemaDocument(success, {
    referencePolicy: () => undefined,
    includeAnnotationKey: (key) => key === "deprecated" || key === "documentation"
  })
  return simplifySchema(makeDescriber({ deployment: "international", reader: "person" })(schema))
}

/**
 * Returns the schema that tools show: with common keywords only, and without the fields of an edit that never change. A client may
 * still send those fields, as in REST.
 */
export const publishedInputSchemaOf = (
  payload: Schema.Constraint,
  deployment: DeploymentName = "international"
): InputSchema => {
  const schema: InputSchema = { ...toCommonKeywords(inputSchemaOf(payload, deployment, "model")), type: "object" }
  const hiddenFields = immutableFieldNames(payload.ast)
  if (hiddenFields.size === 0 || !Predicate.isObject(schema.properties)) return schema
  const visibleFields = Object.entries(schema.properties).filter(([name]) => !hiddenFields.has(name))
  return { ...schema, properties: Object.fromEntries(visibleFields) }
}

/**
 * Replaces `exclusiveMinimum`, `exclusiveMaximum` and `propertyNames`, because some vendors of language models reject a whole list
 * of tools for one of them. The remaining bounds are slightly wider, and the description states the exact ones.
 */
const toCommonKeywords = (schema: unknown): Keywords => {
  if (!Predicate.isObject(schema)) return {}
  const {
    exclusiveMinimum: lowerBound,
    exclusiveMaximum: upperBound,
    propertyNames,
    ...keywords
  } = mapSubschemas(schema, toCommonKeywords)
  const step = keywords.type === "integer" ? 1 : 0
  const notes: Array<string> = []
  if (Predicate.isNumber(lowerBound)) {
    keywords.minimum = Math.max(numberOr(keywords.minimum, -Infinity), lowerBound + step)
    if (step === 0) notes.push(`above ${lowerBound}`)
  }
  if (Predicate.isNumber(upperBound)) {
    keywords.maximum = Math.min(numberOr(keywords.maximum, Infinity), upperBound - step)
    if (step === 0) notes.push(`below ${upperBound}`)
  }
  if (Predicate.hasProperty(propertyNames, "maxLength")) {
    notes.push(`names of at most ${propertyNames.maxLength} characters`)
  }
  return notes.length === 0
    ? keywords
    : { ...keywords, description: [keywords.description, ...notes].filter(Predicate.isString).join(", ") }
}

const numberOr = (value: unknown, fallback: number): number => (Predicate.isNumber(value) ? value : fallback)

const immutableFieldNames = (ast: SchemaAST.AST): ReadonlySet<string> =>
  new Set(
    (ast._tag === "Objects" ? ast.propertySignatures : [])
      .filter(({ type }) => type.context?.annotations?.isImmutable === true)
      .map(({ name }) => String(name))
  )

/**
 * Returns a function that replaces the annotations `regionally` and `documentation` by `description`, or removes them where they are
 * not for this deployment or this reader.
 */
const makeDescriber = (target: { readonly deployment: DeploymentName; readonly reader: SchemaReader }) => {
  const isShown: Readonly<Record<string, boolean>> = {
    regionally: target.deployment === "regional",
    documentation: target.reader === "person"
  }
  const describe = (schema: object): Keywords =>
    Object.fromEntries(
      Object.entries(schema).flatMap(([keyword, value]) => {
        // A payload field may have the name of an annotation: its value is a schema and no text.
        if (keyword in isShown && Predicate.isString(value)) return isShown[keyword] ? [["description", value]] : []
        return [[keyword, Array.isArray(value) ? value.map(describeValue) : describeValue(value)]]
      })
    )
  const describeValue = (value: unknown): unknown => (Predicate.isObject(value) ? describe(value) : value)
  return describe
}

const simplifySchema = (schema: unknown): Keywords => {
  if (!Predicate.isObject(schema)) return {}
  const [ownKeywords = {}, ...checks] = flattenChecks(schema)
  const merged = simplifySubschemas(ownKeywords)
  const separateChecks: Array<Keywords> = []
  for (const check of checks) {
    const keywords = simplifySubschemas(check)
    if (Object.entries(keywords).every(([keyword, value]) => canMergeKeyword(merged, keyword, value))) {
      Object.assign(merged, keywords)
    } else separateChecks.push(withDescription(keywords))
  }
  return separateChecks.length === 0 ? withDescription(merged) : { ...withDescription(merged), allOf: separateChecks }
}

/** A schema's own keywords, then those of each check on it, however deep `allOf` nests them. */
const flattenChecks = ({ allOf, ...ownKeywords }: Keywords): ReadonlyArray<Keywords> => [
  dropRedundantText(ownKeywords),
  ...(Array.isArray(allOf) ? allOf.filter(Predicate.isObject).flatMap((part) => flattenChecks({ ...part })) : [])
]

/** The words of a check are needed only where no keyword says the same (`minimum: 1`, "a positive id"). */
const dropRedundantText = ({ expected, ...keywords }: Keywords): Keywords =>
  Object.keys(keywords).length === 0 && expected !== ANY_NUMBER_TEXT ? { expected } : keywords

// What Effect says of `Finite`, and what every number of JSON is.
const ANY_NUMBER_TEXT = "a finite number"

const withDescription = ({ expected, ...keywords }: Keywords): Keywords =>
  expected === undefined || keywords.description !== undefined ? keywords : { ...keywords, description: expected }

const mapSchemas = (schemas: object, transform: (part: unknown) => Keywords): Keywords =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, transform(schema)]))

const SCHEMA_LIST_KEYWORDS = new Set(["anyOf", "oneOf", "allOf", "prefixItems"])
const SCHEMA_KEYWORDS = new Set(["items", "not", "additionalProperties", "propertyNames"])
const SCHEMA_MAP_KEYWORDS = new Set(["properties", "patternProperties", "$defs"])

/** Returns the schema with `transform` applied to each schema directly within it. */
const mapSubschemas = (schema: object, transform: (part: unknown) => Keywords): Keywords => {
  const mapped: Keywords = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (SCHEMA_LIST_KEYWORDS.has(keyword) && Array.isArray(value)) mapped[keyword] = value.map(transform)
    else if (SCHEMA_KEYWORDS.has(keyword) && Predicate.isObject(value)) mapped[keyword] = transform(value)
    else if (SCHEMA_MAP_KEYWORDS.has(keyword) && Predicate.isObject(value))
      mapped[keyword] = mapSchemas(value, transform)
    else mapped[keyword] = value
  }
  return mapped
}

/** Keywords that say nothing to a reader: every whole number is this small. */
const isRedundantBound = (keyword: string, value: unknown): boolean =>
  (keyword === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (keyword === "maximum" && value === Number.MAX_SAFE_INTEGER)

const simplifySubschemas = (schema: Keywords): Keywords =>
  mapSubschemas(
    Object.fromEntries(Object.entries(schema).filter(([keyword, value]) => !isRedundantBound(keyword, value))),
    simplifySchema
  )

/** Words: the last check added to a field knows most about it. */
const ANNOTATION_KEYWORDS = new Set(["description", "expected", "title", "examples", "default", "deprecated"])

/** Keywords that mean the same wherever they stand; `additionalProperties`, say, looks at its neighbours. */
const INDEPENDENT_KEYWORDS = new Set([
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minLength", "maxLength", "pattern", "format"],
  ...["minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "propertyNames"]
])

/** Whether a check's keyword may stand beside the others: one that is there already holds a second time, elsewhere. */
const canMergeKeyword = (merged: Keywords, keyword: string, value: unknown): boolean =>
  ANNOTATION_KEYWORDS.has(keyword) ||
  (INDEPENDENT_KEYWORDS.has(keyword) && (!(keyword in merged) || merged[keyword] === value))
