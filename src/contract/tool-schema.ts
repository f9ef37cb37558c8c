import { Predicate, Schema, type SchemaAST } from "effect"
import type { DeploymentName } from "../platform/installation.ts"

/** What MCP asks of a tool's input schema: JSON Schema, draft 2020-12, of an object. */
export interface InputSchema {
  readonly type: "object"
  readonly [keyword: string]: unknown
}

type Keywords = Record<string, unknown>

/**
 * The JSON Schema of an operation's payload as a tool shows it: everything in place (a recursive part alone stays a
 * reference into `$defs`), and short, because a model reads all of them before its first call. What no keyword can say
 * of a field is said in the words its check answers a refusal with, unless the field has a description of its own.
 */
export const inputSchemaOf = (
  payload: Schema.Constraint,
  deployment: DeploymentName = "international"
): InputSchema => {
  const { schema: writtenSchema, definitions } = Schema.toJsonSchemaDocument(payload, {
    referencePolicy: () => undefined,
    // A tool tells of what it does not know (unknown-arguments.ts); a client that looks first need not call.
    onExcessProperty: "error",
    includeAnnotationKey: (key) => key === "expected" || key === "deprecated" || key === "regionally"
  })
  const schema = describeForDeployment(deployment, writtenSchema)
  // An operation without fields takes any value in Effect's eyes; a tool's arguments are always an object.
  const root = schema.type === "object" ? simplifySchema(schema) : { additionalProperties: false }
  return {
    ...root,
    type: "object",
    ...(Object.keys(definitions).length === 0
      ? {}
      : { $defs: mapSchemas(describeForDeployment(deployment, definitions), simplifySchema) })
  }
}

/** The JSON Schema of what an operation answers, in the same manner; fields that come with a later release are let through. */
export const outputSchemaOf = (success: Schema.Constraint): Readonly<Record<string, unknown>> =>
  simplifySchema(
    Schema.toJsonSchemaDocument(success, {
      referencePolicy: () => undefined,
      includeAnnotationKey: (key) => key === "deprecated"
    }).schema
  )

/**
 * Returns the schema that tools show: with common keywords only, and without the fields of an edit that never change. A client may
 * still send those fields, as in REST.
 */
export const publishedInputSchemaOf = (
  payload: Schema.Constraint,
  deployment: DeploymentName = "international"
): InputSchema => {
  const schema: InputSchema = { ...toCommonKeywords(inputSchemaOf(payload, deployment)), type: "object" }
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

/** With what a deployment says of a field, where the two say different things. */
const describeForDeployment = (deployment: DeploymentName, schema: object): Keywords =>
  Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) => {
      if (keyword === "regionally") return deployment === "regional" ? [["description", value]] : []
      return [
        [
          keyword,
          Array.isArray(value)
            ? value.map((each) => describeValueForDeployment(deployment, each))
            : describeValueForDeployment(deployment, value)
        ]
      ]
    })
  )

const describeValueForDeployment = (deployment: DeploymentName, value: unknown): unknown =>
  Predicate.isObject(value) ? describeForDeployment(deployment, value) : value

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
