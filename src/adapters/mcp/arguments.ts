import { Predicate } from "effect"

// The protocol library copies the arguments of a tool call field by field, twice, to see that they are an object. The service
// reads them by itself, so the library is shown an object with one field, and twenty thousand arguments cost it what one does.

const ALL = "arguments"

/** Puts the arguments of each tool call of a message, or of a batch, into an object of one field. */
export const wrapArguments = (json: unknown): unknown => (Array.isArray(json) ? json.map(wrapOne) : wrapOne(json))

const wrapOne = (message: unknown): unknown => {
  if (!Predicate.isObject(message) || message["method"] !== "tools/call") return message
  const { params } = message
  // Anything else is the library's to refuse.
  if (!Predicate.isObject(params) || !Predicate.isObject(params["arguments"])) return message
  return { ...message, params: { ...params, arguments: { [ALL]: params["arguments"] } } }
}

/** The arguments as they were sent, from what the library hands over; none if the call had none. */
export const unwrapArguments = (wrapped: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => {
  const { [ALL]: fields } = wrapped
  return Predicate.isObject(fields) ? fields : {}
}
