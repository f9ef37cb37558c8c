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
  const { schema: written, definitions } = Schema.toJsonSchemaDocument(payload, {
    referencePolicy: () => undefined,
    // A tool tells of what it does not know (ignored.ts); a client that looks first need not call.
    onExcessProperty: "error",
    includeAnnotationKey: (key) => key === "expected" || key === "deprecated" || key === "regionally"
  })
  const schema = saidIn(deployment, written)
  // An operation without fields takes any value in Effect's eyes; a tool's arguments are always an object.
  const root = schema.type === "object" ? shortened(schema) : { additionalProperties: false }
  return {
    ...root,
    type: "object",
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: eachOf(saidIn(deployment, definitions), shortened) })
  }
}

/** The JSON Schema of what an operation answers, in the same manner; fields that come with a later release are let through. */
export const answerSchemaOf = (success: Schema.Constraint): Readonly<Record<string, unknown>> =>
  shortened(
    Schema.toJsonSchemaDocument(success, {
      referencePolicy: () => undefined,
      includeAnnotationKey: (key) => key === "deprecated"
    }).schema
  )

/**
 * Returns the schema that tools show: with common keywords only, and without the fields of an edit that never change. A client may
 * still send those fields, as in REST.
 */
export const publishedSchemaOf = (
  payload: Schema.Constraint,
  deployment: DeploymentName = "international"
): InputSchema => {
  const schema: InputSchema = { ...inCommonKeywords(inputSchemaOf(payload, deployment)), type: "object" }
  const hidden = neverChanging(payload.ast)
  if (hidden.size === 0 || !Predicate.isObject(schema.properties)) return schema
  const shown = Object.entries(schema.properties).filter(([name]) => !hidden.has(name))
  return { ...schema, properties: Object.fromEntries(shown) }
}

/**
 * Replaces `exclusiveMinimum`, `exclusiveMaximum` and `propertyNames`, because some vendors of language models reject a whole list
 * of tools for one of them. The remaining bounds are slightly wider, and the description states the exact ones.
 */
const inCommonKeywords = (schema: unknown): Keywords => {
  if (!Predicate.isObject(schema)) return {}
  const {
    exclusiveMinimum: above,
    exclusiveMaximum: below,
    propertyNames,
    ...kept
  } = withParts(schema, inCommonKeywords)
  const step = kept.type === "integer" ? 1 : 0
  const words: Array<string> = []
  if (Predicate.isNumber(above)) {
    kept.minimum = Math.max(numberOr(kept.minimum, -Infinity), above + step)
    if (step === 0) words.push(`above ${above}`)
  }
  if (Predicate.isNumber(below)) {
    kept.maximum = Math.min(numberOr(kept.maximum, Infinity), below - step)
    if (step === 0) words.push(`below ${below}`)
  }
  if (Predicate.hasProperty(propertyNames, "maxLength")) {
    words.push(`names of at most ${propertyNames.maxLength} characters`)
  }
  return words.length === 0
    ? kept
    : { ...kept, description: [kept.description, ...words].filter(Predicate.isString).join(", ") }
}

const numberOr = (value: unknown, otherwise: number): number => (Predicate.isNumber(value) ? value : otherwise)

const neverChanging = (ast: SchemaAST.AST): ReadonlySet<string> =>
  new Set(
    (ast._tag === "Objects" ? ast.propertySignatures : [])
      .filter(({ type }) => type.context?.annotations?.neverChanges === true)
      .map(({ name }) => String(name))
  )

/** With what a deployment says of a field, where the two say different things. */
const saidIn = (deployment: DeploymentName, schema: object): Keywords =>
  Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) => {
      if (keyword === "regionally") return deployment === "regional" ? [["description", value]] : []
      return [
        [keyword, Array.isArray(value) ? value.map((each) => saidOf(deployment, each)) : saidOf(deployment, value)]
      ]
    })
  )

const saidOf = (deployment: DeploymentName, value: unknown): unknown =>
  Predicate.isObject(value) ? saidIn(deployment, value) : value

const shortened = (schema: unknown): Keywords => {
  if (!Predicate.isObject(schema)) return {}
  const [own = {}, ...checks] = flattened(schema)
  const merged = withShortParts(own)
  const apart: Array<Keywords> = []
  for (const check of checks) {
    const keywords = withShortParts(check)
    if (Object.entries(keywords).every(([keyword, value]) => fitsInto(merged, keyword, value))) {
      Object.assign(merged, keywords)
    } else apart.push(described(keywords))
  }
  return apart.length === 0 ? described(merged) : { ...described(merged), allOf: apart }
}

/** A schema's own keywords, then those of each check on it, however deep `allOf` nests them. */
const flattened = ({ allOf, ...own }: Keywords): ReadonlyArray<Keywords> => [
  withoutEcho(own),
  ...(Array.isArray(allOf) ? allOf.filter(Predicate.isObject).flatMap((part) => flattened({ ...part })) : [])
]

/** The words of a check are needed only where no keyword says the same (`minimum: 1`, "a positive id"). */
const withoutEcho = ({ expected, ...keywords }: Keywords): Keywords =>
  Object.keys(keywords).length === 0 && expected !== EVERY_NUMBER ? { expected } : keywords

// What Effect says of `Finite`, and what every number of JSON is.
const EVERY_NUMBER = "a finite number"

const described = ({ expected, ...keywords }: Keywords): Keywords =>
  expected === undefined || keywords.description !== undefined ? keywords : { ...keywords, description: expected }

const eachOf = (schemas: object, read: (part: unknown) => Keywords): Keywords =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, read(schema)]))

const LISTS = new Set(["anyOf", "oneOf", "allOf", "prefixItems"])
const NESTED = new Set(["items", "not", "additionalProperties", "propertyNames"])
const NAMED = new Set(["properties", "patternProperties", "$defs"])

/** Returns the schema with `read` applied to each schema directly within it. */
const withParts = (schema: object, read: (part: unknown) => Keywords): Keywords => {
  const all: Keywords = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (LISTS.has(keyword) && Array.isArray(value)) all[keyword] = value.map(read)
    else if (NESTED.has(keyword) && Predicate.isObject(value)) all[keyword] = read(value)
    else if (NAMED.has(keyword) && Predicate.isObject(value)) all[keyword] = eachOf(value, read)
    else all[keyword] = value
  }
  return all
}

/** Keywords that say nothing to a reader: every whole number is this small. */
const saysNothing = (keyword: string, value: unknown): boolean =>
  (keyword === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (keyword === "maximum" && value === Number.MAX_SAFE_INTEGER)

const withShortParts = (schema: Keywords): Keywords =>
  withParts(
    Object.fromEntries(Object.entries(schema).filter(([keyword, value]) => !saysNothing(keyword, value))),
    shortened
  )

/** Words: the last check added to a field knows most about it. */
const WORDS = new Set(["description", "expected", "title", "examples", "default", "deprecated"])

/** Keywords that mean the same wherever they stand; `additionalProperties`, say, looks at its neighbours. */
const ALONE = new Set([
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minLength", "maxLength", "pattern", "format"],
  ...["minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "propertyNames"]
])

/** Whether a check's keyword may stand beside the others: one that is there already holds a second time, elsewhere. */
const fitsInto = (merged: Keywords, keyword: string, value: unknown): boolean =>
  WORDS.has(keyword) || (ALONE.has(keyword) && (!(keyword in merged) || merged[keyword] === value))
