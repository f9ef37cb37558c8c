import { Predicate, SchemaAST } from "effect"
import { ERROR_CODES } from "../../contract/errors.ts"
import { selectableListOf } from "../../contract/field-selection.ts"
import {
  type AnyOperation,
  detailsOf,
  exposureOf,
  familyOf,
  isAllowedForReadOnlyToken,
  isChange,
  isExtension,
  type Method,
  needsToken,
  type OperationFamily,
  routeOf,
  summaryOf,
  type ToolMetadata,
  toolMetadataOf,
  usesHttpStatus
} from "../../contract/operation.ts"
import { type InputSchema, inputSchemaOf, outputSchemaOf, publishedInputSchemaOf } from "../../contract/tool-schema.ts"
import type { DeploymentName } from "../../platform/installation.ts"
import { operations } from "../../service/Api.ts"

// Every operation as documents speak of it: read from its contract, and from nothing else. OpenAPI, the reference pages and the
// client are three ways to write down the same.

export type JsonSchema = Readonly<Record<string, unknown>>

/** Where REST takes a field from. */
type FieldLocation = "path" | "query" | "body"

export interface FieldDescription {
  readonly name: string
  readonly location: FieldLocation
  readonly required: boolean
  readonly schema: JsonSchema
  /** A tool does not show it: sent with the value there is, it is taken, so that a record can be sent back whole. */
  readonly isImmutable: boolean
}

export interface OperationDescription {
  readonly operation: AnyOperation
  /** Its name, which is the tool's, if it is one. */
  readonly name: string
  readonly method: Method
  /** Below `/v3`; names in braces are its path fields. */
  readonly path: string
  readonly summary: string
  /** The tool's description, or else the summary; then the details, if any. */
  readonly description: string
  readonly family: OperationFamily
  readonly tool: (OperationFamily & ToolMetadata) | undefined
  /** Why it is no tool. */
  readonly notAToolReason: string | undefined
  /** True if it is an extension: the specification does not have it. */
  readonly isExtension: boolean
  readonly fields: ReadonlyArray<FieldDescription>
  /** What a tool's arguments are: all fields together. */
  readonly inputSchema: InputSchema
  /** The list of its answer whose rows have only what `fields` asks for; else they are whole. */
  readonly selectableList: string | undefined
  /** What `data` is where it succeeds. */
  readonly resultSchema: JsonSchema
  /** The error codes it can answer, ascending. */
  readonly errors: ReadonlyArray<number>
  readonly needsToken: boolean
  /** Whether a failure has an HTTP status other than 200, also for a JSON request. */
  readonly usesHttpStatus: boolean
  /** A read-only token is enough. */
  readonly isReadOnly: boolean
  /** Whether it takes an idempotency key and leaves a trail. */
  readonly isChange: boolean
  /** Whether an unknown field is an error, and is not ignored. */
  readonly rejectsUnknownFields: boolean
}

/** Returns whether a call may send its fields, except those of the path, in the query or in a body instead. */
export const takesQueryOrBody = ({ method, fields }: OperationDescription): boolean =>
  method === "DELETE" && fields.some(({ location }) => location === "query")

const toSchema = (value: unknown): JsonSchema => (Predicate.isObject(value) ? { ...value } : {})

const immutableFieldNames = (operation: AnyOperation): ReadonlySet<string> => {
  const { ast } = operation.payloadSchema
  const signatures = SchemaAST.isObjects(ast) ? ast.propertySignatures : []
  return new Set(
    signatures.filter(({ type }) => type.context?.annotations?.isImmutable === true).map(({ name }) => String(name))
  )
}

/** Drops the alternative "any value" of `immutableField`, so that documents show the type of the field. */
const withoutAnyValue = (schema: JsonSchema): JsonSchema => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf)) return schema
  const [firstAlternative, ...otherAlternatives] = anyOf.slice(0, -1)
  return otherAlternatives.length === 0
    ? { ...rest, ...toSchema(firstAlternative) }
    : { ...rest, anyOf: [firstAlternative, ...otherAlternatives] }
}

const describeFields = (operation: AnyOperation, deployment: DeploymentName): ReadonlyArray<FieldDescription> => {
  const { method, params } = routeOf(operation)
  const { properties, required } = inputSchemaOf(operation.payloadSchema, deployment)
  const immutableNames = immutableFieldNames(operation)
  const restLocation = method === "GET" || method === "DELETE" ? "query" : "body"
  return Object.entries(toSchema(properties)).map(([name, schema]) => ({
    name,
    location: params.includes(name) ? "path" : restLocation,
    required: Array.isArray(required) && required.includes(name),
    schema: immutableNames.has(name) ? withoutAnyValue(toSchema(schema)) : toSchema(schema),
    isImmutable: immutableNames.has(name)
  }))
}

const UPSTREAM_CODES = [502, 503, 504]

/** What an operation itself says it can answer. */
const declaredErrorCodes = ({ errorSchema }: AnyOperation): ReadonlyArray<number> => {
  const tags = SchemaAST.isUnion(errorSchema.ast) ? errorSchema.ast.types.map(errorTag) : [errorTag(errorSchema.ast)]
  return tags.flatMap((tag) => {
    if (tag === "Upstream") return UPSTREAM_CODES
    const [, code] = Object.entries(ERROR_CODES).find(([each]) => each === tag) ?? []
    return code === undefined ? [] : [code]
  })
}

const errorTag = (ast: SchemaAST.AST): string => String(ast.annotations?.identifier ?? "")

/** The Gate answers the first three, and 500 is for what nobody foresaw; who changes something may come a second time too soon (409). */
const commonErrorCodes = (operation: AnyOperation): ReadonlyArray<number> => [
  // Where no token is looked at, an `Authorization: Basic` is read.
  ERROR_CODES.Unauthenticated,
  ...(needsToken(operation) ? [ERROR_CODES.SubscriptionRequired] : []),
  ERROR_CODES.RateLimited,
  ERROR_CODES.ServerError,
  ...(isChange(operation) && needsToken(operation) ? [ERROR_CODES.Conflict] : [])
]

const describeOperation = (operation: AnyOperation, deployment: DeploymentName): OperationDescription => {
  const { method, path } = routeOf(operation)
  const tool = toolMetadataOf(operation)
  const exposure = exposureOf(operation)
  return {
    operation,
    name: operation._tag,
    method,
    path,
    summary: summaryOf(operation),
    description: [tool?.description ?? summaryOf(operation), detailsOf(operation)]
      .filter(Predicate.isString)
      .join("\n\n"),
    family: familyOf(operation),
    tool,
    notAToolReason: "notATool" in exposure ? exposure.notATool : undefined,
    isExtension: isExtension(operation),
    fields: describeFields(operation, deployment),
    inputSchema: publishedInputSchemaOf(operation.payloadSchema, deployment),
    selectableList: selectableListOf(operation.payloadSchema.ast),
    resultSchema: outputSchemaOf(operation.successSchema),
    errors: Array.from(new Set([...declaredErrorCodes(operation), ...commonErrorCodes(operation)])).toSorted(
      (a, b) => a - b
    ),
    needsToken: needsToken(operation),
    usesHttpStatus: usesHttpStatus(operation),
    isReadOnly: isAllowedForReadOnlyToken(operation),
    isChange: isChange(operation),
    rejectsUnknownFields: routeOf(operation).rejectsUnknownFields === true
  }
}

const descriptionsByDeployment = new Map<DeploymentName, ReadonlyArray<OperationDescription>>()

/**
 * All of them, in the order of the contracts, as a deployment says it. Written when they are first wanted: a command that wants
 * none need not wait for them.
 */
export const describeOperations = (
  deployment: DeploymentName = "international"
): ReadonlyArray<OperationDescription> => {
  const descriptions =
    descriptionsByDeployment.get(deployment) ?? operations.map((operation) => describeOperation(operation, deployment))
  descriptionsByDeployment.set(deployment, descriptions)
  return descriptions
}
