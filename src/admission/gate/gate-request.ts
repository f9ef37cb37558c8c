import {
  type AnyOperation,
  isAllowedForReadOnlyToken,
  rateLimitOf,
  routeOf,
  worksWhenSuspended
} from "../../contract/operation.ts"
import type { GateRequest } from "./Gate.ts"

export const makeGateRequest = (
  operation: AnyOperation
): ((call: {
  readonly headers: GateRequest["headers"]
  readonly params: Readonly<Record<string, unknown>>
  readonly trustedAccount?: GateRequest["trustedAccount"]
}) => GateRequest) => {
  const { method, path } = routeOf(operation)
  const { limits, conversationField } = rateLimitOf(operation)
  const fixedPart = {
    route: `${method} ${path}`,
    isRead: isAllowedForReadOnlyToken(operation),
    limits,
    worksWhenSuspended: worksWhenSuspended(operation)
  }
  return ({ headers, params, trustedAccount }) => ({
    ...fixedPart,
    headers,
    trustedAccount,
    conversationId: conversationField === undefined ? undefined : conversationIdOf(params[conversationField])
  })
}

/** An invalid id is rejected later, when the input is read. */
const conversationIdOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined
