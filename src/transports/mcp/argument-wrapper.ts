import { Predicate } from "effect"

// The MCP library copies arguments twice, field by field, to check that they are an object. One wrapper field costs the
// same at any size. The service validates the arguments.

const WRAPPER_FIELD = "arguments"

export const mapMessages = (json: unknown, transform: (message: unknown) => unknown): unknown =>
  Array.isArray(json) ? json.map(transform) : transform(json)

export const wrapArguments = (json: unknown): unknown => mapMessages(json, wrapMessage)

const wrapMessage = (message: unknown): unknown => {
  if (!Predicate.isObject(message) || message["method"] !== "tools/call") return message
  const { params } = message
  // The library rejects a message whose arguments are not an object.
  if (!Predicate.isObject(params) || !Predicate.isObject(params["arguments"])) return message
  return { ...message, params: { ...params, arguments: { [WRAPPER_FIELD]: params["arguments"] } } }
}

export const unwrapArguments = (wrapped: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => {
  const { [WRAPPER_FIELD]: fields } = wrapped
  return Predicate.isObject(fields) ? fields : {}
}
