import { Predicate, SchemaAST } from "effect"
import { chosenListOf } from "../../contract/chosen-fields.ts"
import { ERROR_CODES } from "../../contract/errors.ts"
import { answerSchemaOf, type InputSchema, inputSchemaOf, publishedSchemaOf } from "../../contract/input-schema.ts"
import {
  type AnyOperation,
  exposureOf,
  type Family,
  familyOf,
  hasStatus,
  isChange,
  isRead,
  type Method,
  needsToken,
  routeOf,
  summaryOf,
  type ToolCard,
  toolCardOf
} from "../../contract/operation.ts"
import type { DeploymentName } from "../../platform/installation.ts"
import { operations } from "../../service/Api.ts"

// Every operation as documents speak of it: read from its contract, and from nothing else. OpenAPI, the reference pages and the
// client are three ways to write down the same.

export type JsonSchema = Readonly<Record<string, unknown>>

/** Where REST takes a field from. */
export type FieldPlace = "path" | "query" | "body"

export interface DescribedField {
  readonly name: string
  readonly place: FieldPlace
  readonly required: boolean
  readonly schema: JsonSchema
  /** A tool does not show it: sent with the value there is, it is taken, so that a record can be sent back whole. */
  readonly neverChanges: boolean
}

export interface Described {
  readonly operation: AnyOperation
  /** Its name, which is the tool's, if it is one. */
  readonly name: string
  readonly method: Method
  /** Below `/v3`; names in braces are its path fields. */
  readonly path: string
  readonly summary: string
  /** What the tool's card says; of what is no tool, the summary alone. */
  readonly description: string
  readonly family: Family
  readonly tool: (Family & ToolCard) | undefined
  /** Why it is no tool. */
  readonly notATool: string | undefined
  readonly fields: ReadonlyArray<DescribedField>
  /** What a tool's arguments are: all fields together. */
  readonly input: InputSchema
  /** The list of its answer whose rows have only what `fields` asks for; else they are whole. */
  readonly narrows: string | undefined
  /** What `data` is where it succeeds. */
  readonly answer: JsonSchema
  /** The error codes it can answer, ascending. */
  readonly errors: ReadonlyArray<number>
  readonly needsToken: boolean
  /** Whether a failure has an HTTP status other than 200, also for a JSON request. */
  readonly hasStatus: boolean
  /** A read-only token is enough. */
  readonly readOnly: boolean
  /** Whether it takes an idempotency key and leaves a trail. */
  readonly changes: boolean
}

/** Returns whether a call may send its fields, except those of the path, in the query or in a body instead. */
export const takesQueryOrBody = ({ method, fields }: Described): boolean =>
  method === "DELETE" && fields.some(({ place }) => place === "query")

const record = (value: unknown): JsonSchema => (Predicate.isObject(value) ? { ...value } : {})

const neverChanging = (operation: AnyOperation): ReadonlySet<string> => {
  const { ast } = operation.payloadSchema
  const signatures = SchemaAST.isObjects(ast) ? ast.propertySignatures : []
  return new Set(
    signatures.filter(({ type }) => type.context?.annotations?.neverChanges === true).map(({ name }) => String(name))
  )
}

/** Drops the alternative "any value" of {@link unchangeable}, so that documents show the type of the field. */
const withoutAnyValue = (schema: JsonSchema): JsonSchema => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf)) return schema
  const [only, ...others] = anyOf.slice(0, -1)
  return others.length === 0 ? { ...rest, ...record(only) } : { ...rest, anyOf: [only, ...others] }
}

const fieldsOf = (operation: AnyOperation, deployment: DeploymentName): ReadonlyArray<DescribedField> => {
  const { method, params } = routeOf(operation)
  const { properties, required } = inputSchemaOf(operation.payloadSchema, deployment)
  const fixed = neverChanging(operation)
  const inRest = method === "GET" || method === "DELETE" ? "query" : "body"
  return Object.entries(record(properties)).map(([name, schema]) => ({
    name,
    place: params.includes(name) ? "path" : inRest,
    required: Array.isArray(required) && required.includes(name),
    schema: fixed.has(name) ? withoutAnyValue(record(schema)) : record(schema),
    neverChanges: fixed.has(name)
  }))
}

const UPSTREAM = [502, 503, 504]

/** What an operation itself says it can answer. */
const declared = ({ errorSchema }: AnyOperation): ReadonlyArray<number> => {
  const tags = SchemaAST.isUnion(errorSchema.ast) ? errorSchema.ast.types.map(tagOf) : [tagOf(errorSchema.ast)]
  return tags.flatMap((tag) => {
    if (tag === "Upstream") return UPSTREAM
    const [, code] = Object.entries(ERROR_CODES).find(([each]) => each === tag) ?? []
    return code === undefined ? [] : [code]
  })
}

const tagOf = (ast: SchemaAST.AST): string => String(ast.annotations?.identifier ?? "")

/** The Gate answers the first three, and 500 is for what nobody foresaw; who changes something may come a second time too soon (409). */
const ofEveryCall = (operation: AnyOperation): ReadonlyArray<number> => [
  // Where no token is looked at, an `Authorization: Basic` is read.
  ERROR_CODES.Unauthenticated,
  ...(needsToken(operation) ? [ERROR_CODES.SubscriptionRequired] : []),
  ERROR_CODES.RateLimited,
  ERROR_CODES.ServerError,
  ...(isChange(operation) && needsToken(operation) ? [ERROR_CODES.Conflict] : [])
]

const describedIn = (operation: AnyOperation, deployment: DeploymentName): Described => {
  const { method, path } = routeOf(operation)
  const tool = toolCardOf(operation)
  const exposure = exposureOf(operation)
  return {
    operation,
    name: operation._tag,
    method,
    path,
    summary: summaryOf(operation),
    description: tool?.description ?? summaryOf(operation),
    family: familyOf(operation),
    tool,
    notATool: "notATool" in exposure ? exposure.notATool : undefined,
    fields: fieldsOf(operation, deployment),
    input: publishedSchemaOf(operation.payloadSchema, deployment),
    narrows: chosenListOf(operation.payloadSchema.ast),
    answer: answerSchemaOf(operation.successSchema),
    errors: Array.from(new Set([...declared(operation), ...ofEveryCall(operation)])).toSorted((a, b) => a - b),
    needsToken: needsToken(operation),
    hasStatus: hasStatus(operation),
    readOnly: isRead(operation),
    changes: isChange(operation)
  }
}

const written = new Map<DeploymentName, ReadonlyArray<Described>>()

/**
 * All of them, in the order of the contracts, as a deployment says it. Written when they are first wanted: a command that wants
 * none need not wait for them.
 */
export const operationsOf = (deployment: DeploymentName = "international"): ReadonlyArray<Described> => {
  const described = written.get(deployment) ?? operations.map((operation) => describedIn(operation, deployment))
  written.set(deployment, described)
  return described
}
