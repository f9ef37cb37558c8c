import { ERROR_TABLE, findErrorRow } from "../error-table.ts"
import type { JsonSchema, OperationDescription } from "../operation-descriptions.ts"

// Operations that need a token always return HTTP status 200 (specification, Errors). So one response schema covers
// success and all errors.

const REQUEST_ID: JsonSchema = { type: "string", description: "Identifies the request. Name it when you ask for help." }

const schemaReference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

const toEnvelopeSchema = (code: number, message: JsonSchema, data: JsonSchema): JsonSchema => ({
  type: "object",
  properties: { request_id: REQUEST_ID, error_code: { type: "integer", const: code }, error_msg: message, data },
  required: ["request_id", "error_code", "error_msg", "data"]
})

const errorSchemaName = (code: number): string => `Error${code}`

export const errorSchemas = (): Record<string, JsonSchema> =>
  Object.fromEntries(
    ERROR_TABLE.map(({ code, title, meaning, advice }) => [
      errorSchemaName(code),
      {
        ...toEnvelopeSchema(
          code,
          { type: "string", description: "Short English text for people." },
          { type: "object" }
        ),
        title,
        description: `${meaning} ${advice}`
      }
    ])
  )

export const toResponseSchema = ({ resultSchema, errors }: OperationDescription): JsonSchema => ({
  oneOf: [
    toEnvelopeSchema(0, { type: "string", const: "" }, resultSchema),
    ...errors.map((code) => schemaReference(errorSchemaName(code)))
  ]
})

const headerObject = (description: string, schema: JsonSchema = { type: "string" }): JsonSchema => ({
  description,
  schema
})

export const responseHeaders = (): Record<string, JsonSchema> => ({
  "X-Request-Id": headerObject("The request_id of the body."),
  "Retry-After": headerObject("Seconds to wait, with error_code 429 and with some 409, 500 and 503.", {
    type: "integer"
  }),
  "X-RateLimit-Scope": headerObject(
    "With 429: the layer whose window is full: user, endpoint, token, endpoint_error or conversation."
  ),
  "X-RateLimit-Window": headerObject("With 429: the window that is full, such as 1m."),
  "X-RateLimit-Reason": headerObject("With 429: the limit in words.")
})

const headerReferences = Object.fromEntries(
  Object.keys(responseHeaders()).map((name) => [name, { $ref: `#/components/headers/${name}` }])
)

const errorListText = ({ errors }: OperationDescription): string =>
  errors.map((code) => `- ${code}: ${findErrorRow(code)?.meaning ?? ""}`).join("\n")

/** HTTP statuses of failed form requests. OAuth libraries read them (RFC 6749 5.2). */
const STATUSES_OF_FORMS: ReadonlyArray<readonly [string, string]> = [
  ["400", "To a form: the request or its credentials are invalid."],
  ["401", "To a form: the client is unknown."],
  ["429", "To a form: too many attempts."]
]

/** HTTP statuses of a failed registration (RFC 7591 3.2.2). */
const STATUSES_OF_REGISTRATIONS: ReadonlyArray<readonly [string, string]> = [
  ["400", "The registration is rejected; error and error_description give the reason."],
  ["429", "Too many registrations; Retry-After gives the seconds to wait."],
  ["501", "This service has no public client."]
]

export const toResponses = (operation: OperationDescription, example: unknown): JsonSchema => {
  const schema = toResponseSchema(operation)
  const content = { "application/json": { schema, ...(example === undefined ? {} : { example }) } }
  const summary = operation.usesHttpStatus
    ? "The envelope of a success."
    : "The envelope of a success or a failure. error_code 0 is success."
  const description = `${summary}\n\n${errorListText(operation)}`
  const successResponse = { description, headers: headerReferences, content }
  if (operation.needsToken) return { "200": successResponse }
  const statuses = operation.usesHttpStatus ? STATUSES_OF_REGISTRATIONS : STATUSES_OF_FORMS
  const formResponses = statuses.map(([status, description]) => [
    status,
    { description, headers: headerReferences, content: { "application/json": { schema } } }
  ])
  return { "200": successResponse, ...Object.fromEntries(formResponses) }
}
