import { type AnyOperation, isRead, meteringOf, routeOf } from "../../contract/operation.ts"
import type { Approach } from "./Gate.ts"

/** What the Gate looks at of the calls of one operation, as its declaration says. */
export const approachOf = (
  operation: AnyOperation
): ((call: {
  readonly headers: Approach["headers"]
  readonly params: Readonly<Record<string, unknown>>
  readonly person?: Approach["person"]
}) => Approach) => {
  const { method, path } = routeOf(operation)
  const { limits, messageTo } = meteringOf(operation)
  const always = { route: `${method} ${path}`, read: isRead(operation), limits }
  return ({ headers, params, person }) => ({
    ...always,
    headers,
    person,
    conversationId: messageTo === undefined ? undefined : idOf(params[messageTo])
  })
}

/** An id as it is counted. What can be none is refused when the input is read, and reaches no conversation. */
const idOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined
