import { Predicate, Schema, type SchemaAST } from "effect"
import type { DeploymentName } from "../platform/installation.ts"

/** JSON Schema 2020-12, as MCP requires. */
export interface InputSchema {
  readonly type: "object"
  readonly [keyword: string]: unknown
}

type Keywords = Record<string, unknown>

/**
 * Only recursive parts are references into `$defs`. A rule without a JSON Schema keyword is described by its error
 * text, unless the field has a description.
 */
export const inputSchemaOf = (
  payload: Schema.Constraint,
  deployment: DeploymentName = "international",
  reader: SchemaReader = "person"
): InputSchema => {
  const { schema: writtenSchema, definitions } = Schema.toJsonSchemaDocument(payload, {
    referencePolicy: () => undefined,
    // A validating client can reject unknown arguments before it calls. The endpoint itself only warns.
    onExcessProperty: "error",
    includeAnnotationKey: (key) => INPUT_ANNOTATIONS.has(key)
  })
  const describe = makeDescriber({ deployment, reader })
  const schema = describe(writtenSchema)
  // Effect accepts any value for an empty struct, but tool arguments are always an object.
  const root = schema.type === "object" ? simplifySchema(schema) : { additionalProperties: false }
  return {
    ...root,
    type: "object",
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: mapSchemas(describe(definitions), simplifySchema) })
  }
}

/** Models get no `documentation`, because the schemas of all tools fill their context before the first call. */
type SchemaReader = "person" | "model"

const TEXT_ANNOTATIONS = new Set(["regionally", "documentation"])
const INPUT_ANNOTATIONS = new Set(["expected", "deprecated", ...TEXT_ANNOTATIONS])

/** Allows unknown fields, because later releases may add some. */
export const outputSchemaOf = (success: Schema.Constraint): Readonly<Record<string, unknown>> => {
  const { schema } = Schema.toJsonSchemaDocument(success, {
    referencePolicy: () => undefined,
    includeAnnotationKey: (key) => key === "deprecated" || key === "documentation"
  })
  return simplifySchema(makeDescriber({ deployment: "international", reader: "person" })(schema))
}

/**
 * Hides immutable fields, which clients may still send. Requires the fields of `requiredUnless` and hides the other
 * field, so that a tool keeps its arguments.
 */
export const publishedInputSchemaOf = (
  payload: Schema.Constraint,
  deployment: DeploymentName = "international"
): InputSchema => {
  const schema = withConditionalFields(payload.ast, {
    ...toCommonKeywords(inputSchemaOf(payload, deployment, "model")),
    type: "object"
  })
  const hiddenFields = new Set([...immutableFieldNames(payload.ast), ...replacingFieldNames(payload.ast)])
  if (hiddenFields.size === 0 || !Predicate.isObject(schema.properties)) return schema
  const visibleFields = Object.entries(schema.properties).filter(([name]) => !hiddenFields.has(name))
  return { ...schema, properties: Object.fromEntries(visibleFields) }
}

const replacingFieldNames = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  listKeyAnnotations(ast).flatMap(({ annotations }) => annotations?.requiredUnless?.otherField ?? [])

const withConditionalFields = (ast: SchemaAST.AST, schema: InputSchema): InputSchema => {
  const conditionalNames = fieldNamesWith(ast, (annotations) => annotations?.requiredUnless !== undefined)
  if (conditionalNames.size === 0 || !Predicate.isObject(schema.properties)) return schema
  const requiredNames = new Set([...(Array.isArray(schema.required) ? schema.required : []), ...conditionalNames])
  return { ...schema, required: Object.keys(schema.properties).filter((name) => requiredNames.has(name)) }
}

/**
 * Removes keywords for which some model vendors reject a whole tool list. Bounds become slightly wider, and the
 * description states the exact ones.
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
  fieldNamesWith(ast, (annotations) => annotations?.isImmutable === true)

const fieldNamesWith = (
  ast: SchemaAST.AST,
  matches: (annotations: Schema.Annotations.Key<unknown> | undefined) => boolean
): ReadonlySet<string> =>
  new Set(
    listKeyAnnotations(ast)
      .filter(({ annotations }) => matches(annotations))
      .map(({ name }) => name)
  )

const listKeyAnnotations = (ast: SchemaAST.AST) =>
  (ast._tag === "Objects" ? ast.propertySignatures : []).map(({ name, type }) => ({
    name: String(name),
    annotations: type.context?.annotations
  }))

/** Returns a function that replaces `regionally` and `documentation` by the `description` for this deployment and reader. */
const makeDescriber = (target: { readonly deployment: DeploymentName; readonly reader: SchemaReader }) => {
  /** The first one that a field has is its description. */
  const shownAnnotations = [
    ...(target.deployment === "regional" ? ["regionally"] : []),
    ...(target.reader === "person" ? ["documentation"] : [])
  ]
  const describe = (schema: object): Keywords => {
    const texts = new Map<string, string>()
    const keywords: Keywords = {}
    for (const [keyword, value] of Object.entries(schema)) {
      // If a payload field has the name of an annotation, the value is a schema and not a text.
      if (TEXT_ANNOTATIONS.has(keyword) && Predicate.isString(value)) texts.set(keyword, value)
      else keywords[keyword] = Array.isArray(value) ? value.map(describeValue) : describeValue(value)
    }
    const description = shownAnnotations.map((name) => texts.get(name)).find(Predicate.isNotUndefined)
    return description === undefined ? keywords : { ...keywords, description }
  }
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

const flattenChecks = ({ allOf, ...ownKeywords }: Keywords): ReadonlyArray<Keywords> => [
  dropRedundantText(ownKeywords),
  ...(Array.isArray(allOf) ? allOf.filter(Predicate.isObject).flatMap((part) => flattenChecks({ ...part })) : [])
]

const dropRedundantText = ({ expected, ...keywords }: Keywords): Keywords =>
  Object.keys(keywords).length === 0 && expected !== ANY_NUMBER_TEXT ? { expected } : keywords

// Effect's text for `Finite`. It is dropped, because it is true for every JSON number.
const ANY_NUMBER_TEXT = "a finite number"

const withDescription = ({ expected, ...keywords }: Keywords): Keywords =>
  expected === undefined || keywords.description !== undefined ? keywords : { ...keywords, description: expected }

const mapSchemas = (schemas: object, transform: (part: unknown) => Keywords): Keywords =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, transform(schema)]))

const SCHEMA_LIST_KEYWORDS = new Set(["anyOf", "oneOf", "allOf", "prefixItems"])
const SCHEMA_KEYWORDS = new Set(["items", "not", "additionalProperties", "propertyNames"])
const SCHEMA_MAP_KEYWORDS = new Set(["properties", "patternProperties", "$defs"])

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

const isRedundantBound = (keyword: string, value: unknown): boolean =>
  (keyword === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (keyword === "maximum" && value === Number.MAX_SAFE_INTEGER)

const simplifySubschemas = (schema: Keywords): Keywords =>
  mapSubschemas(
    Object.fromEntries(Object.entries(schema).filter(([keyword, value]) => !isRedundantBound(keyword, value))),
    simplifySchema
  )

/** For these keywords the last check of a field wins, because it is the most specific. */
const ANNOTATION_KEYWORDS = new Set(["description", "expected", "title", "examples", "default", "deprecated"])

/** These keywords do not depend on others, unlike `additionalProperties`. */
const INDEPENDENT_KEYWORDS = new Set([
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minLength", "maxLength", "pattern", "format"],
  ...["minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "propertyNames"]
])

const canMergeKeyword = (merged: Keywords, keyword: string, value: unknown): boolean =>
  ANNOTATION_KEYWORDS.has(keyword) ||
  (INDEPENDENT_KEYWORDS.has(keyword) && (!(keyword in merged) || merged[keyword] === value))
