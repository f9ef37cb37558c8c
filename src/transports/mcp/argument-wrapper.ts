import { Predicate } from "effect"

// Wraps the arguments of tool calls for the protocol library, which copies them field by field, twice, to validate that they are an object.
// The service validates them itself. So the library gets an object with one field, and its cost does not grow with the arguments.

const WRAPPER_FIELD = "arguments"

/** Applies a function to a message, or to each message of a batch. */
export const mapMessages = (json: unknown, transform: (message: unknown) => unknown): unknown =>
  Array.isArray(json) ? json.map(transform) : transform(json)

/** Puts the arguments of each tool call in a message or a batch into an object with one field. */
export const wrapArguments = (json: unknown): unknown => mapMessages(json, wrapMessage)

const wrapMessage = (message: unknown): unknown => {
  if (!Predicate.isObject(message) || message["method"] !== "tools/call") return message
  const { params } = message
  // The library rejects any other value.
  if (!Predicate.isObject(params) || !Predicate.isObject(params["arguments"])) return message
  return { ...message, params: { ...params, arguments: { [WRAPPER_FIELD]: params["arguments"] } } }
}

/** Returns the arguments as the client sent them, or an empty object if the call had none. */
export const unwrapArguments = (wrapped: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => {
  const { [WRAPPER_FIELD]: fields } = wrapped
  return Predicate.isObject(fields) ? fields : {}
}
