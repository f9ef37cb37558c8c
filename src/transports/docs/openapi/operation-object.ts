import { IDEMPOTENCY_KEY_HEADER } from "../../../contract/idempotency-key.ts"
import {
  type FieldDescription,
  type JsonSchema,
  type OperationDescription,
  takesQueryOrBody
} from "../operation-descriptions.ts"
import type { OperationExample } from "../operation-examples.ts"
import { operationTagName } from "../operation-tags.ts"
import type { PathItemLocation } from "./path-items.ts"
import { toResponses } from "./responses.ts"

const toParameter = (
  { name, location, required, schema }: FieldDescription,
  parameterName: string,
  example: unknown
): JsonSchema => {
  const { description, deprecated, ...keywords } = schema
  const parameterDescription =
    parameterName === name ? description : `The ${name}${description === undefined ? "" : `: ${description}`}.`
  return {
    name: parameterName,
    in: location,
    required: location === "path" || required,
    ...(parameterDescription === undefined ? {} : { description: parameterDescription }),
    ...(deprecated === true ? { deprecated } : {}),
    schema: toTextSchema(keywords),
    ...(example === undefined ? {} : { example: Array.isArray(example) ? example.join(",") : example })
  }
}

/** Keeps only the text alternative of a list, because a query contains a list as one comma-separated text. */
const toTextSchema = (schema: JsonSchema): JsonSchema => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf)) return schema
  const text = anyOf.find((each: JsonSchema) => each["type"] === "string")
  return text === undefined ? schema : { ...rest, ...text }
}

const idempotencyKeyReference = { $ref: `#/components/parameters/${IDEMPOTENCY_KEY_HEADER}` }

const toObjectSchema = (fields: ReadonlyArray<FieldDescription>, rejectsUnknownFields: boolean): JsonSchema => {
  const required = fields.filter((field) => field.required).map(({ name }) => name)
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    ...(required.length === 0 ? {} : { required }),
    ...(rejectsUnknownFields ? { additionalProperties: false } : {})
  }
}

const toRequestBody = (operation: OperationDescription, request: JsonSchema): JsonSchema | undefined => {
  const isQueryOrBody = takesQueryOrBody(operation)
  const fields = operation.fields.filter(({ location }) => location === (isQueryOrBody ? "query" : "body"))
  if (fields.length === 0) return undefined
  const schema = toObjectSchema(fields, operation.rejectsUnknownFields)
  const names = new Set(fields.map(({ name }) => name))
  const example = Object.fromEntries(Object.entries(request).filter(([name]) => names.has(name)))
  const formContent = operation.needsToken ? {} : { "application/x-www-form-urlencoded": { schema } }
  return {
    ...(isQueryOrBody
      ? { description: "The fields may be in the query instead; with a body the query is ignored." }
      : {}),
    required: !isQueryOrBody && fields.some((field) => field.required),
    content: { "application/json": { schema, example }, ...formContent }
  }
}

/** Returns the `x-mcp` block (specification, Tool-protocol endpoint and Machine-readable resources). */
const toMcpExtension = ({ name, tool, isReadOnly }: OperationDescription): JsonSchema =>
  tool === undefined
    ? { exposed: false }
    : {
        exposed: true,
        tool_name: name,
        description: tool.description,
        intent_examples: tool.intentExamples,
        category: tool.category,
        read_only: isReadOnly,
        requires_confirmation: tool.requiresConfirmation,
        since_version: tool.since
      }

const securityRequirements = ({ needsToken, isReadOnly }: OperationDescription): ReadonlyArray<JsonSchema> =>
  needsToken
    ? [{ accessToken: [] }, { bearer: [] }, { oauth: [isReadOnly ? "read-only" : "writable"] }]
    : // The caller sends its secret or verifier in the fields, or the secret by HTTP Basic.
      [{}, { client: [] }]

export const toOperationObject = (
  operation: OperationDescription,
  { parameterNameOf }: PathItemLocation,
  example: OperationExample | undefined
): JsonSchema => {
  const { request = {}, answer } = example ?? {}
  const parameters = operation.fields
    .filter(({ location }) => location !== "body")
    // The parameter is optional, because the caller may send the field in the body.
    .map((field) => (takesQueryOrBody(operation) ? { ...field, required: false } : field))
    .map((field) =>
      toParameter(field, field.location === "path" ? parameterNameOf(field.name) : field.name, request[field.name])
    )
  const requestBody = toRequestBody(operation, request)
  const takesIdempotencyKey = operation.isChange && operation.needsToken
  return {
    operationId: operation.name,
    tags: [operationTagName(operation)],
    summary: operation.summary,
    description: operation.description,
    security: securityRequirements(operation),
    parameters: [...parameters, ...(takesIdempotencyKey ? [idempotencyKeyReference] : [])],
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: toResponses(operation, answer),
    "x-mcp": toMcpExtension(operation),
    ...(operation.isExtension ? { "x-latchkey": { extension: true } } : {})
  }
}
