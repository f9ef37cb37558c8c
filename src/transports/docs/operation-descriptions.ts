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

// Derived from the contracts of the operations. OpenAPI, the reference pages and the client render these descriptions.

export type JsonSchema = Readonly<Record<string, unknown>>

type FieldLocation = "path" | "query" | "body"

export interface FieldDescription {
  readonly name: string
  readonly location: FieldLocation
  readonly required: boolean
  readonly schema: JsonSchema
  /** Edits accept only the current value of such a field, and tools do not show it. */
  readonly isImmutable: boolean
}

export interface OperationDescription {
  readonly operation: AnyOperation
  readonly name: string
  readonly method: Method
  /** Begins after `/v3`. */
  readonly path: string
  readonly summary: string
  /** The tool's description, or the summary if there is no tool, followed by the details. */
  readonly description: string
  readonly family: OperationFamily
  readonly tool: (OperationFamily & ToolMetadata) | undefined
  readonly notAToolReason: string | undefined
  /** Whether the operation is not in the specification. */
  readonly isExtension: boolean
  readonly fields: ReadonlyArray<FieldDescription>
  readonly inputSchema: InputSchema
  /** Name of the result's list whose fields the caller can select with `fields`. */
  readonly selectableList: string | undefined
  readonly resultSchema: JsonSchema
  readonly errors: ReadonlyArray<number>
  readonly needsToken: boolean
  /** Whether errors have an HTTP status other than 200, even if the request is JSON. */
  readonly usesHttpStatus: boolean
  readonly isReadOnly: boolean
  readonly isChange: boolean
  readonly rejectsUnknownFields: boolean
}

/** Whether the fields outside the path may be in the query or in the body. */
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

/** Removes the alternative "any value" with which the schema of an `immutableField` (contract/fields.ts) ends. */
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

const declaredErrorCodes = ({ errorSchema }: AnyOperation): ReadonlyArray<number> => {
  const tags = SchemaAST.isUnion(errorSchema.ast) ? errorSchema.ast.types.map(errorTag) : [errorTag(errorSchema.ast)]
  return tags.flatMap((tag) => {
    if (tag === "Upstream") return UPSTREAM_CODES
    const [, code] = Object.entries(ERROR_CODES).find(([each]) => each === tag) ?? []
    return code === undefined ? [] : [code]
  })
}

const errorTag = (ast: SchemaAST.AST): string => String(ast.annotations?.identifier ?? "")

/** 409 means that a call with the same idempotency key is still running. */
const commonErrorCodes = (operation: AnyOperation): ReadonlyArray<number> => [
  // Even an operation without a token rejects an unreadable `Authorization: Basic`.
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

/** Built at the first call, so that commands without descriptions start faster. */
export const describeOperations = (
  deployment: DeploymentName = "international"
): ReadonlyArray<OperationDescription> => {
  const descriptions =
    descriptionsByDeployment.get(deployment) ?? operations.map((operation) => describeOperation(operation, deployment))
  descriptionsByDeployment.set(deployment, descriptions)
  return descriptions
}
