import { KEY_HEADER } from "../../../contract/idempotency-key.ts"
import { type Described, type DescribedField, type JsonSchema, takesQueryOrBody } from "../described.ts"
import type { Example } from "../examples.ts"
import { tagOf } from "../tags.ts"
import type { Place } from "./paths.ts"
import { responsesOf } from "./responses.ts"

/** What a client generator, a reader and an agent want to know of one operation. */

const parameterOf = (
  { name, place, required, schema }: DescribedField,
  called: string,
  example: unknown
): JsonSchema => {
  const { description, deprecated, ...keywords } = schema
  const told = called === name ? description : `The ${name}${description === undefined ? "" : `: ${description}`}.`
  return {
    name: called,
    in: place,
    required: place === "path" || required,
    ...(told === undefined ? {} : { description: told }),
    ...(deprecated === true ? { deprecated } : {}),
    schema: asText(keywords),
    ...(example === undefined ? {} : { example: Array.isArray(example) ? example.join(",") : example })
  }
}

/** A list in a query is one text, its elements separated by commas: of the forms that a tool takes the text alone. */
const asText = (schema: JsonSchema): JsonSchema => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf)) return schema
  const text = anyOf.find((each: JsonSchema) => each["type"] === "string")
  return text === undefined ? schema : { ...rest, ...text }
}

const keyParameter = { $ref: `#/components/parameters/${KEY_HEADER}` }

const objectOf = (fields: ReadonlyArray<DescribedField>): JsonSchema => {
  const required = fields.filter((field) => field.required).map(({ name }) => name)
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    ...(required.length === 0 ? {} : { required })
  }
}

const bodyOf = (operation: Described, request: JsonSchema): JsonSchema | undefined => {
  const eitherWay = takesQueryOrBody(operation)
  const fields = operation.fields.filter(({ place }) => place === (eitherWay ? "query" : "body"))
  if (fields.length === 0) return undefined
  const schema = objectOf(fields)
  const names = new Set(fields.map(({ name }) => name))
  const example = Object.fromEntries(Object.entries(request).filter(([name]) => names.has(name)))
  const form = operation.needsToken ? {} : { "application/x-www-form-urlencoded": { schema } }
  return {
    ...(eitherWay ? { description: "The fields may be in the query instead; with a body the query is ignored." } : {}),
    required: !eitherWay && fields.some((field) => field.required),
    content: { "application/json": { schema, example }, ...form }
  }
}

/** The block that the specification has for each operation (Tool-protocol endpoint, Machine-readable resources). */
const toolBlockOf = ({ name, tool, readOnly }: Described): JsonSchema =>
  tool === undefined
    ? { exposed: false }
    : {
        exposed: true,
        tool_name: name,
        description: tool.description,
        intent_examples: tool.intentExamples,
        category: tool.category,
        read_only: readOnly,
        requires_confirmation: tool.requiresConfirmation,
        since_version: tool.since
      }

const security = ({ needsToken, readOnly }: Described): ReadonlyArray<JsonSchema> =>
  needsToken
    ? [{ accessToken: [] }, { bearer: [] }, { oauth: [readOnly ? "read-only" : "writable"] }]
    : // Who calls shows a secret or a verifier among the fields, or the secret by HTTP Basic.
      [{}, { client: [] }]

export const operationOf = (operation: Described, { nameOf }: Place, example: Example | undefined): JsonSchema => {
  const { request = {}, answer } = example ?? {}
  const parameters = operation.fields
    .filter(({ place }) => place !== "body")
    // The field may be in the body instead.
    .map((field) => (takesQueryOrBody(operation) ? { ...field, required: false } : field))
    .map((field) => parameterOf(field, field.place === "path" ? nameOf(field.name) : field.name, request[field.name]))
  const requestBody = bodyOf(operation, request)
  const isKeyed = operation.changes && operation.needsToken
  return {
    operationId: operation.name,
    tags: [tagOf(operation)],
    summary: operation.summary,
    description: operation.description,
    security: security(operation),
    parameters: [...parameters, ...(isKeyed ? [keyParameter] : [])],
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: responsesOf(operation, answer),
    "x-mcp": toolBlockOf(operation)
  }
}
