import {
  type AnyOperation,
  isAllowedForReadOnlyToken,
  needsNoSubscription,
  rateLimitOf,
  routeOf
} from "../../contract/operation.ts"
import type { GateRequest } from "./Gate.ts"

/** What the Gate looks at of the calls of one operation, as its declaration says. */
export const makeGateRequest = (
  operation: AnyOperation
): ((call: {
  readonly headers: GateRequest["headers"]
  readonly params: Readonly<Record<string, unknown>>
  readonly signedInAccount?: GateRequest["signedInAccount"]
}) => GateRequest) => {
  const { method, path } = routeOf(operation)
  const { limits, conversationField } = rateLimitOf(operation)
  const fixedPart = {
    route: `${method} ${path}`,
    isRead: isAllowedForReadOnlyToken(operation),
    limits,
    needsNoSubscription: needsNoSubscription(operation)
  }
  return ({ headers, params, signedInAccount }) => ({
    ...fixedPart,
    headers,
    signedInAccount,
    conversationId: conversationField === undefined ? undefined : conversationIdOf(params[conversationField])
  })
}

/** An id as it is counted. What can be none is refused when the input is read, and reaches no conversation. */
const conversationIdOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined
